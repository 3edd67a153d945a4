// Reports uses of barriers that nothing makes, and of products for which nothing waits, see Passes.td.
#include "base/PassRunner.h"
#include "gpu/analysis/Allocation.h"
#include "gpu/copies/Passes.h"
#include "gpu/ir/Dialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUCHECKASYNCHRONOUSUSES
#include "gpu/copies/Passes.h.inc"

namespace {

/// The barrier that an operation needs; null for others.
Value barrierOf(Operation *op) {
  if (auto expect = dyn_cast<ExpectBytesOp>(op))
    return expect.getBarrier();
  if (auto arrive = dyn_cast<ArriveBarrierOp>(op))
    return arrive.getBarrier();
  if (auto wait = dyn_cast<WaitBarrierOp>(op))
    return wait.getBarrier();
  if (auto copy = dyn_cast<AsyncMappedLoadOp>(op))
    return copy.getBarrier();
  if (auto invalidate = dyn_cast<InvalidateBarrierOp>(op))
    return invalidate.getBarriers();
  return {};
}

LogicalResult checkBarriers(ModuleOp module) {
  DenseSet<Operation *> made;
  module.walk([&](InitBarrierOp op) { made.insert_range(analysis::findAllocations(op.getBarriers())); });
  WalkResult result = module.walk([&](Operation *op) -> WalkResult {
    Value barrier = barrierOf(op);
    if (!barrier)
      return WalkResult::advance();
    SmallVector<Operation *> places = analysis::findAllocations(barrier);
    if (places.empty() || llvm::any_of(places, [&](Operation *place) { return made.contains(place); }))
      return WalkResult::advance();
    return op->emitError() << base::unsupportedPrefix
                           << "GPUs: the kernel never makes this barrier; call `mbarrier.init(bar, count=...)` before "
                              "anything else that uses it";
  });
  return failure(result.wasInterrupted());
}

/// The values that are `use` under another name, in and behind loops and branches; none of another use.
SmallVector<Value> passedOn(OpOperand &use) {
  Operation *user = use.getOwner();
  unsigned index = use.getOperandNumber();
  if (auto loop = dyn_cast<LoopLikeOpInterface>(user)) {
    SmallVector<Value> values;
    if (BlockArgument argument = loop.getTiedLoopRegionIterArg(&use))
      values.push_back(argument);
    if (OpResult result = loop.getTiedLoopResult(&use))
      values.push_back(result);
    return values;
  }
  Operation *parent = user->getParentOp();
  if (auto loop = dyn_cast<scf::ForOp>(parent); loop && isa<scf::YieldOp>(user))
    return {loop.getRegionIterArg(index), loop.getResult(index)};
  if (isa<scf::IfOp>(parent) && isa<scf::YieldOp>(user))
    return {parent->getResult(index)};
  if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
    if (isa<scf::YieldOp>(user))
      return {loop.getBeforeArguments()[index]};
    if (isa<scf::ConditionOp>(user) && index > 0)
      return {loop.getAfterArguments()[index - 1], loop.getResult(index - 1)};
  }
  return {};
}

/// Whether the user may have the sum of a product that goes on.
bool takesUnfinished(OpOperand &use) {
  if (auto dot = dyn_cast<WarpGroupDotOp>(use.getOwner()))
    return use.get() == dot.getC();
  return isa<WarpGroupDotWaitOp>(use.getOwner());
}

LogicalResult checkProduct(WarpGroupDotOp product) {
  llvm::SetVector<Value> names;
  names.insert(product.getD());
  for (unsigned index = 0; index < names.size(); ++index)
    for (OpOperand &use : names[index].getUses()) {
      SmallVector<Value> others = passedOn(use);
      names.insert_range(others);
      if (others.empty() && !takesUnfinished(use))
        return use.getOwner()->emitError()
               << base::unsupportedPrefix
               << "GPUs: this uses the result of an asynchronous product, which may not have ended; take the result of "
                  "`warpgroup_mma_wait(0, deps=[acc])` in its place";
    }
  return success();
}

struct TritonGPUCheckAsynchronousUses : impl::TritonGPUCheckAsynchronousUsesBase<TritonGPUCheckAsynchronousUses> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    WalkResult result = getOperation().walk([](WarpGroupDotOp product) {
      return product.getIsAsync() && failed(checkProduct(product)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (result.wasInterrupted() || failed(checkBarriers(getOperation())))
      signalPassFailure();
  }
};

} // namespace

} // namespace triton::ttg
