#include "gpu/analysis/SharedConflicts.h"

#include "gpu/analysis/Allocation.h"
#include "gpu/analysis/AsyncTokens.h"
#include "gpu/analysis/EqualValues.h"
#include "gpu/analysis/Scratch.h"
#include "gpu/ir/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"

#include <limits>

using namespace mlir;

namespace triton::analysis {

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

bool SharedPlace::mayOverlap(const SharedPlace &other) const {
  if (begin >= other.end || other.begin >= end)
    return false;
  return !ring || ring != other.ring || loop != other.loop || slot == other.slot;
}

static bool overlap(llvm::ArrayRef<SharedPlace> left, llvm::ArrayRef<SharedPlace> right) {
  return llvm::any_of(left, [&](const SharedPlace &a) {
    return llvm::any_of(right, [&](const SharedPlace &b) { return a.mayOverlap(b); });
  });
}

static bool meet(llvm::ArrayRef<Value> left, llvm::ArrayRef<Value> right) {
  return llvm::any_of(left, [&](Value pointer) { return llvm::is_contained(right, pointer); });
}

/// Of all threads that hold an element of global memory, one thread stores it, and its stores keep their order.
bool SharedAccesses::conflictsWith(const SharedAccesses &later) const {
  return overlap(writes, later.reads) || overlap(writes, later.writes) || overlap(reads, later.writes) ||
         meet(stored, later.loaded) || meet(loaded, later.stored);
}

bool SharedAccesses::overwritesProduct(const SharedAccesses &later) const {
  return llvm::any_of(products, [&](const auto &read) { return overlap(read, later.writes); });
}

bool SharedAccesses::merge(const SharedAccesses &other) {
  bool changed = false;
  auto add = [&](auto &to, const auto &from) {
    for (const auto &place : from)
      if (!llvm::is_contained(to, place)) {
        to.push_back(place);
        changed = true;
      }
  };
  add(reads, other.reads);
  add(writes, other.writes);
  add(loaded, other.loaded);
  add(stored, other.stored);
  if (products.size() < other.products.size())
    products.resize(other.products.size());
  for (auto [to, from] : llvm::zip(products, other.products))
    add(to, from);
  return changed;
}

void SharedAccesses::clear() {
  auto underWay = std::move(products);
  *this = SharedAccesses();
  products = std::move(underWay);
}

void SharedAccesses::startProduct(llvm::ArrayRef<SharedPlace> places) {
  products.insert(products.begin(), SmallVector<SharedPlace, 2>(places));
  // In a loop that never waits, the oldest products cannot be distinguished.
  constexpr unsigned mostProducts = 16;
  while (products.size() > mostProducts) {
    SmallVector<SharedPlace, 2> oldest = products.pop_back_val();
    for (const SharedPlace &place : oldest)
      if (!llvm::is_contained(products.back(), place))
        products.back().push_back(place);
  }
}

void SharedAccesses::finishProducts(unsigned pendings) {
  for (; products.size() > pendings; products.pop_back())
    for (const SharedPlace &place : products.back())
      if (!llvm::is_contained(reads, place))
        reads.push_back(place);
}

/// The same accesses with `change` applied to each place.
static SharedAccesses transformed(const SharedAccesses &accesses, llvm::function_ref<void(SharedPlace &)> change) {
  SharedAccesses result = accesses;
  llvm::for_each(result.reads, change);
  llvm::for_each(result.writes, change);
  for (auto &places : result.products)
    llvm::for_each(places, change);
  return result;
}

static SharedAccesses withoutSlots(const SharedAccesses &accesses) {
  return transformed(accesses, [](SharedPlace &place) { place = {place.begin, place.end}; });
}

/// The accesses before the first iteration of `loop`, which has the number 0.
static SharedAccesses entering(Operation *loop, const SharedAccesses &accesses) {
  return transformed(accesses, [&](SharedPlace &place) {
    if (place.ring && !place.loop)
      place.loop = loop;
  });
}

/// The accesses as seen from the next iteration of `loop`, whose number is larger by one.
static SharedAccesses advanced(Operation *loop, const SharedAccesses &accesses) {
  return transformed(accesses, [&](SharedPlace &place) {
    if (place.loop == loop)
      place.slot = (place.slot + place.slots - 1) % place.slots;
  });
}

static SharedAccesses leaving(Operation *loop, const SharedAccesses &accesses) {
  return transformed(accesses, [&](SharedPlace &place) {
    if (place.loop == loop)
      place = {place.begin, place.end};
  });
}

//===----------------------------------------------------------------------===//
// What operations access
//===----------------------------------------------------------------------===//

/// The place of an allocation or of scratch, which has one.
static SharedPlace placeOf(Operation *op) {
  Place place = findPlace(op).value();
  return {place.begin, place.end};
}

/// The slot that precedes `index` in a ring of `slots` slots, if a `ttg.advance_slot` says so.
static Value slotBefore(Value index, int64_t slots) {
  auto advance = index.getDefiningOp<ttg::AdvanceSlotOp>();
  return advance && int64_t(advance.getSlots()) == slots ? advance.getSlot() : Value();
}

/// Sets the slot to which `index` refers: a constant, or a counter that a loop advances by one slot in each iteration.
static void setSlot(SharedPlace &place, Operation *ring, Value index, int64_t slots) {
  int64_t steps = 0;
  while (Value before = slotBefore(index, slots)) {
    index = before;
    ++steps;
  }
  Operation *loop = nullptr;
  Value first = index;
  if (auto argument = dyn_cast<BlockArgument>(index)) {
    auto counting = dyn_cast_or_null<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!counting || argument == counting.getInductionVar() ||
        slotBefore(counting.getTiedLoopYieldedValue(argument)->get(), slots) != argument)
      return;
    first = counting.getTiedLoopInit(argument)->get();
    loop = counting;
  }
  std::optional<int64_t> constant = getConstantIntValue(first);
  if (!constant || *constant < 0 || *constant >= slots)
    return;
  place.ring = ring;
  place.loop = loop;
  place.slot = (*constant + steps) % slots;
  place.slots = slots;
}

