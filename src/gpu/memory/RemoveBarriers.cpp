// Removes barriers and fences that order nothing, see Passes.td.
#include "base/OptionalPass.h"
#include "gpu/analysis/Scratch.h"
#include "gpu/analysis/SharedConflicts.h"
#include "gpu/ir/Dialect.h"
#include "gpu/memory/Passes.h"
#include "gpu/target/TargetInfo.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

#include <map>

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUREMOVEBARRIERS
#include "gpu/memory/Passes.h.inc"

namespace {

unsigned loopDepth(Operation *op) {
  unsigned depth = 0;
  for (auto loop = op->getParentOfType<LoopLikeOpInterface>(); loop;
       loop = loop->getParentOfType<LoopLikeOpInterface>())
    ++depth;
  return depth;
}

/// Whether threads may meet at `op`, or something reads through the asynchronous proxy there.
bool mayPublish(Operation &op) {
  if (isa<LocalAllocOp, LocalStoreOp, LocalLoadOp, tt::LoadOp>(op))
    return false;
  return op.getNumRegions() != 0 || !isMemoryEffectFree(&op) || analysis::getScratchBytes(&op) != 0;
}

/// Removes fences before another one that orders the same writes.
void removeFences(Block &block) {
  FenceAsyncSharedOp last;
  for (Operation &op : block) {
    if (auto fence = dyn_cast<FenceAsyncSharedOp>(op)) {
      if (last)
        last.erase();
      last = fence;
    } else if (mayPublish(op)) {
      last = {};
    }
  }
}

struct TritonGPURemoveBarriers : impl::TritonGPURemoveBarriersBase<TritonGPURemoveBarriers>, base::OptionalPass {
  void runOnOperation() override {
    if (!gpu::findTarget(getOperation()) || failed(analysis::verifyHavePlaces(getOperation())))
      return signalPassFailure();
    getOperation().walk([&](FunctionOpInterface function) { removeFrom(function); });
    getOperation().walk([](Block *block) { removeFences(*block); });
  }

private:
  /// Removes barriers one by one, those that run most often first. Without a redundant barrier, no conflict appears.
  static void removeFrom(FunctionOpInterface function) {
    std::map<unsigned, SmallVector<BarrierOp>, std::greater<>> barriers; // by depth
    function.walk([&](BarrierOp barrier) {
      if (!barrier.getAllWarps() && !barrier.getStays()) // Those order more than accesses of buffers.
        barriers[loopDepth(barrier)].push_back(barrier);
    });
    if (barriers.empty())
      return;
    analysis::SharedConflicts conflicts(function, analysis::SharedConflicts::Precision::Slots);
    llvm::DenseSet<Operation *> absent;
    auto isOrdered = [&] {
      bool ordered = true;
      conflicts.forEach([&](Operation *) { ordered = false; }, absent);
      return ordered;
    };
    if (!isOrdered())
      return; // code whose order differs from that of this analysis is not changed
    for (auto &[depth, ofDepth] : barriers)
      for (BarrierOp barrier : ofDepth) {
        absent.insert(barrier);
        if (!isOrdered())
          absent.erase(barrier);
      }
    for (Operation *barrier : absent)
      barrier->erase();
  }
};

} // namespace

} // namespace triton::ttg
