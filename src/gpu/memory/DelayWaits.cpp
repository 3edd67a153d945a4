// Waits for copies later, see Passes.td.
#include "base/OptionalPass.h"
#include "gpu/analysis/Allocation.h"
#include "gpu/analysis/AsyncTokens.h"
#include "gpu/analysis/Scratch.h"
#include "gpu/ir/Dialect.h"
#include "gpu/memory/Passes.h"
#include "gpu/target/TargetInfo.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUDELAYWAITS
#include "gpu/memory/Passes.h.inc"

namespace {

using analysis::Place;

/// The places that `op` accesses.
SmallVector<Place> findPlaces(Operation *op) {
  SmallVector<Place> places;
  SmallVector<BufferAccess> accesses;
  if (auto interface = dyn_cast<SharedMemoryOpInterface>(op))
    interface.getBufferAccesses(accesses);
  auto add = [&](Operation *owner) {
    if (std::optional<Place> place = analysis::findPlace(owner))
      places.push_back(*place);
  };
  add(op);
  for (const BufferAccess &access : accesses)
    llvm::for_each(analysis::findAllocations(access.buffer), add);
  return places;
}

/// The places that copies write for which `wait` waits.
SmallVector<Place> findDestinations(AsyncWaitOp wait) {
  SmallVector<Place> places;
  for (Operation *copy : analysis::findCopies(wait))
    llvm::append_range(places, findPlaces(copy));
  return places;
}

/// Whether a wait may come after `op` as far as others are concerned: they do not learn from it that the memory from
/// which copies read is free, and it starts no copy.
bool isPrivate(Operation &op) {
  if (auto load = dyn_cast<tt::LoadOp>(op))
    return !load.getIsVolatile();
  if (auto barrier = dyn_cast<BarrierOp>(op))
    return !barrier.getStays();
  return op.getNumRegions() == 0 && !op.hasTrait<OpTrait::IsTerminator>() &&
         (isMemoryEffectFree(&op) || isa<tt::StoreOp, LocalAllocOp, LocalLoadOp, LocalStoreOp, FenceAsyncSharedOp,
                                         WarpGroupDotOp, WarpGroupDotWaitOp>(op));
}

/// Whether `op` must come after `wait`: it may access where the copies write, or let others know of them.
bool needs(Operation &op, AsyncWaitOp wait, llvm::ArrayRef<Place> destinations) {
  if (!isPrivate(op) || llvm::is_contained(op.getOperands(), wait.getToken()))
    return true;
  return llvm::any_of(findPlaces(&op), [&](const Place &place) {
    return llvm::any_of(destinations, [&](const Place &other) { return place.overlaps(other); });
  });
}

struct TritonGPUDelayWaits : impl::TritonGPUDelayWaitsBase<TritonGPUDelayWaits>, base::OptionalPass {
  void runOnOperation() override {
    const gpu::TargetInfo *target = gpu::findTarget(getOperation());
    if (!target || failed(analysis::verifyHavePlaces(getOperation())))
      return signalPassFailure();
    if (target->machine().copiesInLaneOrder)
      return; // A wait counts all accesses of memory there.
    SmallVector<AsyncWaitOp> waits;
    getOperation().walk([&](AsyncWaitOp wait) { waits.push_back(wait); });
    llvm::for_each(waits, delay);
  }

private:
  /// The lanes of a single warp meet cheaply: right before the first operation that needs the wait.
  static void delay(AsyncWaitOp wait) {
    SmallVector<Place> destinations = findDestinations(wait);
    Operation *first = nullptr, *meeting = nullptr, *op = wait->getNextNode();
    for (; op && !needs(*op, wait, destinations); op = op->getNextNode())
      if (isa<BarrierOp>(op) || analysis::getScratchBytes(op) != 0) {
        first = first ? first : op;
        meeting = op;
      }
    bool meetsInside = !isa_and_present<BarrierOp>(meeting);
    if (!meeting || (meeting == first && !meetsInside))
      return;
    if (meetsInside && getNumWarps(wait) == 1) {
      wait->moveBefore(op);
      OpBuilder builder(op);
      BarrierOp::create(builder, wait.getLoc());
    } else {
      wait->moveBefore(meeting);
    }
  }
};

} // namespace

} // namespace triton::ttg