/// The view of which `view` shows all elements, or a part.
static Value findWholeView(Value view) {
  while (isa_and_nonnull<ttg::MemDescTransOp, ttg::MemDescSubsliceOp>(view.getDefiningOp()))
    view = view.getDefiningOp()->getOperand(0);
  return view;
}

/// The slot of a ring that `view` shows. If that is not known, all bytes to which the view may refer.
static void appendPlaces(Value view, SharedConflicts::Precision precision, SmallVectorImpl<SharedPlace> &places) {
  if (precision == SharedConflicts::Precision::Slots) {
    if (auto index = findWholeView(view).getDefiningOp<ttg::MemDescIndexOp>())
      if (auto ring = index.getSrc().getDefiningOp<ttg::LocalAllocOp>()) {
        SharedPlace place = placeOf(ring);
        setSlot(place, ring, index.getIndex(), ring.getType().getShape().front());
        places.push_back(place);
        return;
      }
  }
  for (Operation *allocation : findAllocations(view))
    places.push_back(placeOf(allocation));
}

/// Whether several threads hold what is accessed through `pointer`, which is the case for scalars and for tensors that
/// are smaller than the block.
static bool isHeldByMany(Value pointer) {
  auto tensor = dyn_cast<RankedTensorType>(pointer.getType());
  if (!tensor)
    return true;
  return llvm::any_of(ttg::toLinearLayout(tensor).freeVariables(),
                      [](const auto &input) { return input.first != "register" && input.second != 0; });
}

