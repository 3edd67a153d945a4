// Decides which roots share a loop nest, in which order memory is accessed, and what must be kept in buffers.
#include "backends/cpu/codegen/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace triton::cpu {

/// A tensor of at least this cost that another nest needs again is kept and not computed again.
static constexpr unsigned costWorthSaving = 12;
/// A tensor of at least this cost that a broadcast repeats is computed beforehand.
static constexpr unsigned costWorthHoisting = 6;
/// A tensor of at least this cost that a loop uses is computed before the loop.
static constexpr unsigned costWorthKeepingOutOfLoops = 4;

static bool isLazy(Operation *op) {
  return isElementwise(op) || isShapeChange(op) || isa<tt::LoadOp, tt::MakeRangeOp, tt::SplitOp, tt::JoinOp>(op);
}

SmallVector<int64_t> iterationShape(const Root &root) {
  Value representative = root.kind == Root::Kind::Materialize ? root.value : root.op->getOperand(0);
  return llvm::to_vector(cast<RankedTensorType>(representative.getType()).getShape());
}

//===--- Closures -----------------------------------------------------------------------------------------------===//

static void collectClosure(Lowering &lowering, Closure &closure, Value value, bool isIdentity, bool isRepeated) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type) {
    closure.scalars.push_back(value);
    return;
  }
  auto [known, isNew] = closure.uses.insert({value, {value, isIdentity, isRepeated}});
  if (!isNew) {
    Closure::Use &use = known->second;
    bool addsNothing = use.isIdentity <= isIdentity && use.isRepeated >= isRepeated;
    if (addsNothing)
      return;
    use.isIdentity &= isIdentity;
    use.isRepeated |= isRepeated;
    isIdentity = use.isIdentity, isRepeated = use.isRepeated;
  }
  Operation *op = value.getDefiningOp();
  if (bufferOf(lowering, value) || !op)
    return;
  bool keepsIdentity = isElementwise(op) || isa<tt::LoadOp>(op);
  if (auto broadcast = dyn_cast<tt::BroadcastOp>(op))
    isRepeated = isRepeated || broadcast.getType().getNumElements() != broadcast.getSrc().getType().getNumElements();
  for (Value operand : op->getOperands())
    collectClosure(lowering, closure, operand, isIdentity && keepsIdentity, isRepeated);
}

Closure closureOf(Lowering &lowering, const Root &root) {
  Closure closure;
  if (root.kind == Root::Kind::Materialize)
    collectClosure(lowering, closure, root.value, true, false);
  else
    for (Value operand : root.op->getOperands())
      collectClosure(lowering, closure, operand, true, false);
  return closure;
}

//===--- Memory order -------------------------------------------------------------------------------------------===//

/// Whether a store at one position of a loop may overwrite what the load reads at a later position. Different arguments
/// are assumed to overlap only element by element, because a program with any other overlap would have a race on a GPU.
static bool conflictInLoop(tt::LoadOp load, bool isIdentity, tt::StoreOp store) {
  return (!isIdentity || load.getPtr() != store.getPtr()) && haveSameBase(load.getPtr(), store.getPtr());
}

static bool conflictInLoop(tt::StoreOp store, tt::StoreOp other) {
  return store.getPtr() != other.getPtr() && haveSameBase(store.getPtr(), other.getPtr());
}

void saveLoadsBefore(Lowering &lowering, Operation *writer) {
  Group none;
  for (tt::LoadOp load : SmallVector<tt::LoadOp>(lowering.lazyLoads))
    if (!bufferOf(lowering, load.getResult()) && load->isBeforeInBlock(writer) &&
        isNeededOutside(lowering, load.getResult(), none))
      materialize(lowering, load.getResult());
}

static bool contains(const Group &group, Operation *op) {
  return llvm::any_of(group.roots, [&](const Root &root) { return root.op == op; });
}

