// Issues products whose operands are ready after the product before, see Passes.td.
#include "base/OptionalPass.h"
#include "gpu/analysis/LiveRegisters.h"
#include "gpu/analysis/Scratch.h"
#include "gpu/analysis/WarpGroupDots.h"
#include "gpu/loops/Passes.h"
#include "gpu/target/TargetInfo.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUHOISTDOTS
#include "gpu/loops/Passes.h.inc"

namespace {

bool isView(Operation *op) { return isa<MemDescIndexOp, MemDescTransOp>(op); }

/// Whether a product that reads buffers may move over `op`: it neither writes buffers nor waits for anybody who does.
bool mayPass(Operation *op) {
  if (isa<WarpGroupDotOp, WarpGroupDotWaitOp, LocalLoadOp, tt::LoadOp>(op))
    return true;
  return isMemoryEffectFree(op) && analysis::getScratchBytes(op) == 0;
}

/// The views in front of which `value` must be there to move behind `place`; false where something else gives it.
bool collectViews(Value value, Operation *place, llvm::SetVector<Operation *> &views) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != place->getBlock() || op->isBeforeInBlock(place))
    return true;
  if (!isView(op) ||
      !llvm::all_of(op->getOperands(), [&](Value operand) { return collectViews(operand, place, views); }))
    return false;
  views.insert(op);
  return true;
}

unsigned countAccumulators(Block &block) {
  unsigned registers = 0;
  for (WarpGroupDotOp dot : block.getOps<WarpGroupDotOp>())
    registers += countRegisters(dot.getD());
  return registers;
}

/// Moves `dot` behind `before` where something that stands between needs the result of `before`, and nothing prevents
/// it.
bool hoist(WarpGroupDotOp dot, WarpGroupDotOp before) {
  llvm::SetVector<Operation *> views;
  for (Value operand : dot->getOperands())
    if (operand == before.getD() || !collectViews(operand, before, views))
      return false;
  bool isUsedBetween = false;
  for (Operation *op = before->getNextNode(); op != dot; op = op->getNextNode()) {
    if (!mayPass(op))
      return false;
    isUsedBetween |= llvm::is_contained(op->getOperands(), before.getD());
  }
  if (!isUsedBetween)
    return false;
  Operation *last = before;
  views.insert(dot);
  for (Operation *op : views) {
    op->moveAfter(last);
    last = op;
  }
  return true;
}

struct TritonGPUHoistDots : impl::TritonGPUHoistDotsBase<TritonGPUHoistDots>, base::OptionalPass {
  void runOnOperation() override {
    if (!gpu::findTarget(getOperation()))
      return signalPassFailure();
    llvm::MapVector<Block *, SmallVector<WarpGroupDotOp>> dotsOfBlocks;
    getOperation().walk([&](WarpGroupDotOp dot) { dotsOfBlocks[dot->getBlock()].push_back(dot); });
    for (auto &[block, dots] : dotsOfBlocks) {
      if (countAccumulators(*block) > registersOfProducts(getOperation()))
        continue;
      for (auto [index, dot] : llvm::enumerate(dots))
        if (isa<MemDescType>(dot.getA().getType()))
          (void)llvm::any_of(llvm::ArrayRef(dots).take_front(index),
                             [&](WarpGroupDotOp before) { return hoist(dot, before); });
    }
  }
};

} // namespace

} // namespace triton::ttg
