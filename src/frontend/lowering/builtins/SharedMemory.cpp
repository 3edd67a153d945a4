// Buffers in shared memory, in Gluon.
#include "frontend/lowering/builtins/Functions.h"
#include "gpu/ir/Dialect.h"

#include "mlir/IR/Diagnostics.h"

namespace triton::frontend::builtin {
namespace {

/// The type in IR. Reports at `range` a layout that is not one of buffers, or not of such ones.
ttg::MemDescType bufferType(Lowering &lowering, const TensorType &type, SourceRange range) {
  if (!mlir::isa<ttg::SharedEncodingInterface>(type.layout))
    lowering.error(range, diagnostics::NotALayout, std::string("a layout of shared memory"), layoutText(type.layout));
  if (!type.element.isPointer() && bitWidth(type.element.scalar) < 8)
    lowering.error(range, diagnostics::BufferElement, type.element.str());
  if (llvm::any_of(type.shape, [](int64_t extent) { return extent < 1; }))
    lowering.error(range, diagnostics::WrongBuffer, type.str(), std::string("its extents must be positive"));
  std::string message;
  mlir::ScopedDiagnosticHandler handler(&lowering.context, [&](mlir::Diagnostic &diagnostic) {
    message = diagnostic.str();
    return mlir::success();
  });
  mlir::Attribute space = ttg::SharedMemorySpaceAttr::get(&lowering.context);
  auto result = ttg::MemDescType::getChecked([&] { return mlir::emitError(lowering.location()); }, &lowering.context,
                                             llvm::ArrayRef<int64_t>(type.shape), lowering.irType(type.element),
                                             type.layout, space, true);
  if (!result)
    lowering.error(range, diagnostics::WrongBuffer, type.str(), message);
  return result;
}

const SharedBuffer &bufferArgument(CallArguments &arguments) { return *arguments["buffer"].buffer(); }

/// What is written to a buffer must be of its shape and dtype.
Tensor contentsArgument(Lowering &lowering, CallArguments &arguments, const TensorType &type) {
  Tensor value = tensorArgument(lowering, arguments, "value");
  if (value.type.shape != type.shape || value.type.element != type.element)
    lowering.error(arguments.range("value"), diagnostics::BufferContents, value.type.str(), type.str());
  return value;
}

} // namespace

Value allocateSharedMemory(Lowering &lowering, CallArguments &arguments) {
  SourceRange range = arguments.range("layout");
  TensorType type(dtypeArgument(lowering, arguments, "element_ty"), integersArgument(lowering, arguments, "shape"),
                  encodingOf(lowering, arguments["layout"], range));
  mlir::Type result = bufferType(lowering, type, range);
  mlir::Value contents;
  if (!arguments["value"].isNone())
    contents = contentsArgument(lowering, arguments, type).value;
  return SharedBuffer{lowering.create<ttg::LocalAllocOp>(result, contents), type};
}

Value loadBuffer(Lowering &lowering, CallArguments &arguments) {
  const SharedBuffer &buffer = bufferArgument(arguments);
  TensorType type = buffer.type;
  type.layout = layoutArgument(lowering, arguments, type.shape);
  return Tensor{lowering.create<ttg::LocalLoadOp>(lowering.irType(type), buffer.value, mlir::Value()), type};
}

Value storeBuffer(Lowering &lowering, CallArguments &arguments) {
  const SharedBuffer &buffer = bufferArgument(arguments);
  lowering.create<ttg::LocalStoreOp>(contentsArgument(lowering, arguments, buffer.type).value, buffer.value);
  return Value();
}

Value indexBuffer(Lowering &lowering, CallArguments &arguments) {
  const SharedBuffer &buffer = bufferArgument(arguments);
  if (buffer.type.rank() == int64_t(ttg::getEncodingRank(buffer.type.layout)))
    lowering.error(diagnostics::SingleBuffer, buffer.type.str());
  Tensor index = tensorArgument(lowering, arguments, "index");
  if (!index.type.isScalar() || index.type.element.isPointer() || !isInteger(index.type.element.scalar))
    lowering.error(arguments.range("index"), diagnostics::BufferIndex, index.type.str());
  index = cast(lowering, index, ElementType{ScalarType::Int32});
  TensorType type = buffer.type;
  type.shape.erase(type.shape.begin());
  mlir::Type view = bufferType(lowering, type, arguments.callRange);
  return SharedBuffer{lowering.create<ttg::MemDescIndexOp>(view, buffer.value, index.value), type};
}

Value permuteBuffer(Lowering &lowering, CallArguments &arguments) {
  const SharedBuffer &buffer = bufferArgument(arguments);
  llvm::SmallVector<int64_t, 4> order = integersArgument(lowering, arguments, "order"), sorted = order;
  llvm::sort(sorted);
  auto shared = mlir::cast<ttg::SharedEncodingInterface>(buffer.type.layout);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, buffer.type.rank())) || shared.getRank() != order.size())
    lowering.error(arguments.range("order"), diagnostics::NotAPermutation, arguments.builtin.displayName(),
                   int64_t(shared.getRank()));
  llvm::SmallVector<int32_t> order32(order.begin(), order.end());
  TensorType type = buffer.type;
  for (auto [dimension, from] : llvm::enumerate(order))
    type.shape[dimension] = buffer.type.shape[from];
  type.layout = shared.getPermuted(order32);
  mlir::Type view = bufferType(lowering, type, arguments.callRange);
  return SharedBuffer{lowering.create<ttg::MemDescTransOp>(view, buffer.value, order32), type};
}

Value keepBuffer(Lowering &lowering, CallArguments &arguments) {
  lowering.create<ttg::LocalDeallocOp>(bufferArgument(arguments).value);
  return Value();
}

} // namespace triton::frontend::builtin
