// Gives every access of global memory the layout in which it moves whole cache lines, see Passes.td.
#include "base/OptionalPass.h"
#include "gpu/analysis/CopiedLoads.h"
#include "gpu/analysis/EqualValues.h"
#include "gpu/analysis/GlobalAccess.h"
#include "gpu/analysis/LayoutRewriting.h"
#include "gpu/ir/Dialect.h"
#include "gpu/layouts/CarriedValues.h"
#include "gpu/layouts/MeetingValues.h"
#include "gpu/layouts/Passes.h"
#include "gpu/target/TargetInfo.h"
#include "ir/CombinationOrder.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUCOALESCE
#include "gpu/layouts/Passes.h.inc"

namespace {

/// Pointers that are computed from each other, or carried by a loop or branch as the same value.
llvm::EquivalenceClasses<Value> findOrigins(FunctionOpInterface function) {
  llvm::EquivalenceClasses<Value> origins;
  auto isPointer = [](Value value) { return isa<tt::PointerType>(getElementTypeOrSelf(value.getType())); };
  function->walk([&](Operation *op) {
    forEachCarriedValue(op, [&](ArrayRef<Value> members, ArrayRef<OpOperand *> incoming) {
      for (Value member : members)
        origins.unionSets(members.front(), member);
      for (OpOperand *operand : incoming)
        origins.unionSets(members.front(), operand->get());
    });
    if (op->getNumRegions() == 0 && isMemoryEffectFree(op))
      for (Value result : llvm::make_filter_range(op->getResults(), isPointer))
        for (Value operand : llvm::make_filter_range(op->getOperands(), isPointer))
          origins.unionSets(result, operand);
  });
  return origins;
}

/// The accesses of a function that share layouts: they meet, and have the same shape and order.
class AccessGroups {
public:
  using Group = SmallVector<const GlobalAccess *>;

  /// Accesses through pointers of one origin of which one is a write meet in memory. With the same layout, each thread
  /// accesses its own elements, in order.
  /// What copies bring ahead is read from shared memory in any layout, so only its own width matters.
  AccessGroups(FunctionOpInterface function, ArrayRef<GlobalAccess> accesses, int64_t numStages)
      : equal(function), meeting(function) {
    llvm::EquivalenceClasses<Value> origins = findOrigins(function);
    auto originOf = [&](const GlobalAccess &access) { return origins.getOrInsertLeaderValue(access.pointer()); };
    llvm::DenseMap<Value, Value> written;
    llvm::DenseSet<Value> writtenPointers;
    for (const GlobalAccess &access : accesses)
      if (!isa<tt::LoadOp>(access.op)) {
        written.try_emplace(originOf(access), dataOf(access));
        writtenPointers.insert(pointerOf(access));
      }
    for (const GlobalAccess &access : accesses) {
      if (auto found = written.find(originOf(access)); found != written.end())
        meeting.join(found->second, dataOf(access));
      else if (auto load = dyn_cast<tt::LoadOp>(access.op); load && isCopiedAhead(load, access.width, numStages))
        copied.insert(load);
      if (access.isWide() && writtenPointers.contains(pointerOf(access)))
        wide.insert(pointerOf(access));
    }
    add(accesses);
    function->walk([&](tt::ReduceOp op) {
      if (tt::keepsOrder(op))
        for (Value operand : op.getSrcs())
          if (meeting.isData(operand))
            ordered[meeting.firstOf(operand)].push_back(op);
    });
  }

  auto all() const { return llvm::make_second_range(groups); }

  /// The dimensions along which what `group` moves is reduced in order. Blocks of other shapes may meet it in memory.
  SmallVector<unsigned> orderedAxes(const Group &group) const {
    SmallVector<unsigned> axes;
    for (tt::ReduceOp op : ordered.lookup(meeting.firstOf(dataOf(*group.front()))))
      if (op.getInputTypes().front().getShape() == group.front()->pointers.getShape())
        axes.push_back(op.getAxis());
    return axes;
  }

private:
  /// The number of what accesses meet, in program order; the width; shape and order.
  using Key = std::tuple<unsigned, int64_t, ArrayRef<int64_t>, ArrayRef<unsigned>>;
  static constexpr int64_t anyWidth = 0;

  Value pointerOf(const GlobalAccess &access) const { return equal.firstOf(access.pointer()); }

  /// What is loaded or stored, or the pointer if that depends on nothing.
  Value dataOf(const GlobalAccess &access) const {
    if (isa<tt::LoadOp>(access.op))
      return access.op->getResult(0);
    auto operands =
        llvm::make_filter_range(access.op->getOperands(), [&](Value value) { return meeting.isData(value); });
    return operands.empty() ? access.pointer() : *operands.begin();
  }

  Group &groupOf(const GlobalAccess &access, int64_t width) {
    unsigned number = numbers.try_emplace(meeting.firstOf(dataOf(access)), numbers.size()).first->second;
    return groups[{number, width, access.pointers.getShape(), access.order}];
  }

  /// A common layout saves conversions where accesses meet. Accesses that move single elements, or neighbours
  /// atomically, stay separate, because a thread's long run would scatter them; so do copied loads of different widths.
  void add(ArrayRef<GlobalAccess> accesses) {
    for (const GlobalAccess &access : accesses) {
      bool isWide = access.isWide() || wide.contains(pointerOf(access));
      groupOf(access, isWide && !copied.contains(access.op) ? anyWidth : access.width).push_back(&access);
    }
  }

  analysis::EqualValues equal;
  MeetingValues meeting;
  llvm::DenseSet<Value> wide;         ///< pointers through which some access may be wide and some one writes
  llvm::DenseSet<Operation *> copied; ///< loads that copies bring ahead
  llvm::DenseMap<Value, unsigned> numbers;
  std::map<Key, Group> groups;
  llvm::DenseMap<Value, SmallVector<tt::ReduceOp>> ordered; ///< by the first of the values that meet
};

/// `layout` with the elements of each thread side by side along `axes`, too. A reduction that combines them in order
/// would otherwise combine those of other threads before.
Attribute gatherAlong(ArrayRef<unsigned> axes, BlockedEncodingAttr layout, ArrayRef<int64_t> shape) {
  SmallVector<unsigned> perThread(layout.getSizePerThread());
  for (unsigned axis : axes)
    if (axis != layout.getOrder().front())
      perThread[axis] = std::max<unsigned>(
          perThread[axis], shape[axis] / (layout.getThreadsPerWarp()[axis] * layout.getWarpsPerCTA()[axis]));
  return BlockedEncodingAttr::get(layout.getContext(), perThread, layout.getThreadsPerWarp(), layout.getWarpsPerCTA(),
                                  layout.getOrder());
}

struct TritonGPUCoalesce : impl::TritonGPUCoalesceBase<TritonGPUCoalesce>, base::OptionalPass {
  using TritonGPUCoalesceBase::TritonGPUCoalesceBase;

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
    unsigned numWarps = getNumWarps(function), threadsPerWarp = getThreadsPerWarp(function);
    SmallVector<GlobalAccess> accesses = findGlobalAccesses(function, axisInfo, machine);
    AccessGroups groups(function, accesses, numStages);
    for (const AccessGroups::Group &group : groups.all()) {
      auto shared = cast<BlockedEncodingAttr>(getSharedLayout(group, numWarps, threadsPerWarp));
      Attribute encoding = gatherAlong(groups.orderedAxes(group), shared, group.front()->pointers.getShape());
      for (const GlobalAccess *access : group)
        setEncodingAround(access->op, encoding);
    }
  }
};

} // namespace

} // namespace triton::ttg