static bool isNeededOutside(Lowering &lowering, Value value, const Group &group, llvm::DenseMap<Value, bool> &known) {
  auto [entry, isNew] = known.try_emplace(value, false);
  if (!isNew)
    return entry->second;
  bool needed = llvm::any_of(value.getUsers(), [&](Operation *user) {
    Operation *ancestor = lowering.currentBlock->findAncestorOpInBlock(*user);
    if (!ancestor || ancestor != user)
      return !ancestor || !lowering.done.contains(ancestor);
    if (!isLazy(user))
      return !lowering.done.contains(user) && !contains(group, user);
    return llvm::any_of(user->getResults(), [&](Value result) {
      return !bufferOf(lowering, result) && isNeededOutside(lowering, result, group, known);
    });
  });
  known[value] = needed;
  return needed;
}

bool isNeededOutside(Lowering &lowering, Value value, const Group &group) {
  llvm::DenseMap<Value, bool> known;
  return isNeededOutside(lowering, value, group, known);
}

//===--- Groups -------------------------------------------------------------------------------------------------===//

static bool canJoin(Lowering &lowering, const Root &root, const Closure &closure, ArrayRef<int64_t> shape,
                    int64_t axis) {
  if (ArrayRef(lowering.open.shape) != shape ||
      (axis >= 0 && lowering.open.reduceAxis >= 0 && axis != lowering.open.reduceAxis))
    return false;
  auto isPendingReduction = [&](Value value) {
    Operation *op = value.getDefiningOp();
    return isa_and_present<tt::ReduceOp>(op) && contains(lowering.open, op);
  };
  auto needsPendingReduction = [&](const Closure &closure) {
    return llvm::any_of(closure.scalars, isPendingReduction) ||
           llvm::any_of(closure.uses, [&](const auto &use) { return isPendingReduction(use.first); });
  };
  if (needsPendingReduction(closure))
    return false;
  for (const Root &other : lowering.open.roots)
    if (other.kind == Root::Kind::Materialize && closure.uses.contains(other.value) &&
        !closure.uses.find(other.value)->second.isIdentity)
      return false;
  auto store = dyn_cast_if_present<tt::StoreOp>(root.op);
  for (auto &[value, use] : closure.uses) {
    auto load = value.getDefiningOp<tt::LoadOp>();
    if (!load || bufferOf(lowering, value))
      continue;
    for (const Root &other : lowering.open.roots)
      if (auto earlier = dyn_cast_if_present<tt::StoreOp>(other.op))
        if (earlier->getBlock() != load->getBlock() || earlier->isBeforeInBlock(load) ||
            conflictInLoop(load, use.isIdentity, earlier))
          return false;
  }
  if (!store)
    return true;
  // What loads before the store read may have to be saved before the loops of the group, which reduce.
  for (tt::LoadOp load : lowering.lazyLoads)
    if (!bufferOf(lowering, load.getResult()) && load->isBeforeInBlock(store) &&
        needsPendingReduction(closureOf(lowering, Root::copyOf(load.getResult()))))
      return false;
  for (const Root &other : lowering.open.roots)
    if (auto earlier = dyn_cast_if_present<tt::StoreOp>(other.op)) {
      // The values of a load between the two would have to be saved between them.
      bool isSplit = llvm::any_of(lowering.lazyLoads, [&](tt::LoadOp load) {
        return !bufferOf(lowering, load.getResult()) && earlier->isBeforeInBlock(load);
      });
      if (isSplit || conflictInLoop(earlier, store))
        return false;
    }
  for (const Closure &other : lowering.open.closures)
    for (auto &[value, use] : other.uses)
      if (auto load = value.getDefiningOp<tt::LoadOp>();
          load && !bufferOf(lowering, value) && conflictInLoop(load, use.isIdentity, store))
        return false;
  return true;
}

