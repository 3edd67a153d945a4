#include "frontend/lowering/Lowering.h"

#include "frontend/BuiltinDiagnostics.h"
#include "frontend/LoweringDiagnostics.h"
#include "frontend/lowering/builtins/Prelude.h"
#include "frontend/lowering/semantics/Semantics.h"

#include "ir/Dialect.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace triton::frontend {

Lowering::Lowering(mlir::MLIRContext &context, const LoweringOptions &options)
    : context(context), options(options), builder(&context), numWarps(unsigned(options.numWarps)) {}

const Source &Lowering::source() const { return *frame->function->source; }

mlir::Location Lowering::location(SourceRange at) {
  const Source &text = source();
  mlir::StringAttr &fileName = fileNames[&text];
  if (!fileName)
    fileName = builder.getStringAttr(text.fileName());
  Location position = text.location(at);
  return mlir::FileLineColLoc::get(fileName, position.line, position.column);
}

mlir::Location Lowering::location() {
  if (!lastLocation || lastSource != &source() || lastRange != range) {
    lastLocation = location(range);
    lastSource = &source();
    lastRange = range;
  }
  return *lastLocation;
}

static mlir::Type scalarType(mlir::Builder &builder, ScalarType type) {
  switch (type) {
  case ScalarType::Void:
    return builder.getNoneType();
  case ScalarType::Int1:
    return builder.getI1Type();
  case ScalarType::Int8:
  case ScalarType::UInt8:
    return builder.getI8Type();
  case ScalarType::Int16:
  case ScalarType::UInt16:
    return builder.getI16Type();
  case ScalarType::Int32:
  case ScalarType::UInt32:
    return builder.getI32Type();
  case ScalarType::Int64:
  case ScalarType::UInt64:
    return builder.getI64Type();
  case ScalarType::Float8E5:
    return builder.getType<mlir::Float8E5M2Type>();
  case ScalarType::Float8E5B16:
    return builder.getType<mlir::Float8E5M2FNUZType>();
  case ScalarType::Float8E4NV:
    return builder.getType<mlir::Float8E4M3FNType>();
  case ScalarType::Float8E4B8:
    return builder.getType<mlir::Float8E4M3FNUZType>();
  case ScalarType::Float8E4B15:
    return builder.getType<tt::Float8E4B15Type>();
  case ScalarType::Float16:
    return builder.getF16Type();
  case ScalarType::BFloat16:
    return builder.getBF16Type();
  case ScalarType::Float32:
    return builder.getF32Type();
  case ScalarType::Float64:
    return builder.getF64Type();
  }
  llvm_unreachable("every scalar type has an IR type");
}

void Lowering::checkFloat8(ScalarType type) {
  if (!isFloat8(type) || llvm::is_contained(options.language.float8Types, type))
    return;
  auto names =
      llvm::map_range(options.language.float8Types, [](ScalarType known) { return std::string(longName(known)); });
  std::string target = options.language.target.backend +
                       (options.language.target.arch.empty() ? "" : ":" + options.language.target.arch);
  error(diagnostics::Float8Unsupported, std::string(longName(type)), target, llvm::join(names, ", "));
}

mlir::Type Lowering::irType(const ElementType &element) {
  checkFloat8(element.scalar);
  mlir::Type type = scalarType(builder, element.scalar);
  for (unsigned depth = 0; depth < element.pointerDepth; ++depth)
    type = tt::PointerType::get(type, /*addressSpace=*/1);
  return type;
}

mlir::Type Lowering::irType(const TensorType &type) {
  mlir::Type element = irType(type.element);
  if (isGluon && !type.isScalar() && !type.layout)
    error(diagnostics::LayoutMissing, type.str());
  checkElementCount(*this, type.shape);
  return type.isScalar() ? element : mlir::RankedTensorType::get(type.shape, element, type.layout);
}

/// Keeps the innermost and the outermost calls of a long chain. The notes about calls start at `first`.
static void shortenCalls(std::vector<DiagnosticNote> &notes, size_t first) {
  constexpr size_t keptInner = 4, keptOuter = 2;
  size_t calls = notes.size() - first;
  if (calls <= keptInner + keptOuter + 1)
    return;
  size_t dropped = calls - keptInner - keptOuter;
  auto begin = notes.begin() + first + keptInner;
  *begin = {&diagnostics::FurtherCalls, nullptr, {}, detail::formatMessage(diagnostics::FurtherCalls.message, dropped)};
  notes.erase(begin + 1, begin + dropped);
}

void Lowering::raise(Diagnostic diagnostic) {
  size_t firstCall = diagnostic.notes.size();
  for (FunctionFrame *callee = frame; callee && callee->caller; callee = callee->caller) {
    const Source &callerSource = *callee->caller->function->source;
    if (isLibrary(callerSource))
      continue;
    // If the error was found in the library, the user's own line comes first.
    if (diagnostic.source && isLibrary(*diagnostic.source)) {
      Diagnostic outer(*diagnostic.info, callerSource.shared_from_this(), callee->callRange, diagnostic.message,
                       diagnostic.fix);
      outer.note(diagnostics::RaisedHere, *diagnostic.source, diagnostic.range, callee->function->name);
      diagnostic = std::move(outer);
      firstCall = diagnostic.notes.size();
    } else {
      diagnostic.note(diagnostics::CalledHere, callerSource, callee->callRange, callee->function->name);
    }
  }
  shortenCalls(diagnostic.notes, firstCall);
  throwError(std::move(diagnostic));
}

void Lowering::report(const Diagnostic &warning) {
  if (options.observer)
    return options.observer->onDiagnostic(warning);
  std::string text = warning.str();
  // An error that is found in the library is reported at the user's own line.
  for (FunctionFrame *callee = frame; callee && callee->caller && isLibrary(*callee->function->source);
       callee = callee->caller)
    text = Diagnostic(*warning.info, callee->caller->function->source, callee->callRange, warning.message, warning.fix)
               .str();
  if (options.warn)
    options.warn(text);
  else
    llvm::errs() << text;
}

void Lowering::print(const std::string &text) {
  if (options.print)
    options.print(text);
  else {
    llvm::outs() << text;
    llvm::outs().flush();
  }
}

DepthScope::DepthScope(Lowering &lowering) : lowering(lowering) {
  if (lowering.depth >= maximumDepth)
    lowering.error(diagnostics::NestedTooDeeply);
  ++lowering.depth;
}

} // namespace triton::frontend
