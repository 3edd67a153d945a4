#include "frontend/lowering/builtins/Functions.h"
#include "frontend/lowering/builtins/Memory.h"

#include "llvm/ADT/STLExtras.h"

namespace triton::frontend::builtin {

llvm::SmallVector<Tensor, 4> scalarsArgument(Lowering &lowering, CallArguments &arguments, llvm::StringRef name,
                                             ScalarType type) {
  llvm::SmallVector<Tensor, 4> result;
  RangeScope scope(lowering, arguments.range(name));
  for (const Value &value : valuesArgument(arguments, name)) {
    const Tensor *tensor = value.tensor();
    bool isInteger = value.asInt64() || (tensor && tensor->type.isScalar() && !tensor->type.element.isPointer() &&
                                         base::isInteger(tensor->type.element.scalar));
    if (!isInteger)
      lowering.error(diagnostics::ArgumentKind, arguments.builtin.displayName(), name.str(),
                     std::string("a sequence of integer scalars"), value.describe());
    result.push_back(convertTo(lowering, value, ElementType{type}));
  }
  return result;
}

void checkRank(Lowering &lowering, CallArguments &arguments, llvm::StringRef name, size_t count, size_t rank) {
  if (count != rank)
    lowering.error(arguments.range(name), diagnostics::RankMismatch, arguments.builtin.displayName(), name.str(),
                   int64_t(count), int64_t(rank));
}

llvm::SmallVector<mlir::Value, 4> irValues(llvm::ArrayRef<Tensor> tensors) {
  return llvm::map_to_vector<4>(tensors, [](const Tensor &tensor) { return tensor.value; });
}

Value makeBlockPointer(Lowering &lowering, CallArguments &arguments) {
  const Tensor *base = arguments["base"].tensor();
  if (!base || !base->type.isScalar() || !base->type.element.isPointer())
    lowering.error(arguments.range("base"), diagnostics::BlockPointerBase, std::string("tl.make_block_ptr"),
                   arguments["base"].describe());
  requirePointee(lowering, arguments, "base");
  llvm::SmallVector<int64_t, 4> blockShape = shapeArgument(lowering, arguments, "block_shape");
  llvm::SmallVector<int64_t, 4> order = integersArgument(lowering, arguments, "order");
  auto shape = scalarsArgument(lowering, arguments, "shape", ScalarType::Int64);
  auto strides = scalarsArgument(lowering, arguments, "strides", ScalarType::Int64);
  auto offsets = scalarsArgument(lowering, arguments, "offsets", ScalarType::Int32);
  size_t rank = blockShape.size();
  checkRank(lowering, arguments, "shape", shape.size(), rank);
  checkRank(lowering, arguments, "strides", strides.size(), rank);
  checkRank(lowering, arguments, "offsets", offsets.size(), rank);
  llvm::SmallVector<int64_t, 4> sorted = order;
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, int64_t(rank))))
    lowering.error(arguments.range("order"), diagnostics::NotAPermutation, std::string("tl.make_block_ptr"),
                   int64_t(rank));
  Tensor pointer = asBytes(lowering, *base);
  llvm::SmallVector<int32_t, 4> blockShape32(blockShape.begin(), blockShape.end()), order32(order.begin(), order.end());
  mlir::Value block = lowering.create<tt::MakeTensorPtrOp>(pointer.value, irValues(shape), irValues(strides),
                                                           irValues(offsets), blockShape32, order32);
  return BlockPointer{block, TensorType(base->type.element.pointee(), blockShape)};
}

Value advance(Lowering &lowering, CallArguments &arguments) {
  const BlockPointer *base = arguments["base"].blockPointer();
  if (!base)
    lowering.error(arguments.range("base"), diagnostics::NotABlockPointer, arguments["base"].describe());
  auto offsets = scalarsArgument(lowering, arguments, "offsets", ScalarType::Int32);
  checkRank(lowering, arguments, "offsets", offsets.size(), base->type.shape.size());
  return BlockPointer{lowering.create<tt::AdvanceOp>(base->value.getType(), base->value, irValues(offsets)),
                      base->type};
}

} // namespace triton::frontend::builtin
