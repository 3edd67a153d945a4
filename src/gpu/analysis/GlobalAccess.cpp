#include "gpu/analysis/GlobalAccess.h"

#include "gpu/analysis/AccessWidth.h"
#include "gpu/analysis/LayoutCost.h"
#include "gpu/ir/Dialect.h"

using namespace mlir;

namespace triton::ttg {

static Value pointerOf(Operation *op) {
  if (isa<tt::LoadOp, tt::StoreOp, tt::AtomicOpInterface, AsyncCopyGlobalToLocalOp>(op))
    return op->getOperand(0);
  return {};
}

static Value maskOf(Operation *op) {
  if (auto load = dyn_cast<tt::LoadOp>(op))
    return load.getMask();
  if (auto store = dyn_cast<tt::StoreOp>(op))
    return store.getMask();
  if (auto atomic = dyn_cast<tt::AtomicOpInterface>(op))
    return atomic.getMask();
  if (auto copy = dyn_cast<AsyncCopyGlobalToLocalOp>(op))
    return copy.getMask();
  return {};
}

std::optional<GlobalAccess> findGlobalAccess(Operation *op, const analysis::AxisInfoAnalysis &axisInfo,
                                             const gpu::Machine &machine) {
  Value pointer = pointerOf(op);
  if (!pointer || !isa<RankedTensorType>(pointer.getType()))
    return std::nullopt;
  Value mask = maskOf(op);
  GlobalAccess access{op, cast<RankedTensorType>(pointer.getType()), {}};
  analysis::AxisInfo info = axisInfo.getAxisInfo(pointer);
  access.order = llvm::to_vector(llvm::reverse(llvm::seq<unsigned>(0, access.pointers.getRank())));
  llvm::sort(access.order, [&](unsigned left, unsigned right) {
    return std::pair(info.axes[left].contiguity, left) > std::pair(info.axes[right].contiguity, right);
  });
  const analysis::AxisFacts &facts = info.axes[access.order.front()];
  access.isScattered = facts.contiguity == 1;
  int64_t bytes = analysis::getPointeeBytes(access.pointers);
  // What follows an atomic operation in memory is left to the neighbouring lanes, whose operations are done at once.
  auto atomic = dyn_cast<tt::AtomicOpInterface>(op);
  access.widest = (atomic ? analysis::getAtomicBytes(atomic, machine) : machine.accessBytes) / bytes;
  access.width = std::min({facts.contiguity, facts.divisibility / bytes, access.widest});
  // Each vector has one predicate. With a finer mask, accesses are single, and neighbours belong to different lanes.
  if (mask)
    access.width = std::min(access.width, axisInfo.getAxisInfo(mask).axes[access.order.front()].constancy);
  access.width = std::max<int64_t>(1, access.width);
  return access;
}

SmallVector<GlobalAccess> findGlobalAccesses(Operation *root, const analysis::AxisInfoAnalysis &axisInfo,
                                             const gpu::Machine &machine) {
  SmallVector<GlobalAccess> accesses;
  root->walk([&](Operation *op) {
    if (std::optional<GlobalAccess> access = findGlobalAccess(op, axisInfo, machine))
      accesses.push_back(std::move(*access));
  });
  return accesses;
}

/// The elements for each thread along the fastest dimension, for accesses that may share a layout. This is the number
/// for the widest access, but not more than what fills an instruction for the widest elements, if otherwise the runs of
/// a thread would leave gaps between those of its neighbours. Accesses that run less often than others, before or after
/// a loop, may have gaps.
static int64_t sharedWidth(llvm::ArrayRef<const GlobalAccess *> accesses, unsigned threads) {
  double most = 0;
  int64_t width = 1, limit = 0; // of the accesses that run most often
  for (const GlobalAccess *access : accesses) {
    width = std::max(width, access->width);
    double frequency = analysis::executionFrequency(access->op);
    limit = frequency == most ? std::min(limit, access->widest) : frequency > most ? access->widest : limit;
    most = std::max(most, frequency);
  }
  int64_t perThread = std::max<int64_t>(1, accesses.front()->pointers.getNumElements() / threads);
  return std::min({width, limit, perThread, accesses.front()->pointers.getDimSize(accesses.front()->order.front())});
}

Attribute getSharedLayout(llvm::ArrayRef<const GlobalAccess *> accesses, unsigned warps, unsigned lanes) {
  const GlobalAccess &first = *accesses.front();
  SmallVector<unsigned> sizePerThread(first.order.size(), 1);
  sizePerThread[first.order.front()] = unsigned(sharedWidth(accesses, warps * lanes));
  return BlockedEncodingAttr::getDefault(first.pointers.getContext(), first.pointers.getShape(), sizePerThread,
                                         first.order, warps, lanes);
}

} // namespace triton::ttg
