#include "gpu/copies/OperandLoads.h"

#include "ir/Remarks.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace triton::ttg {

SmallVector<DescribedLoad> findDescribedLoads(tt::FuncOp function) {
  llvm::MapVector<Attribute, DescribedLoad> loads;
  function.walk([&](Operation *op) {
    Attribute number = op->getAttr(pointersAttribute);
    if (!number)
      return;
    if (auto load = dyn_cast<tt::LoadOp>(op))
      loads[number].pointers = load;
    else if (auto copied = dyn_cast<tt::DescriptorLoadOp>(op))
      loads[number].copied = copied;
    else
      loads[number].transposed = cast<tt::TransOp>(op);
  });
  return llvm::map_to_vector(loads, [](auto &entry) { return entry.second; });
}

void DescribedLoad::keepPointers() const {
  tt::LoadOp load = pointers;
  tt::DescriptorLoadOp copy = copied;
  tt::TransOp last = transposed;
  load->removeAttr(pointersAttribute);
  if (last) {
    last->replaceAllUsesWith(load);
    last.erase();
  } else {
    copy->replaceAllUsesWith(load);
  }
  copy.erase();
}

void DescribedLoad::dropPointers() const {
  if (tt::TransOp last = transposed)
    last->removeAttr(pointersAttribute);
  tt::LoadOp(pointers).erase();
}

bool isOperandOnly(Value value) {
  return !value.use_empty() && llvm::all_of(value.getUses(), [](OpOperand &use) {
    if (auto transposed = dyn_cast<tt::TransOp>(use.getOwner()))
      return isOperandOnly(transposed.getResult());
    return isa<tt::DotOp>(use.getOwner()) && use.getOperandNumber() < 2;
  });
}

bool isInLoop(Operation *load) { return load->getParentOfType<LoopLikeOpInterface>() != nullptr; }

bool mayPrecede(Operation *op, Operation *load) {
  for (Operation *inner = op; inner; inner = inner->getParentOp()) {
    Operation *outer = inner->getBlock() ? inner->getBlock()->findAncestorOpInBlock(*load) : nullptr;
    if (!outer)
      continue;
    return inner->isBeforeInBlock(outer) || inner->getParentOfType<LoopLikeOpInterface>() || inner == outer;
  }
  return true;
}

void reportThreads(Operation *load, llvm::StringRef obstacle, Operation *cause) {
  remarks::InFlightRemark remark = remarks::missed(load, remarks::access, "BulkCopy");
  remark << "no producer warp loads the operand" << remarks::reason("{0}", obstacle)
         << remarks::suggest("blocks of `tl.make_tensor_descriptor` are TMA loads, which a producer warp starts");
  if (remark && cause)
    remark << remarks::Fact("Cause", Attribute(cause->getLoc()));
}

} // namespace triton::ttg
