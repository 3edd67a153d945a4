#include "frontend/lowering/builtins/Buffers.h"

#include "mlir/IR/Diagnostics.h"

namespace triton::frontend::builtin {

ttg::MemDescType typeOf(const SharedBuffer &buffer) { return mlir::cast<ttg::MemDescType>(buffer.value.getType()); }

/// Runs `verify`, and returns what it reports.
static std::string messageOf(Lowering &lowering, llvm::function_ref<void()> verify) {
  std::string message;
  mlir::ScopedDiagnosticHandler handler(&lowering.context, [&](mlir::Diagnostic &diagnostic) {
    message = diagnostic.str();
    return mlir::success();
  });
  verify();
  return message;
}

ttg::MemDescType verifiedType(Lowering &lowering, const TensorType &type, mlir::Attribute memory,
                              llvm::ArrayRef<int64_t> whole, SourceRange range) {
  ttg::MemDescType result;
  std::string message = messageOf(lowering, [&] {
    result = ttg::MemDescType::getChecked([&] { return mlir::emitError(lowering.location()); }, &lowering.context,
                                          llvm::ArrayRef<int64_t>(type.shape), lowering.irType(type.element),
                                          type.layout, memory, true, whole);
  });
  if (!result)
    lowering.error(range, diagnostics::WrongBuffer, type.str(), message);
  return result;
}

Tensor contentsArgument(Lowering &lowering, CallArguments &arguments, const TensorType &type) {
  Tensor value = tensorArgument(lowering, arguments, "value");
  if (value.type.shape != type.shape || value.type.element != type.element)
    lowering.error(arguments.range("value"), diagnostics::BufferContents, value.type.str(), type.str());
  return value;
}

TensorType reinterpretedType(Lowering &lowering, CallArguments &arguments, TensorType type) {
  if (!arguments["dtype"].isNone())
    type.element = elementTypeArgument(lowering, arguments, "dtype");
  if (!arguments["shape"].isNone())
    type.shape = integersArgument(lowering, arguments, "shape");
  if (!arguments["layout"].isNone())
    type.layout = encodingOf(lowering, arguments["layout"], arguments.range("layout"));
  return type;
}

std::string findObjection(Lowering &lowering, llvm::function_ref<mlir::LogicalResult()> verify) {
  bool isRight = false;
  std::string message = messageOf(lowering, [&] { isRight = mlir::succeeded(verify()); });
  if (isRight)
    return {};
  auto [whole, said] = llvm::StringRef(message).split(" op ");
  return (said.empty() ? whole : said).str();
}

} // namespace triton::frontend::builtin
