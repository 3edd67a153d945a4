// The layouts in a text of TTGIR, by the places of the kernel that its values come from.
#include "Bindings.h"

#include "gpu/ir/PlacedLayouts.h"
#include "layout/Words.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>

namespace nb = nanobind;

namespace triton::python {

namespace {

template <typename Printable> std::string print(Printable printable) {
  std::string text;
  llvm::raw_string_ostream(text) << printable;
  return text;
}

/// (file, line, column, (shape, bits of an element, encoding, in words, layout)) of each. Empty when the text does not
/// parse.
nb::list placedLayouts(const std::string &text) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  ttg::loadTextDialects(context);
  mlir::ScopedDiagnosticHandler silent(&context, [](mlir::Diagnostic &) {});
  nb::list result;
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return result;
  std::map<const void *, nb::tuple> described; // few types are at many places
  for (const ttg::PlacedLayout &placed : ttg::placedLayouts(*module)) {
    nb::tuple &type = described[placed.type.type.getAsOpaquePointer()];
    if (!type.is_valid() || nb::len(type) == 0) {
      layout::LinearLayout linear = placed.type.linear();
      type = nb::make_tuple(placed.type.shape().vec(), placed.type.elementBits(), print(placed.type.encoding()),
                            layout::describeInWords(linear), linear);
    }
    result.append(nb::make_tuple(placed.file, placed.line, placed.column, type));
  }
  return result;
}

} // namespace

void registerPlacedLayouts(nb::module_ &module) { module.def("placed_layouts", &placedLayouts, nb::arg("ttgir")); }

} // namespace triton::python
