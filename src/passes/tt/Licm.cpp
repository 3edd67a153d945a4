// triton-licm: loop-invariant code motion, also of loads.
#include "base/OptionalPass.h"
#include "passes/tt/Passes.h"

#include "ir/Debug.h"
#include "ir/Dialect.h"
#include "ir/LoopMotion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#define DEBUG_TYPE "triton-licm"

using namespace mlir;

namespace triton::tt {

#define GEN_PASS_DEF_TRITONLICM
#include "passes/tt/Passes.h.inc"

namespace {

/// Whether nothing in the loop writes. An operation with unknown effects counts as writing.
bool writesNothing(LoopLikeOpInterface loop) {
  WalkResult walk = loop->walk([&](Operation *op) {
    if (op == loop.getOperation() || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      return WalkResult::advance();
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    bool onlyReads = effects ? !effects.hasEffect<MemoryEffects::Write>() && !effects.hasEffect<MemoryEffects::Free>()
                             : isMemoryEffectFree(op);
    return onlyReads ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !walk.wasInterrupted();
}

/// A scalar that is true when the loop runs at least once; null when it always does.
Value getRunsCondition(scf::ForOp loop, OpBuilder &builder) {
  if (alwaysRuns(loop))
    return {};
  auto predicate = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  return arith::CmpIOp::create(builder, loop.getLoc(), predicate, loop.getLowerBound(), loop.getUpperBound());
}

/// Makes the load, which is now before the loop, read nothing if the condition is false.
void addCondition(LoadOp load, Value condition, OpBuilder &builder) {
  Type maskType = getI1SameShape(load.getType());
  if (isa<RankedTensorType>(maskType))
    condition = SplatOp::create(builder, load.getLoc(), maskType, condition);
  if (load.getMask())
    condition = arith::AndIOp::create(builder, load.getLoc(), load.getMask(), condition);
  load.getMaskMutable().assign(condition);
}

void hoistLoads(scf::ForOp loop) {
  if (!writesNothing(loop))
    return;
  OpBuilder builder(loop);
  Value condition;
  for (LoadOp load : llvm::make_early_inc_range(loop.getBody()->getOps<LoadOp>())) {
    bool isInvariant = llvm::all_of(
        load->getOperands(), [&](Value operand) { return !loop.getRegion().isAncestor(operand.getParentRegion()); });
    // The mask of a block pointer is its bounds, to which a condition cannot be added.
    if (!isInvariant || load.getIsVolatile() || isBlockPointer(load.getPtr().getType()))
      continue;
    if (!condition)
      condition = getRunsCondition(loop, builder);
    TRITON_DEBUG(llvm::dbgs() << "moved out of its loop: " << load << "\n");
    load->moveBefore(loop);
    OpBuilder loadBuilder(load);
    if (condition)
      addCondition(load, condition, loadBuilder);
    // What depends on the load may be invariant now.
    moveInvariants(loop);
  }
}

struct Licm : impl::TritonLicmBase<Licm>, base::OptionalPass {
  void runOnOperation() override {
    // Inner loops come first, so that what leaves one loop may leave the next.
    getOperation().walk([](LoopLikeOpInterface loop) {
      if (isMotionDisabled(loop))
        return;
      moveInvariants(loop);
      if (auto forLoop = dyn_cast<scf::ForOp>(loop.getOperation()))
        hoistLoads(forLoop);
    });
  }
};

} // namespace

} // namespace triton::tt

#undef DEBUG_TYPE // which sources that are compiled together define, too
