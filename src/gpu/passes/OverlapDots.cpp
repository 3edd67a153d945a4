// Lets products that read shared memory go on while others work, see Passes.td.
#include "base/OptionalPass.h"
#include "gpu/analysis/Scratch.h"
#include "gpu/ir/Dialect.h"
#include "gpu/passes/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUOVERLAPDOTS
#include "gpu/passes/Passes.h.inc"

namespace {

/// Accumulators of 16 bits share registers, which a carried value would take apart under way.
bool hasWholeRegisters(WarpGroupDotOp dot) {
  return cast<RankedTensorType>(dot.getType()).getElementTypeBitWidth() == 32;
}

//===----------------------------------------------------------------------===//
// From one iteration to the next
//===----------------------------------------------------------------------===//

/// Whether nothing writes what `view` shows before the next iteration is through with its products: it stands outside
/// the loop, or is a slot of a ring.
bool outlivesIteration(Value view, scf::ForOp loop) {
  while (auto transposed = view.getDefiningOp<MemDescTransOp>())
    view = transposed.getSrc();
  if (loop.isDefinedOutsideOfLoop(view))
    return true;
  auto slot = view.getDefiningOp<MemDescIndexOp>();
  return slot && slot.getSrc().getType().getShape().front() > 1 && loop.isDefinedOutsideOfLoop(slot.getSrc());
}

/// Products of the body that do nothing but add to what the loop carries.
SmallVector<WarpGroupDotOp> findAccumulations(scf::ForOp loop) {
  SmallVector<WarpGroupDotOp> found;
  for (WarpGroupDotOp dot : loop.getBody()->getOps<WarpGroupDotOp>()) {
    auto argument = dyn_cast<BlockArgument>(dot.getC());
    bool isCarried = argument && argument.getOwner() == loop.getBody() && argument.hasOneUse() && dot->hasOneUse() &&
                     loop.getTiedLoopYieldedValue(argument)->get() == dot.getD();
    bool readsBuffers = isa<MemDescType>(dot.getA().getType()) && outlivesIteration(dot.getA(), loop);
    if (isCarried && readsBuffers && outlivesIteration(dot.getB(), loop) && hasWholeRegisters(dot))
      found.push_back(dot);
  }
  return found;
}

/// The products of an iteration are over when those of the next have been issued.
void overlapIterations(scf::ForOp loop) {
  SmallVector<WarpGroupDotOp> dots = findAccumulations(loop);
  if (dots.empty())
    return;
  OpBuilder builder(loop.getContext());
  builder.setInsertionPointAfter(dots.back());
  SmallVector<Value> results, carried;
  SmallVector<OpOperand *> yielded;
  for (WarpGroupDotOp dot : dots) {
    dot.setIsAsync(true);
    results.push_back(dot.getD());
    yielded.push_back(loop.getTiedLoopYieldedValue(cast<BlockArgument>(dot.getC())));
    carried.push_back(loop.getResult(yielded.back()->getOperandNumber()));
  }
  auto wait = WarpGroupDotWaitOp::create(builder, dots.back().getLoc(), results, unsigned(dots.size()));
  for (auto [operand, waited] : llvm::zip_equal(yielded, wait.getOutputs()))
    operand->set(waited);
  builder.setInsertionPointAfter(loop);
  auto last = WarpGroupDotWaitOp::create(builder, loop.getLoc(), carried, 0u);
  for (auto [result, waited] : llvm::zip_equal(carried, last.getOutputs()))
    result.replaceAllUsesExcept(waited, last);
}

//===----------------------------------------------------------------------===//
// Within a block
//===----------------------------------------------------------------------===//

/// Whether `op` may write a buffer, or lets something else run that may.
bool mayWriteBuffers(Operation *op) {
  SmallVector<BufferAccess> accesses;
  if (auto interface = dyn_cast<SharedMemoryOpInterface>(op))
    interface.getBufferAccesses(accesses);
  bool writes = llvm::any_of(accesses, [](const BufferAccess &access) { return access.isWrite; });
  bool holdsOthers = op->getNumRegions() != 0 && !isMemoryEffectFree(op);
  return writes || holdsOthers || analysis::getScratchBytes(op) != 0 || op->hasTrait<OpTrait::IsTerminator>();
}

/// The operation before which `dot` must be over: the first use of its result, or the first that may write its buffers.
Operation *findEnd(WarpGroupDotOp dot) {
  Operation *end = dot->getNextNode();
  while (!llvm::is_contained(end->getOperands(), dot.getD()) && !mayWriteBuffers(end))
    end = end->getNextNode();
  return end;
}

/// Lets a product run beside what follows it and does not need it, such as another product.
void overlapWithin(WarpGroupDotOp dot) {
  Operation *end = findEnd(dot);
  if (end == dot->getNextNode() || !hasWholeRegisters(dot))
    return;
  unsigned later = 0;
  for (Operation *op = dot->getNextNode(); op != end; op = op->getNextNode())
    later += isa<WarpGroupDotOp>(op);
  dot.setIsAsync(true);
  OpBuilder builder(end);
  auto wait = WarpGroupDotWaitOp::create(builder, dot.getLoc(), dot.getD(), later);
  dot.getD().replaceAllUsesExcept(wait.getOutputs().front(), wait);
}

struct TritonGPUOverlapDots : impl::TritonGPUOverlapDotsBase<TritonGPUOverlapDots>, base::OptionalPass {
  void runOnOperation() override {
    getOperation().walk(overlapIterations);
    getOperation().walk([](WarpGroupDotOp dot) {
      if (!dot.getIsAsync())
        overlapWithin(dot);
    });
  }
};

} // namespace

} // namespace triton::ttg
