// Inserts barriers between dependent accesses of shared memory, see Passes.td.
#include "gpu/analysis/Allocation.h"
#include "gpu/analysis/Scratch.h"
#include "gpu/analysis/SharedConflicts.h"
#include "gpu/ir/Dialect.h"
#include "gpu/memory/Passes.h"
#include "gpu/target/TargetInfo.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUINSERTBARRIERS
#include "gpu/memory/Passes.h.inc"

namespace {

/// Bytes of shared memory that belong to an operation.
struct Place {
  Operation *owner;
  int64_t begin, end;
};

SmallVector<Place> findPlaces(FunctionOpInterface function) {
  SmallVector<Place> places;
  function.walk([&](Operation *op) {
    auto offset = op->getAttrOfType<IntegerAttr>(allocationOffsetAttribute);
    auto alloc = dyn_cast<LocalAllocOp>(op);
    std::size_t bytes = alloc ? analysis::getBufferBytes(alloc.getType()) : analysis::getScratchBytes(op);
    if (offset && bytes != 0)
      places.push_back({op, offset.getInt(), offset.getInt() + int64_t(bytes)});
  });
  return places;
}

/// Threads may have written what lay before in the place of a buffer that a copy fills. The barrier between the two
/// comes behind the fence.
void fenceSharedPlaces(FunctionOpInterface function) {
  SmallVector<AsyncMappedLoadOp> loads;
  function.walk([&](AsyncMappedLoadOp load) {
    if (load.getByFirst())
      loads.push_back(load);
  });
  SmallVector<Place> places = loads.empty() ? SmallVector<Place>() : findPlaces(function);
  for (AsyncMappedLoadOp load : loads) {
    SmallVector<Operation *> own = analysis::findAllocations(load.getDst());
    bool isShared = llvm::any_of(places, [&](const Place &mine) {
      return llvm::is_contained(own, mine.owner) && llvm::any_of(places, [&](const Place &other) {
               return !llvm::is_contained(own, other.owner) && mine.begin < other.end && other.begin < mine.end;
             });
    });
    if (isShared) {
      OpBuilder builder(load);
      FenceAsyncSharedOp::create(builder, load.getLoc());
    }
  }
}

struct TritonGPUInsertBarriers : impl::TritonGPUInsertBarriersBase<TritonGPUInsertBarriers> {
  void runOnOperation() override {
    if (!gpu::findTarget(getOperation()) || failed(analysis::verifyHavePlaces(getOperation())))
      return signalPassFailure();
    using analysis::SharedConflicts;
    getOperation().walk([&](FunctionOpInterface function) {
      fenceSharedPlaces(function);
      SharedConflicts(function, SharedConflicts::Precision::Bytes).forEach([](Operation *op) {
        OpBuilder builder(op);
        BarrierOp::create(builder, op->getLoc());
      });
    });
  }
};

} // namespace

} // namespace triton::ttg
