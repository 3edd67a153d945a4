// Lets products that read shared memory continue while other operations run, see Passes.td.
#include "base/OptionalPass.h"
#include "gpu/analysis/LiveRegisters.h"
#include "gpu/analysis/Scratch.h"
#include "gpu/analysis/WarpGroupDots.h"
#include "gpu/ir/Dialect.h"
#include "gpu/loops/Passes.h"
#include "gpu/target/TargetInfo.h"
#include "ir/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUOVERLAPDOTS
#include "gpu/loops/Passes.h.inc"

namespace {

//===----------------------------------------------------------------------===//
// From one iteration to the next
//===----------------------------------------------------------------------===//

/// A product of the body that adds to what the loop carries. Beside that its sum may be used under a branch, as where a
/// flattened loop stores it and starts anew.
struct CarriedSum {
  WarpGroupDotOp dot;
  scf::IfOp branch; ///< null: the sum itself is carried

  /// Whether `region` of the branch does more with the sum than pass it on.
  bool isUsedIn(Region &region) const {
    return llvm::any_of(dot->getUses(), [&](OpOperand &use) {
      return region.isAncestor(use.getOwner()->getParentRegion()) && use.getOwner() != region.front().getTerminator();
    });
  }
};

/// Whether every use of `dot` passes its sum on through result `index` of `branch`, or is in that branch.
bool isUsedUnder(WarpGroupDotOp dot, scf::IfOp branch, unsigned index) {
  return llvm::all_of(dot->getUses(), [&](OpOperand &use) {
    Operation *owner = use.getOwner();
    bool isPassedOn = owner->getParentOp() == branch && owner->hasTrait<OpTrait::IsTerminator>();
    return branch->isProperAncestor(owner) && (!isPassedOn || use.getOperandNumber() == index);
  });
}

std::optional<CarriedSum> findAccumulation(scf::ForOp loop, WarpGroupDotOp dot) {
  BlockArgument argument = findCarriedSum(dot, loop);
  if (!argument)
    return std::nullopt;
  Value carried = loop.getTiedLoopYieldedValue(argument)->get();
  if (carried == dot.getD())
    return dot->hasOneUse() ? std::optional(CarriedSum{dot, {}}) : std::nullopt;
  auto branch = carried.getDefiningOp<scf::IfOp>();
  if (!branch || branch->getBlock() != loop.getBody() || !carried.hasOneUse() || branch.getElseRegion().empty() ||
      !isUsedUnder(dot, branch, cast<OpResult>(carried).getResultNumber()))
    return std::nullopt;
  return CarriedSum{dot, branch};
}

/// The products of the body that can continue while the next iteration begins.
SmallVector<CarriedSum> findAccumulations(scf::ForOp loop) {
  SmallVector<CarriedSum> found;
  for (WarpGroupDotOp dot : loop.getBody()->getOps<WarpGroupDotOp>()) {
    bool readsBuffers = isa<MemDescType>(dot.getA().getType()) && outlivesIteration(dot.getA(), loop) &&
                        outlivesIteration(dot.getB(), loop);
    if (readsBuffers && hasWholeRegisters(dot))
      if (std::optional<CarriedSum> accumulation = findAccumulation(loop, dot))
        found.push_back(*accumulation);
  }
  return found;
}

/// If a branch uses the sum, the product must have ended there.
void waitUnderBranch(OpBuilder &builder, const CarriedSum &accumulation, SmallVectorImpl<Region *> &regions) {
  WarpGroupDotOp dot = accumulation.dot;
  for (Region *region : regions) {
    builder.setInsertionPointToStart(&region->front());
    auto over = WarpGroupDotWaitOp::create(builder, dot.getLoc(), dot.getD(), 0u);
    dot.getD().replaceUsesWithIf(over.getOutputs().front(), [&](OpOperand &use) {
      return use.getOwner() != over && region->isAncestor(use.getOwner()->getParentRegion());
    });
  }
}

/// Slots that are released when the products of their iteration are over: in the next one, or behind the loop.
class LateReleases {
public:
  LateReleases(scf::ForOp &loop, llvm::ArrayRef<WarpGroupDotOp> dots) {
    IRRewriter rewriter(loop.getContext());
    for (ArriveBarrierOp release : findReleases(loop, dots)) {
      auto barrier = release.getBarrier().getDefiningOp<MemDescIndexOp>();
      rewriter.setInsertionPoint(loop);
      Value none = arith::ConstantIntOp::create(rewriter, loop.getLoc(), -1, 32);
      loop =
          cast<scf::ForOp>(*loop.replaceWithAdditionalYields(rewriter, none, /*replaceInitOperandUsesInLoop=*/false,
                                                             [&](OpBuilder &, Location, llvm::ArrayRef<BlockArgument>) {
                                                               return SmallVector<Value>{barrier.getIndex()};
                                                             }));
      late.push_back({barrier.getSrc(), barrier.getType(), loop.getNumRegionIterArgs() - 1, release.getAllBlocks()});
      rewriter.eraseOp(release);
    }
  }

