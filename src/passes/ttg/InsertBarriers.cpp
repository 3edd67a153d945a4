// Puts barriers between dependent accesses of shared memory, see Passes.td.
#include "analysis/Allocation.h"
#include "analysis/Scratch.h"
#include "ir/gpu/Dialect.h"
#include "passes/ttg/Passes.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUINSERTBARRIERS
#include "passes/ttg/Passes.h.inc"

namespace {

/// Bytes [begin, end) of shared memory.
struct Interval {
  int64_t begin, end;
  bool operator==(const Interval &) const = default;
};

/// What may have been accessed since the last barrier on some path.
struct Pending {
  SmallVector<Interval> reads, writes;

  static bool overlap(llvm::ArrayRef<Interval> left, llvm::ArrayRef<Interval> right) {
    return llvm::any_of(left, [&](const Interval &a) {
      return llvm::any_of(right, [&](const Interval &b) { return a.begin < b.end && b.begin < a.end; });
    });
  }
  /// Whether `later` must not start before every thread finished what is pending.
  bool conflictsWith(const Pending &later) const {
    return overlap(writes, later.reads) || overlap(writes, later.writes) || overlap(reads, later.writes);
  }
  /// Adds what `other` has; returns whether that was more.
  bool merge(const Pending &other) {
    bool changed = false;
    auto add = [&](SmallVector<Interval> &to, llvm::ArrayRef<Interval> from) {
      for (const Interval &interval : from)
        if (!llvm::is_contained(to, interval)) {
          to.push_back(interval);
          changed = true;
        }
    };
    add(reads, other.reads);
    add(writes, other.writes);
    return changed;
  }
  void clear() {
    reads.clear();
    writes.clear();
  }
};

int64_t offsetOf(Operation *op) { return op->getAttrOfType<IntegerAttr>(allocationOffsetAttribute).getInt(); }

Interval allocationInterval(Operation *allocation) {
  auto type = cast<LocalAllocOp>(allocation).getType();
  int64_t bytes = std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
  for (int64_t extent : type.getShape())
    bytes *= extent;
  return {offsetOf(allocation), offsetOf(allocation) + bytes};
}

/// What one operation reads and writes in shared memory. Scratch is written and read by an operation that synchronizes
/// inside; to the outside it starts with a write and ends with a read.
Pending accessesOf(Operation *op) {
  Pending accesses;
  auto addBuffer = [&](Value view, SmallVector<Interval> &intervals) {
    for (Operation *allocation : analysis::findAllocations(view))
      intervals.push_back(allocationInterval(allocation));
  };
  if (auto load = dyn_cast<LocalLoadOp>(op)) {
    addBuffer(load.getSrc(), accesses.reads);
  } else if (auto store = dyn_cast<LocalStoreOp>(op)) {
    addBuffer(store.getDst(), accesses.writes);
  } else if (auto alloc = dyn_cast<LocalAllocOp>(op)) {
    if (alloc.getSrc())
      accesses.writes.push_back(allocationInterval(op));
  } else if (auto copy = dyn_cast<AsyncCopyGlobalToLocalOp>(op)) {
    addBuffer(copy.getDst(), accesses.writes);
  } else if (std::size_t scratch = analysis::getScratchBytes(op)) {
    Interval interval{offsetOf(op), offsetOf(op) + int64_t(scratch)};
    accesses.writes.push_back(interval);
    accesses.reads.push_back(interval);
  }
  return accesses;
}

struct TritonGPUInsertBarriers : impl::TritonGPUInsertBarriersBase<TritonGPUInsertBarriers> {
  void runOnOperation() override {
    getOperation().walk([&](FunctionOpInterface function) {
      copied.clear();
      function.walk([&](AsyncCopyGlobalToLocalOp copy) { copied.merge(accessesOf(copy)); });
      for (Block &block : function.getFunctionBody()) {
        Pending pending;
        visit(block, pending);
      }
    });
  }

private:
  /// What asynchronous copies of the function write.
  Pending copied;

  static void insertBefore(Operation *op) {
    OpBuilder builder(op);
    BarrierOp::create(builder, op->getLoc());
  }

  /// Walks a block with what is pending on entry; leaves in `pending` what is at its end.
  void visit(Block &block, Pending &pending) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (isa<BarrierOp>(op)) {
        pending.clear();
        continue;
      }
      // A wait says that this thread's copies arrived; the others' are there only after a barrier, so that the copies
      // count as writes of the wait, whatever barriers stood between.
      if (isa<AsyncWaitOp>(op)) {
        pending.merge(copied);
        continue;
      }
      if (op.getNumRegions() != 0 && !isa<tt::ReduceOp, tt::ScanOp>(op)) {
        visitRegions(op, pending);
        continue;
      }
      Pending accesses = accessesOf(&op);
      if (pending.conflictsWith(accesses)) {
        insertBefore(&op);
        pending.clear();
      }
      // Inside an operation with scratch the write is followed by a barrier; only its reads remain pending.
      if (analysis::getScratchBytes(&op) && !isa<LocalAllocOp, LocalLoadOp, LocalStoreOp>(op)) {
        pending.clear();
        accesses.writes.clear();
      }
      pending.merge(accesses);
    }
  }

  /// Branches join what each leaves; loops repeat until what is pending at their start no longer grows.
  void visitRegions(Operation &op, Pending &pending) {
    bool isLoop = isa<LoopLikeOpInterface>(op);
    Pending entry = pending, after = pending;
    bool grows = true;
    while (grows) {
      grows = false;
      Pending current = entry;
      for (Region &region : op.getRegions())
        for (Block &block : region) {
          Pending state = isLoop ? current : entry;
          visit(block, state);
          after.merge(state);
          if (isLoop)
            current = state;
        }
      if (isLoop)
        grows = entry.merge(current);
    }
    pending = after;
  }
};

} // namespace

} // namespace triton::ttg
