#include "gpu/analysis/WarpGroupDots.h"

#include "gpu/analysis/Budget.h"

using namespace mlir;

namespace triton::ttg {

unsigned registersOfProducts(Operation *op) {
  return Budget(gpu::getTarget(op).machine(), getNumWarps(op)).registersOfProducts(getResidentPrograms(op));
}

unsigned registersOfData(Operation *op) {
  return Budget(gpu::getTarget(op).machine(), getNumWarps(op)).registersOfData(getResidentPrograms(op));
}

bool hasWholeRegisters(WarpGroupDotOp dot) {
  return cast<RankedTensorType>(dot.getType()).getElementTypeBitWidth() == 32;
}

BlockArgument findCarriedSum(WarpGroupDotOp dot, scf::ForOp loop) {
  auto sum = dyn_cast<BlockArgument>(dot.getC());
  return sum && sum.getOwner() == loop.getBody() && sum.hasOneUse() ? sum : BlockArgument();
}

WarpGroupDotOp findProductThatGoesOn(scf::ForOp loop) {
  WarpGroupDotOp last;
  for (WarpGroupDotOp dot : loop.getBody()->getOps<WarpGroupDotOp>())
    if (findCarriedSum(dot, loop))
      last = dot;
  return last;
}

bool outlivesIteration(Value view, scf::ForOp loop) {
  while (auto transposed = view.getDefiningOp<MemDescTransOp>())
    view = transposed.getSrc();
  if (loop.isDefinedOutsideOfLoop(view))
    return true;
  auto slot = view.getDefiningOp<MemDescIndexOp>();
  return slot && slot.getSrc().getType().getShape().front() > 1 && loop.isDefinedOutsideOfLoop(slot.getSrc());
}

/// Whether `view` shows one of `buffers`, perhaps transposed.
static bool shows(Value view, ValueRange buffers) {
  while (auto transposed = view.getDefiningOp<MemDescTransOp>())
    view = transposed.getSrc();
  return llvm::is_contained(buffers, view);
}

SmallVector<ArriveBarrierOp> findReleases(scf::ForOp loop, llvm::ArrayRef<WarpGroupDotOp> dots) {
  return llvm::filter_to_vector(loop.getBody()->getOps<ArriveBarrierOp>(), [&](ArriveBarrierOp release) {
    return llvm::any_of(dots, [&](WarpGroupDotOp dot) {
      return shows(dot.getA(), release.getReleased()) || shows(dot.getB(), release.getReleased());
    });
  });
}

} // namespace triton::ttg