/// A value that must be in memory before the root's loops start: a load that the root's own store would disturb, or an
/// expensive tensor that a broadcast repeats.
static Value findPrerequisite(const Closure &closure, tt::StoreOp store, TileAnalysis &analysis,
                              llvm::function_ref<bool(Value)> isInMemory) {
  for (auto &[value, use] : closure.uses) {
    Operation *op = value.getDefiningOp();
    if (!op || isInMemory(value))
      continue;
    auto load = dyn_cast<tt::LoadOp>(op);
    if (store && load && conflictInLoop(load, use.isIdentity, store))
      return value;
    bool isPointer = isa<tt::PointerType>(getElementTypeOrSelf(value.getType()));
    if (use.isRepeated && !isShapeChange(op) && !isPointer && analysis.cost(value) >= costWorthHoisting &&
        cast<RankedTensorType>(value.getType()).getNumElements() > 1)
      return value;
  }
  return {};
}

Closure prepareClosure(Lowering &lowering, const Root &root) {
  Closure closure = closureOf(lowering, root);
  auto store = dyn_cast_if_present<tt::StoreOp>(root.op);
  auto isInMemory = [&](Value value) { return bufferOf(lowering, value) != nullptr; };
  while (Value needed = findPrerequisite(closure, store, lowering.analysis, isInMemory)) {
    flush(lowering);
    materialize(lowering, needed);
    closure = closureOf(lowering, root);
  }
  return closure;
}

void addRoot(Lowering &lowering, Root root) {
  Closure closure = prepareClosure(lowering, root);
  SmallVector<int64_t> shape = iterationShape(root);
  int64_t axis = root.kind == Root::Kind::Reduce ? int64_t(cast<tt::ReduceOp>(root.op).getAxis()) : -1;
  if (!lowering.open.empty() && !canJoin(lowering, root, closure, shape, axis))
    flush(lowering);
  lowering.open.shape = shape;
  lowering.open.reduceAxis = std::max(lowering.open.reduceAxis, axis);
  lowering.open.roots.push_back(std::move(root));
  lowering.open.closures.push_back(std::move(closure));
}

/// Finds roots to add to the group which store what the group computes and later code needs. What must be kept but
/// cannot be stored in the same loops goes to `before`.
static SmallVector<Root> findSaves(Lowering &lowering, const Group &group, SmallVectorImpl<Value> &before) {
  SmallVector<Root> saves;
  llvm::DenseSet<Value> saved;
  for (const Root &root : group.roots)
    if (root.kind == Root::Kind::Materialize && !root.target)
      saved.insert(root.value);
  auto fits = [&](Value value) {
    if (ArrayRef(group.shape) != cast<RankedTensorType>(value.getType()).getShape())
      return false;
    return llvm::any_of(group.closures, [&](const Closure &closure) {
      auto use = closure.uses.find(value);
      return use != closure.uses.end() && use->second.isIdentity;
    });
  };
  for (tt::LoadOp load : lowering.lazyLoads) {
    Value value = load.getResult();
    bool isOverwritten = false, conflicts = false;
    for (const Root &root : group.roots)
      if (auto store = dyn_cast_if_present<tt::StoreOp>(root.op); store && load->isBeforeInBlock(store)) {
        isOverwritten = true;
        conflicts |= conflictInLoop(load, /*isIdentity=*/true, store);
      }
    if (!isOverwritten || bufferOf(lowering, value) || !isNeededOutside(lowering, value, group))
      continue;
    if (!conflicts && fits(value))
      saves.push_back(Root::copyOf(value)), saved.insert(value);
    else
      before.push_back(value);
  }
  auto isEvaluated = [&](Value value) {
    return llvm::any_of(group.closures, [&](const Closure &closure) { return closure.uses.contains(value); });
  };
  for (const Closure &closure : group.closures)
    for (auto &[value, use] : closure.uses) {
      if (bufferOf(lowering, value) || saved.contains(value) || lowering.analysis.cost(value) < costWorthSaving ||
          !fits(value) || isa<tt::PointerType>(getElementTypeOrSelf(value.getType())))
        continue;
      bool isNeeded = llvm::any_of(value.getUsers(), [&](Operation *user) {
        if (user->getBlock() == lowering.currentBlock && isLazy(user))
          return !isEvaluated(user->getResult(0)) && isNeededOutside(lowering, user->getResult(0), group);
        Operation *ancestor = lowering.currentBlock->findAncestorOpInBlock(*user);
        return !ancestor || (!lowering.done.contains(ancestor) && !contains(group, ancestor));
      });
      if (isNeeded)
        saves.push_back(Root::copyOf(value)), saved.insert(value);
    }
  return saves;
}