static SharedAccesses accessesOf(Operation *op, SharedConflicts::Precision precision) {
  SharedAccesses accesses;
  // Accesses through equal pointers have the same layout, see tritongpu-coalesce. If each element belongs to one
  // thread, they keep their order.
  if (isa<tt::LoadOp, tt::StoreOp, tt::AtomicOpInterface>(op) && isHeldByMany(op->getOperand(0)))
    (isa<tt::LoadOp>(op) ? accesses.loaded : accesses.stored).push_back(op->getOperand(0));
  SmallVector<ttg::BufferAccess> buffers;
  if (auto interface = dyn_cast<ttg::SharedMemoryOpInterface>(op))
    interface.getBufferAccesses(buffers);
  SmallVector<SharedPlace, 2> underWay;
  for (const ttg::BufferAccess &access : buffers) {
    appendPlaces(access.buffer, precision, access.isWrite ? accesses.writes : accesses.reads);
    if (access.isAsynchronous && !access.isWrite)
      appendPlaces(access.buffer, precision, underWay);
  }
  if (!underWay.empty())
    accesses.products.push_back(std::move(underWay));
  if (getScratchBytes(op) != 0) {
    // Seen from outside, such an operation starts with a write and ends with a read.
    SharedPlace place = placeOf(op);
    accesses.writes.push_back(place);
    accesses.reads.push_back(place);
  }
  return accesses;
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

static ttg::Synchronization synchronizationOf(Operation &op) {
  if (isa<mlir::gpu::BarrierOp>(op))
    return ttg::Synchronization::Block;
  auto interface = dyn_cast<ttg::SharedMemoryOpInterface>(op);
  return interface ? interface.getSynchronization() : ttg::Synchronization::None;
}

class SharedConflicts::Walk {
public:
  Walk(const SharedConflicts &conflicts, llvm::function_ref<void(Operation *)> handle,
       const llvm::DenseSet<Operation *> &absent)
      : conflicts(conflicts), handle(handle), absent(absent) {}

  /// Visits a block. `pending` are the accesses on entry, and afterwards those at the end.
  void visit(Block &block, SharedAccesses &pending) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (isa<ttg::WarpSpecializeOp>(op)) { // All warps meet before they part, and afterwards.
        pending.clear();
        visitBranches(op, pending);
        pending.clear();
        continue;
      }
      ttg::Synchronization synchronization = synchronizationOf(op);
      if (synchronization == ttg::Synchronization::Block) {
        if (!absent.contains(&op))
          pending.clear();
      } else if (synchronization == ttg::Synchronization::Copies) {
        // The wait says that this thread's copies have arrived. Those of other threads are there only after a barrier,
        // so the copies count as writes of the wait, whatever barriers came before it.
        pending.merge(conflicts.arrivals.at(&op));
      } else if (synchronization == ttg::Synchronization::Products) {
        pending.finishProducts(cast<ttg::WarpGroupDotWaitOp>(op).getPendings());
      } else if (isa<CallOpInterface>(op)) {
        visitCall(op, pending);
      } else if (op.getNumRegions() != 0 && !isa<tt::ReduceOp, tt::ScanOp>(op)) {
        isa<LoopLikeOpInterface>(op) ? visitLoop(op, pending) : visitBranches(op, pending);
      } else {
        visitAccess(op, pending);
      }
    }
  }

