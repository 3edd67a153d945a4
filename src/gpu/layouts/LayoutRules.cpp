#include "gpu/layouts/LayoutRules.h"

using namespace mlir;

namespace triton::ttg {

/// Whether memory is also written through `pointers`, in any layout.
static bool isWrittenThrough(Value pointers) {
  while (auto conversion = pointers.getDefiningOp<ConvertLayoutOp>())
    pointers = conversion.getSrc();
  return llvm::any_of(pointers.getUsers(), [&](Operation *user) {
    auto writes = [](Operation *op, Value value) {
      return isa<tt::StoreOp, tt::AtomicOpInterface>(op) && op->getOperand(0) == value;
    };
    if (auto conversion = dyn_cast<ConvertLayoutOp>(user))
      return llvm::any_of(conversion->getUsers(), [&](Operation *op) { return writes(op, conversion); });
    return writes(user, pointers);
  });
}

/// Whether this is a load of so few elements that loading them twice costs less than an exchange through shared memory.
/// Not if the thread that wrote an element must be the one that loads it.
static bool isCheapLoad(Operation *op) {
  auto load = dyn_cast<tt::LoadOp>(op);
  auto type = load ? dyn_cast<RankedTensorType>(load.getType()) : RankedTensorType();
  return type && !load.getIsVolatile() && type.getNumElements() <= getNumWarps(op) * getThreadsPerWarp(op) &&
         !isWrittenThrough(load.getPtr());
}

bool computesInAnyLayout(Operation *op) {
  if (op->getNumResults() == 0 || !isa<RankedTensorType>(op->getResult(0).getType()))
    return false;
  if (isCheapLoad(op))
    return true;
  if (auto related = dyn_cast<LayoutOpInterface>(op))
    return related.computesInAnyLayout();
  return op->hasTrait<OpTrait::Elementwise>() && isMemoryEffectFree(op);
}

Attribute inferResultLayout(Operation *op, Attribute operand) {
  if (!llvm::any_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>))
    return {};
  auto related = dyn_cast<LayoutOpInterface>(op);
  return related ? related.inferResultLayout(operand) : operand;
}

Attribute inferOperandLayout(Operation *op, Attribute result) {
  auto related = dyn_cast<LayoutOpInterface>(op);
  return related ? related.inferOperandLayout(result) : result;
}

} // namespace triton::ttg
