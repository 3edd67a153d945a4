#include "ir/LoopMotion.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;

namespace triton::tt {

bool alwaysRuns(scf::ForOp loop) {
  APInt lower, upper;
  return matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) &&
         matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)) &&
         (loop.getUnsignedCmp() ? lower.ult(upper) : lower.slt(upper));
}

static bool hasLoop(Operation *op) {
  return op->walk([](LoopLikeOpInterface) { return WalkResult::interrupt(); }).wasInterrupted();
}

void moveInvariants(LoopLikeOpInterface loop) {
  auto forLoop = dyn_cast<scf::ForOp>(loop.getOperation());
  bool runs = forLoop && alwaysRuns(forLoop);
  moveLoopInvariantCode(
      loop.getLoopRegions(), [&](Value value, Region *) { return loop.isDefinedOutsideOfLoop(value); },
      [&](Operation *op, Region *) { return isMemoryEffectFree(op) && isSpeculatable(op) && (runs || !hasLoop(op)); },
      [&](Operation *op, Region *) { loop.moveOutOfLoop(op); });
}

} // namespace triton::tt
