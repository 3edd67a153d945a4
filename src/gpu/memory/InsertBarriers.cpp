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

/// Threads may have written what lay before in the place of a buffer that a copy fills. The barrier between the two
/// comes behind the fence.
void fenceSharedPlaces(FunctionOpInterface function) {
  SmallVector<AsyncMappedLoadOp> loads;
  function.walk([&](AsyncMappedLoadOp load) {
    if (load.getByFirst())
      loads.push_back(load);
  });
  if (loads.empty())
    return;
  SmallVector<std::pair<Operation *, analysis::Place>> places;
  function.walk([&](Operation *op) {
    if (std::optional<analysis::Place> place = analysis::findPlace(op))
      places.push_back({op, *place});
  });
  for (AsyncMappedLoadOp load : loads) {
    SmallVector<Operation *> own = analysis::findAllocations(load.getDst());
    bool isShared = llvm::any_of(places, [&](const auto &mine) {
      return llvm::is_contained(own, mine.first) && llvm::any_of(places, [&](const auto &other) {
               return !llvm::is_contained(own, other.first) && mine.second.overlaps(other.second);
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
