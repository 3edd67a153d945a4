#include "explorer/Layouts.h"

#include "gpu/ir/NamedValues.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/MapVector.h"

using namespace triton;
using namespace triton::explorer;
using llvm::json::Array;
using llvm::json::Object;

template <typename Printable> static std::string print(Printable printable) {
  std::string text;
  llvm::raw_string_ostream(text) << printable;
  return text;
}

static Array describeInputs(const layout::LinearLayout &linear) {
  Array inputs;
  for (const layout::Input &input : linear.inputs()) {
    Array bases;
    for (const layout::Basis &basis : input.bases)
      bases.push_back(Array(basis));
    inputs.push_back(Object{{"name", input.name}, {"bases", std::move(bases)}});
  }
  return inputs;
}

static Object describe(const ttg::LaidOutType &laidOut, const std::vector<std::string> &names) {
  return Object{{"type", print(laidOut.type)},
                {"shape", Array(laidOut.shape())},
                {"element", print(laidOut.element())},
                {"element_bits", laidOut.elementBits()},
                {"encoding", print(laidOut.encoding())},
                {"is_shared", llvm::isa<ttg::MemDescType>(laidOut.type)},
                {"values", Array(names)},
                {"inputs", describeInputs(laidOut.linear())}};
}

Array explorer::describeLayouts(llvm::StringRef ttgir) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  ttg::loadTextDialects(context);
  mlir::ScopedDiagnosticHandler silent(&context, [](mlir::Diagnostic &) {});
  auto values = ttg::parseNamedValues(ttgir, context);
  if (!values)
    return {};
  llvm::MapVector<mlir::Type, std::vector<std::string>> names;
  for (const ttg::NamedValue &value : *values)
    names[value.type.type].push_back(value.name);
  Array layouts;
  for (const auto &[type, users] : names)
    layouts.push_back(describe({type}, users));
  return layouts;
}