static void emitGroupWithSaves(Lowering &lowering, Group group) {
  SmallVector<Value> before;
  SmallVector<Root> saves = findSaves(lowering, group, before);
  for (Value value : before)
    materialize(lowering, value);
  for (Root &save : saves) {
    group.closures.push_back(closureOf(lowering, save));
    group.roots.push_back(std::move(save));
  }
  emitGroup(lowering, group);
  for (const Root &root : group.roots)
    if (root.op)
      lowering.done.insert(root.op);
}

void flush(Lowering &lowering) {
  if (lowering.open.empty())
    return;
  Group group = std::move(lowering.open);
  lowering.open = {};
  emitGroupWithSaves(lowering, std::move(group));
}

//===--- Materialization ----------------------------------------------------------------------------------------===//

static void emitAlone(Lowering &lowering, Root root) {
  flush(lowering);
  Group group;
  group.shape = iterationShape(root);
  group.closures.push_back(prepareClosure(lowering, root));
  group.roots.push_back(std::move(root));
  emitGroupWithSaves(lowering, std::move(group));
}

void materializeInto(Lowering &lowering, Value value, const Buffer &target) {
  emitAlone(lowering, Root::copyOf(value, target));
}

const Buffer &materialize(Lowering &lowering, Value value, bool rowMajor) {
  flush(lowering);
  const Buffer *buffer = bufferOf(lowering, value);
  if (!buffer || (rowMajor && !buffer->isRowMajor(cast<RankedTensorType>(value.getType()).getShape())))
    emitAlone(lowering, Root::copyOf(value, std::nullopt, rowMajor));
  return *bufferOf(lowering, value);
}

static void materializeFrontier(Lowering &lowering, Value value) {
  if (!isa<RankedTensorType>(value.getType()) || bufferOf(lowering, value))
    return;
  Operation *op = value.getDefiningOp();
  if (lowering.analysis.cost(value) < costWorthKeepingOutOfLoops && !lowering.analysis.readsMemory(value))
    return;
  bool isPointer = isa<tt::PointerType>(getElementTypeOrSelf(value.getType()));
  if (isShapeChange(op) || (isPointer && !isa<tt::LoadOp>(op))) {
    for (Value operand : op->getOperands())
      materializeFrontier(lowering, operand);
    return;
  }
  materialize(lowering, value);
}

/// Divisions in index arithmetic are too slow for a loop. Along the lanes they often cost little (one for each vector,
/// see `evaluateDivision`) and must remain, so that accesses remain contiguous. Elsewhere they are read from a table.
static void tabulateDivisions(Lowering &lowering, Value value, llvm::DenseSet<Value> &visited) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  Operation *op = value.getDefiningOp();
  if (!type || !op || bufferOf(lowering, value) || lowering.tables.contains(value) || !visited.insert(value).second)
    return;
  if (!isa<arith::RemSIOp, arith::RemUIOp, arith::DivSIOp, arith::DivUIOp>(op)) {
    for (Value operand : op->getOperands())
      tabulateDivisions(lowering, operand, visited);
    return;
  }
  Buffer table = allocate(lowering, type);
  materializeInto(lowering, value, table);
  lowering.tables[value] = table;
}

void prepareForRegions(Lowering &lowering, Operation *op) {
  llvm::SetVector<Value> used;
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (isa<RankedTensorType>(operand.getType()) && !op->isAncestor(operand.getParentBlock()->getParentOp()))
          used.insert(operand);
    });
  for (Value value : used)
    materializeFrontier(lowering, value);
  if (!isa<LoopLikeOpInterface>(op))
    return;
  llvm::DenseSet<Value> visited;
  for (Value value : used)
    tabulateDivisions(lowering, value, visited);
}

} // namespace triton::cpu
