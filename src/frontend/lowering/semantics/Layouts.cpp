// Layouts of Gluon: objects of Python that know their encoding's text, and encodings.
#include "frontend/BuiltinDiagnostics.h"
#include "frontend/LoweringDiagnostics.h"
#include "frontend/lowering/Lowering.h"
#include "frontend/lowering/semantics/Semantics.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"

namespace triton::frontend {

std::string layoutText(mlir::Attribute layout) {
  std::string text;
  llvm::raw_string_ostream(text) << layout;
  return text;
}

mlir::Attribute encodingOf(Lowering &lowering, const Value &layout, SourceRange range) {
  auto *host = layout.as<std::shared_ptr<const HostObject>>();
  ObjectRef text = host ? (*host)->attribute("ir_text") : nullptr;
  if (!text || !text->is<std::string>())
    lowering.error(range, diagnostics::NotALayout, std::string("a layout"), layout.describe());
  if (ObjectRef unit = (*host)->attribute("_unit"); unit && unit->is<std::string>())
    lowering.error(range, diagnostics::MissingUnit, (*host)->text, *unit->get<std::string>(),
                   describeTarget(lowering.options.language.target));
  std::string message;
  mlir::ScopedDiagnosticHandler handler(&lowering.context, [&](mlir::Diagnostic &diagnostic) {
    message = diagnostic.str();
    return mlir::success();
  });
  mlir::Attribute encoding = mlir::parseAttribute(*text->get<std::string>(), &lowering.context);
  if (!encoding)
    lowering.error(range, diagnostics::WrongLayout, (*host)->text, message);
  return encoding;
}

std::string describeTarget(const Target &target) {
  return target.arch.empty() ? target.backend : target.backend + ":" + target.arch;
}

void requireHopper(Lowering &lowering, SourceRange range, const std::string &user) {
  if (!lowering.options.language.hasBulkCopies)
    lowering.error(range, diagnostics::NeedsHopper, user, describeTarget(lowering.options.language.target));
}

void requireTensorMemory(Lowering &lowering, SourceRange range, const std::string &user) {
  if (!lowering.options.language.hasTensorMemory)
    lowering.error(range, diagnostics::NeedsTensorMemory, user, describeTarget(lowering.options.language.target));
}

ObjectRef layoutObject(Lowering &lowering, mlir::Attribute layout) {
  const auto &read = *lowering.layoutReader->get<std::shared_ptr<const HostFunction>>();
  return read->call({makeObject(layoutText(layout))}, {});
}

} // namespace triton::frontend