private:
  void visitAccess(Operation &op, SharedAccesses &pending) {
    auto found = conflicts.accesses.find(&op);
    if (found == conflicts.accesses.end())
      return;
    if (pending.conflictsWith(found->second) || (!conflicts.hasOwnWaits && pending.overwritesProduct(found->second))) {
      handle(&op);
      pending.clear();
    }
    if (isa<ttg::AsyncMappedLoadOp>(op))
      return; // A barrier in shared memory orders what follows.
    if (!conflicts.synchronizing.contains(&op)) {
      SharedAccesses own = found->second;
      if (!own.products.empty())
        pending.startProduct(own.products.pop_back_val());
      pending.merge(own);
      if (auto dot = dyn_cast<ttg::WarpGroupDotOp>(op); dot && !dot.getIsAsync())
        pending.finishProducts(0); // It waits for its own product, and products end in their order.
      return;
    }
    pending.clear();
    pending.reads = found->second.reads;
    pending.loaded = found->second.loaded;
  }

  /// A function starts with no pending accesses, and may leave any.
  void visitCall(Operation &call, SharedAccesses &pending) {
    if (!pending.empty())
      handle(&call);
    pending.clear();
    pending.reads = pending.writes = {SharedPlace{0, std::numeric_limits<int64_t>::max()}};
  }

  void visitBranches(Operation &op, SharedAccesses &pending) {
    SharedAccesses entry = pending;
    for (Region &region : op.getRegions())
      for (Block &block : region) {
        SharedAccesses state = entry;
        visit(block, state);
        pending.merge(state);
      }
  }

  /// Repeats until the pending accesses at the start of an iteration do not grow any more.
  void visitLoop(Operation &op, SharedAccesses &pending) {
    SharedAccesses start = entering(&op, pending);
    bool grows = true;
    while (grows) {
      SharedAccesses state = start;
      for (Region &region : op.getRegions())
        for (Block &block : region) {
          visit(block, state);
          pending.merge(leaving(&op, state));
        }
      grows = start.merge(advanced(&op, state));
    }
  }

  const SharedConflicts &conflicts;
  llvm::function_ref<void(Operation *)> handle;
  const llvm::DenseSet<Operation *> &absent;
};

SharedConflicts::SharedConflicts(FunctionOpInterface function, Precision precision)
    : function(function), hasOwnWaits(function->getParentOfType<ModuleOp>()->hasAttr(ttg::ownWaitsAttribute)) {
  function.walk([&](Operation *op) {
    SharedAccesses own = accessesOf(op, precision);
    if (own.empty())
      return;
    if (getScratchBytes(op) != 0)
      synchronizing.insert(op);
    accesses.try_emplace(op, std::move(own));
  });
  nameEqualPointers();
  addReadCopies(precision);
  function.walk([&](ttg::AsyncWaitOp wait) {
    SharedAccesses &arrived = arrivals[wait];
    for (Operation *copy : findCopies(wait))
      if (auto found = accesses.find(copy); found != accesses.end())
        arrived.merge(withoutSlots(found->second));
  });
}

/// A wait that names no buffers is for all that the function copies out of.
void SharedConflicts::addReadCopies(Precision precision) {
  SmallVector<SharedPlace, 4> places;
  function.walk([&](ttg::AsyncMappedStoreOp store) { appendPlaces(store.getSrc(), precision, places); });
  if (!places.empty())
    function.walk([&](ttg::AsyncStoreWaitOp wait) {
      if (wait.getBuffers().empty())
        accesses[wait].reads = places;
    });
}

/// Programs may compute the pointers of two accesses twice.
void SharedConflicts::nameEqualPointers() {
  auto loads = [](auto &entry) { return !entry.second.loaded.empty(); };
  auto stores = [](auto &entry) { return !entry.second.stored.empty(); };
  if (!llvm::any_of(accesses, loads) || !llvm::any_of(accesses, stores))
    return;
  EqualValues equal(function);
  for (auto &[op, own] : accesses)
    for (auto *pointers : {&own.loaded, &own.stored})
      for (Value &pointer : *pointers)
        pointer = equal.firstOf(pointer);
}

void SharedConflicts::forEach(llvm::function_ref<void(Operation *)> handle,
                              const llvm::DenseSet<Operation *> &absent) const {
  Walk walk(*this, handle, absent);
  // Follows branches until the pending accesses at the start of each block do not grow any more.
  llvm::DenseMap<Block *, SharedAccesses> entries;
  llvm::SetVector<Block *> worklist;
  for (Block &block : llvm::reverse(FunctionOpInterface(function).getFunctionBody()))
    worklist.insert(&block);
  while (!worklist.empty()) {
    Block *block = worklist.pop_back_val();
    SharedAccesses pending = entries[block];
    walk.visit(*block, pending);
    for (Block *successor : block->getSuccessors())
      if (entries[successor].merge(pending))
        worklist.insert(successor);
  }
}

} // namespace triton::analysis
