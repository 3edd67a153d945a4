// Gives every access of global memory the layout in which it moves whole cache lines, see Passes.td.
#include "base/OptionalPass.h"
#include "gpu/analysis/EqualValues.h"
#include "gpu/analysis/GlobalAccess.h"
#include "gpu/analysis/LayoutRewriting.h"
#include "gpu/ir/Dialect.h"
#include "gpu/layouts/Passes.h"
#include "gpu/target/TargetInfo.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUCOALESCE
#include "gpu/layouts/Passes.h.inc"

namespace {

/// The elements for each thread along the fastest dimension, for accesses that may share a layout. This is the number
/// for the widest access, but not more than what fills an instruction for the widest elements, if otherwise the runs of
/// a thread would leave gaps between those of its neighbours.
int64_t sharedWidth(llvm::ArrayRef<const GlobalAccess *> accesses, unsigned threads) {
  int64_t width = 1, limit = std::numeric_limits<int64_t>::max();
  for (const GlobalAccess *access : accesses) {
    width = std::max(width, access->width);
    limit = std::min(limit, access->widest);
  }
  int64_t perThread = std::max<int64_t>(1, accesses.front()->pointers.getNumElements() / threads);
  return std::min({width, limit, perThread, accesses.front()->pointers.getDimSize(accesses.front()->order.front())});
}

struct TritonGPUCoalesce : impl::TritonGPUCoalesceBase<TritonGPUCoalesce>, base::OptionalPass {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    const gpu::TargetInfo *target = gpu::findTarget(module);
    if (!target)
      return signalPassFailure();
    analysis::AxisInfoAnalysis axisInfo(module);
    module.walk([&](FunctionOpInterface function) { coalesce(function, axisInfo, target->machine()); });
  }

private:
  void coalesce(FunctionOpInterface function, const analysis::AxisInfoAnalysis &axisInfo, const gpu::Machine &machine) {
    SmallVector<GlobalAccess> accesses = findGlobalAccesses(function, axisInfo, machine);
    // Accesses through equal pointers of which one is a write meet in memory. With the same layout, each thread
    // accesses its own elements, in order.
    analysis::EqualValues equal(function);
    auto pointerOf = [&](const GlobalAccess &access) { return equal.firstOf(access.pointer()); };
    llvm::DenseSet<Value> written, wide;
    for (const GlobalAccess &access : accesses)
      if (!isa<tt::LoadOp>(access.op))
        written.insert(pointerOf(access));
    for (const GlobalAccess &access : accesses)
      if (access.isWide() && written.contains(pointerOf(access)))
        wide.insert(pointerOf(access));
    // Accesses with the same shape and order meet in computations, where a common layout saves conversions. Accesses
    // that move single elements, or pairs atomically, stay separate, because a thread's long run would scatter them.
    using Key = std::pair<SmallVector<int64_t>, std::pair<SmallVector<unsigned>, int64_t>>;
    constexpr int64_t any = 0;
    std::map<Key, SmallVector<const GlobalAccess *>> groups;
    for (const GlobalAccess &access : accesses)
      groups[{SmallVector<int64_t>(access.pointers.getShape()),
              {access.order, access.isWide() || wide.contains(pointerOf(access)) ? any : access.width}}]
          .push_back(&access);

    unsigned numWarps = getNumWarps(function), threadsPerWarp = getThreadsPerWarp(function);
    for (auto &[key, group] : groups) {
      const GlobalAccess &first = *group.front();
      SmallVector<unsigned> sizePerThread(first.order.size(), 1);
      sizePerThread[first.order.front()] = unsigned(sharedWidth(group, numWarps * threadsPerWarp));
      Attribute encoding = BlockedEncodingAttr::getDefault(&getContext(), first.pointers.getShape(), sizePerThread,
                                                           first.order, numWarps, threadsPerWarp);
      for (const GlobalAccess *access : group)
        setEncodingAround(access->op, encoding);
    }
  }
};

} // namespace

} // namespace triton::ttg