  /// Where the products of the iteration before are over.
  void releaseInLoop(OpBuilder &builder, scf::ForOp loop) const {
    for (const Late &slot : late)
      release(builder, slot, loop.getRegionIterArg(slot.index));
  }
  void releaseBehind(OpBuilder &builder, scf::ForOp loop) const {
    for (const Late &slot : late)
      release(builder, slot, loop.getResult(slot.index));
  }

private:
  struct Late {
    Value barriers;
    MemDescType type; ///< of one of them
    unsigned index;   ///< of the slot among what the loop carries; negative: none is in use
    bool allBlocks;   ///< wait for the release
  };

  static void release(OpBuilder &builder, const Late &late, Value slot) {
    Location loc = late.barriers.getLoc();
    Value zero = arith::ConstantIntOp::create(builder, loc, 0, 32);
    Value isInUse = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, slot, zero);
    Value barrier = MemDescIndexOp::create(builder, loc, late.type, late.barriers, slot);
    ArriveBarrierOp::create(builder, loc, barrier, isInUse, ValueRange(), late.allBlocks, /*count=*/IntegerAttr());
  }

  SmallVector<Late> late;
};

/// Whether the body of a loop copies to buffers before `op`: perhaps over those that products of the iteration before
/// still read.
bool copiesBefore(Operation *op) {
  return llvm::any_of(op->getBlock()->getOps<AsyncCopyGlobalToLocalOp>(),
                      [&](AsyncCopyGlobalToLocalOp copy) { return copy->isBeforeInBlock(op); });
}

/// The products of an iteration must have ended when those of the next iteration are issued.
void overlapIterations(scf::ForOp loop) {
  SmallVector<CarriedSum> accumulations = findAccumulations(loop);
  if (accumulations.empty() || copiesBefore(accumulations.back().dot))
    return;
  LateReleases releases(
      loop, llvm::map_to_vector(accumulations, [](const CarriedSum &accumulation) { return accumulation.dot; }));
  OpBuilder builder(loop.getContext());
  SmallVector<Value> sums, carried;
  for (CarriedSum &accumulation : accumulations) {
    accumulation.dot.setIsAsync(true);
    SmallVector<Region *> regions;
    if (accumulation.branch)
      for (Region &region : accumulation.branch->getRegions())
        if (accumulation.isUsedIn(region))
          regions.push_back(&region);
    waitUnderBranch(builder, accumulation, regions);
    sums.push_back(accumulation.dot.getD());
    carried.push_back(loop.getTiedLoopResult(cast<BlockArgument>(accumulation.dot.getC())));
  }
  WarpGroupDotOp newest = accumulations.back().dot;
  builder.setInsertionPointAfter(newest);
  auto wait = WarpGroupDotWaitOp::create(builder, newest.getLoc(), sums, unsigned(sums.size()));
  for (auto [sum, waited] : llvm::zip_equal(sums, wait.getOutputs()))
    sum.replaceAllUsesExcept(waited, wait);
  builder.setInsertionPointAfter(wait);
  releases.releaseInLoop(builder, loop);
  builder.setInsertionPointAfter(loop);
  auto last = WarpGroupDotWaitOp::create(builder, loop.getLoc(), carried, 0u);
  for (auto [result, waited] : llvm::zip_equal(carried, last.getOutputs()))
    result.replaceAllUsesExcept(waited, last);
  builder.setInsertionPointAfter(last);
  releases.releaseBehind(builder, loop);
}

//===----------------------------------------------------------------------===//
// Within a block
//===----------------------------------------------------------------------===//

/// Whether `op` may write a buffer, or may let another thread do so.
bool mayWriteBuffers(Operation *op) {
  SmallVector<BufferAccess> accesses;
  if (auto interface = dyn_cast<SharedMemoryOpInterface>(op))
    interface.getBufferAccesses(accesses);
  bool writes = llvm::any_of(accesses, [](const BufferAccess &access) { return access.isWrite; });
  bool holdsOthers = op->getNumRegions() != 0 && !isMemoryEffectFree(op);
  return writes || holdsOthers || isa<ArriveBarrierOp>(op) || analysis::getScratchBytes(op) != 0 ||
         op->hasTrait<OpTrait::IsTerminator>();
}

/// Whether `op`, or something inside it, has the operand `value`.
bool usesWithin(Operation *op, Value value) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) { return op->isAncestor(user); });
}

