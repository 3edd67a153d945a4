// Gives every access of global memory the layout in which it moves whole lines, see Passes.td.
#include "analysis/AxisInfo.h"
#include "ir/gpu/Dialect.h"
#include "passes/ttg/LayoutRewriting.h"
#include "passes/ttg/Passes.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUCOALESCE
#include "passes/ttg/Passes.h.inc"

namespace {

/// An access through a tensor of pointers, and how it may be done.
struct Access {
  Operation *op;
  RankedTensorType pointers;
  SmallVector<unsigned> order; ///< the dimension with the longest runs in memory first
  int64_t width = 1;           ///< elements that one instruction may move
};

Value pointerOf(Operation *op) {
  if (isa<tt::LoadOp, tt::StoreOp, tt::AtomicRMWOp, tt::AtomicCASOp>(op))
    return op->getOperand(0);
  return {};
}

Value maskOf(Operation *op) {
  if (auto load = dyn_cast<tt::LoadOp>(op))
    return load.getMask();
  if (auto store = dyn_cast<tt::StoreOp>(op))
    return store.getMask();
  if (auto atomic = dyn_cast<tt::AtomicRMWOp>(op))
    return atomic.getMask();
  return {};
}

int64_t elementsOf16Bytes(const Access &access) { return 16 / analysis::getPointeeBytes(access.pointers); }

Access describe(Operation *op, const analysis::AxisInfoAnalysis &axisInfo) {
  Value pointer = pointerOf(op), mask = maskOf(op);
  Access access{op, cast<RankedTensorType>(pointer.getType()), {}};
  analysis::AxisInfo info = axisInfo.getAxisInfo(pointer);
  access.order = llvm::to_vector(llvm::reverse(llvm::seq<unsigned>(0, access.pointers.getRank())));
  llvm::stable_sort(access.order, [&](unsigned left, unsigned right) {
    return info.axes[left].contiguity > info.axes[right].contiguity;
  });
  const analysis::AxisFacts &facts = info.axes[access.order.front()];
  access.width = std::min({facts.contiguity, facts.divisibility / int64_t(analysis::getPointeeBytes(access.pointers)),
                           elementsOf16Bytes(access)});
  // Each vector has one predicate: with a finer mask the accesses are single, and neighbours belong to different lanes.
  if (mask)
    access.width = std::min(access.width, axisInfo.getAxisInfo(mask).axes[access.order.front()].constancy);
  access.width = std::max<int64_t>(1, access.width);
  return access;
}

/// Elements for each thread along the fastest dimension, for accesses that may share a layout: the widest access, but
/// no more than 16 bytes of the widest elements, where runs of a thread would leave gaps between its neighbours'.
int64_t sharedWidth(llvm::ArrayRef<const Access *> accesses, unsigned threads) {
  int64_t width = 1, limit = 16;
  for (const Access *access : accesses) {
    width = std::max(width, access->width);
    limit = std::min(limit, elementsOf16Bytes(*access));
  }
  int64_t perThread = std::max<int64_t>(1, accesses.front()->pointers.getNumElements() / threads);
  return std::min({width, limit, perThread, accesses.front()->pointers.getDimSize(accesses.front()->order.front())});
}

struct TritonGPUCoalesce : impl::TritonGPUCoalesceBase<TritonGPUCoalesce> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    analysis::AxisInfoAnalysis axisInfo(module);
    module.walk([&](FunctionOpInterface function) { coalesce(function, axisInfo); });
  }

private:
  void coalesce(FunctionOpInterface function, const analysis::AxisInfoAnalysis &axisInfo) {
    SmallVector<Access> accesses;
    function.walk([&](Operation *op) {
      if (Value pointer = pointerOf(op); pointer && isa<RankedTensorType>(pointer.getType()))
        accesses.push_back(describe(op, axisInfo));
    });
    // Accesses of one shape and order meet in computations, where a common layout saves conversions. Those that move
    // single elements stay apart: a thread's long run would scatter its accesses.
    using Key = std::pair<SmallVector<int64_t>, std::pair<SmallVector<unsigned>, bool>>;
    std::map<Key, SmallVector<const Access *>> groups;
    for (const Access &access : accesses)
      groups[{SmallVector<int64_t>(access.pointers.getShape()), {access.order, access.width > 1}}].push_back(&access);

    unsigned numWarps = getNumWarps(function), threadsPerWarp = getThreadsPerWarp(function);
    for (auto &[key, group] : groups) {
      const Access &first = *group.front();
      SmallVector<unsigned> sizePerThread(first.order.size(), 1);
      sizePerThread[first.order.front()] = unsigned(sharedWidth(group, numWarps * threadsPerWarp));
      Attribute encoding = BlockedEncodingAttr::getDefault(&getContext(), first.pointers.getShape(), sizePerThread,
                                                           first.order, numWarps, threadsPerWarp);
      for (const Access *access : group)
        setEncodingAround(access->op, encoding);
    }
  }
};

} // namespace

} // namespace triton::ttg