/// The operation before which `dot` must have ended: the first use of its result, or the first that may write its
/// buffers.
Operation *findEnd(WarpGroupDotOp dot) {
  Operation *end = dot->getNextNode();
  while (!usesWithin(end, dot.getD()) && !mayWriteBuffers(end))
    end = end->getNextNode();
  return end;
}

/// Whether `dot` goes on while another one that adds to its sum is issued, which nothing else uses: products end in
/// their order, so what waits for that one waits for both.
bool isContinued(WarpGroupDotOp dot) {
  auto next = dot->hasOneUse() ? dyn_cast<WarpGroupDotOp>(*dot->user_begin()) : WarpGroupDotOp();
  if (!next || next.getC() != dot.getD() || next->getBlock() != dot->getBlock() || !hasWholeRegisters(dot) ||
      next.getD().getType() != dot.getD().getType() || next.getMaxNumImpreciseAcc() != 0)
    return false; // Sums of parts are added to the one before by ordinary instructions.
  for (Operation *op = dot->getNextNode(); op != next; op = op->getNextNode())
    if (mayWriteBuffers(op))
      return false;
  return true;
}

/// The registers in which `dot`, and those that it continues, have their operands, as far as they are not among the
/// data that a block is known to hold.
unsigned countOperands(WarpGroupDotOp dot) {
  unsigned registers = 0;
  for (WarpGroupDotOp each = dot; each;) {
    Value left = each.getA();
    bool isKnown = left.getParentBlock() != dot->getBlock() && countRegistersOfData(left) != 0;
    if (isa<RankedTensorType>(left.getType()) && !isKnown)
      registers += countRegisters(left);
    auto previous = each.getC().getDefiningOp<WarpGroupDotOp>();
    each = previous && isContinued(previous) ? previous : WarpGroupDotOp();
  }
  return registers;
}

/// Whether an operand would wait in registers for `dot` alone until `end`, beside more data than they hold.
bool keepsTooMuch(WarpGroupDotOp dot, Operation *end) {
  Value left = dot.getA();
  bool isKept = isa<RankedTensorType>(left.getType()) && llvm::all_of(left.getUsers(), [&](Operation *user) {
                  return user == dot || (user->getBlock() == dot->getBlock() && user->isBeforeInBlock(dot));
                });
  if (!isKept)
    return false;
  unsigned most = 0;
  forEachLiveCount(*dot->getBlock(), [&](Operation *op, unsigned live) {
    if (dot->isBeforeInBlock(op) && op->isBeforeInBlock(end))
      most = std::max(most, live);
  });
  return most + countOperands(dot) > registersOfData(dot);
}

/// Lets a product run beside later operations that do not need it, such as another product. Returns why not.
llvm::StringRef overlapWithin(WarpGroupDotOp dot) {
  if (isContinued(dot)) {
    dot.setIsAsync(true);
    return {};
  }
  Operation *end = findEnd(dot);
  if (!hasWholeRegisters(dot))
    return "sums of 16 bits share registers";
  if (end == dot->getNextNode())
    return "what follows at once needs its result, or writes its operands";
  if (keepsTooMuch(dot, end))
    return "what follows leaves no registers for its operand";
  unsigned later = 0;
  for (Operation *op = dot->getNextNode(); op != end; op = op->getNextNode())
    later += isa<WarpGroupDotOp>(op);
  dot.setIsAsync(true);
  OpBuilder builder(end);
  auto wait = WarpGroupDotWaitOp::create(builder, dot.getLoc(), dot.getD(), later);
  dot.getD().replaceAllUsesExcept(wait.getOutputs().front(), wait);
  return {};
}

/// Says whether a product of a loop goes on while others work, and if not, why.
void report(WarpGroupDotOp dot, llvm::StringRef obstacle) {
  if (!dot->getParentOfType<scf::ForOp>())
    return;
  if (dot.getIsAsync())
    remarks::decided(dot, remarks::product, "Overlap") << "the product goes on while the program does what follows";
  else
    remarks::missed(dot, remarks::product, "Overlap")
        << "the program waits for the product before it does anything else" << remarks::reason("{0}", obstacle);
}

struct TritonGPUOverlapDots : impl::TritonGPUOverlapDotsBase<TritonGPUOverlapDots>, base::OptionalPass {
  void runOnOperation() override {
    if (!gpu::findTarget(getOperation()))
      return signalPassFailure();
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    llvm::for_each(loops, overlapIterations);
    getOperation().walk(
        [](WarpGroupDotOp dot) { report(dot, dot.getIsAsync() ? llvm::StringRef() : overlapWithin(dot)); });
  }
};

} // namespace

} // namespace triton::ttg
