#include "gpu/analysis/AccessOrder.h"

#include "analysis/DisjointArguments.h"
#include "gpu/analysis/Allocation.h"
#include "gpu/analysis/TunedNumbers.h"
#include "gpu/ir/Dialect.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace triton::analysis {

namespace {

/// An access of global memory through addresses with these origins, which are in `roots`, or of the buffers that `view`
/// may show. Without either, the access may be to any memory.
struct Access {
  bool isWrite = false, isShared = false;
  llvm::SetVector<Value> roots = {};
  Value view = {};
  bool isOutside = false; ///< of the loop whose operations are compared

  bool isAny() const { return roots.empty() && !view; }
};

using Accesses = SmallVector<Access>;

} // namespace

/// The origins of the addresses in `pointer`: arguments of the function, and values that cannot be followed.
static llvm::SetVector<Value> findRoots(Value pointer) {
  llvm::SetVector<Value> visited, roots;
  SmallVector<Value> worklist{pointer};
  auto isPointer = [](Value value) { return isa<tt::PointerType>(getElementTypeOrSelf(value.getType())); };
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!visited.insert(value))
      continue;
    if (value.getDefiningOp<ub::PoisonOp>())
      continue; // nothing is accessed through it
    std::size_t before = worklist.size();
    if (auto branch = value.getDefiningOp<scf::IfOp>()) {
      unsigned index = cast<OpResult>(value).getResultNumber();
      worklist.push_back(branch.thenYield().getOperand(index));
      worklist.push_back(branch.elseYield().getOperand(index));
    } else if (Operation *op = value.getDefiningOp(); op && op->getNumRegions() == 0 && isMemoryEffectFree(op)) {
      llvm::copy_if(op->getOperands(), std::back_inserter(worklist), isPointer);
    } else if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
      if (OpOperand *initial = loop ? loop.getTiedLoopInit(argument) : nullptr) {
        worklist.push_back(initial->get());
        worklist.push_back(loop.getTiedLoopYieldedValue(argument)->get());
      }
    }
    if (worklist.size() == before)
      roots.insert(value);
  }
  return roots;
}

/// The accesses that `interface` declares.
static void appendDeclared(MemoryEffectOpInterface interface, Accesses &accesses) {
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects) {
    if (!isa<MemoryEffects::Read, MemoryEffects::Write>(effect.getEffect()))
      continue;
    Access access{isa<MemoryEffects::Write>(effect.getEffect()), isa<ttg::SharedMemory>(effect.getResource())};
    if (access.isShared)
      access.view = effect.getValue();
    else if (Value pointer = effect.getValue())
      access.roots = findRoots(pointer);
    accesses.push_back(std::move(access));
  }
}

/// Whether other programs may learn from `op` that memory is written, or this one from them.
static bool maySynchronize(Operation *op) {
  if (auto load = dyn_cast<tt::LoadOp>(op))
    return load.getIsVolatile();
  bool says = isa<MemoryEffectOpInterface, mlir::gpu::BarrierOp, FunctionOpInterface>(op) ||
              op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
  return !says || isa<tt::AtomicOpInterface>(op);
}

/// The accesses that a meeting of threads, which the author of a kernel asks for, orders: where programs do not
/// synchronise with others, those of the kernel, one for each kind. False where it orders any, or there are many.
static bool appendOrdered(mlir::gpu::BarrierOp barrier, Operation *loop, Accesses &accesses) {
  auto function = barrier->getParentOfType<FunctionOpInterface>();
  if (!function.isPublic())
    return false; // It orders what its callers do, too.
  Accesses kinds;
  unsigned count = 0;
  WalkResult walk = function->walk([&](Operation *op) {
    if (maySynchronize(op) || count > tuned::mostOrderedAccesses)
      return WalkResult::interrupt();
    Accesses own;
    if (auto interface = dyn_cast<MemoryEffectOpInterface>(op))
      appendDeclared(interface, own);
    count += own.size();
    for (Access &access : own) {
      access.isOutside = loop && !loop->isAncestor(op);
      auto *same = llvm::find_if(kinds, [&](const Access &kind) {
        return kind.isWrite == access.isWrite && kind.isShared == access.isShared &&
               kind.isOutside == access.isOutside && kind.isAny() == access.isAny() && !kind.isShared;
      });
      if (same == kinds.end())
        kinds.push_back(std::move(access));
      else
        same->roots.insert_range(access.roots);
    }
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return false;
  llvm::append_range(accesses, kinds);
  return true;
}

/// The accesses of `op`, an operation in `loop`. One that does not declare them, or that orders others, accesses any
/// memory.
static Accesses findAccesses(Operation *op, Operation *loop) {
  Accesses accesses;
  op->walk([&](Operation *inner) {
    if (inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      return;
    auto barrier = dyn_cast<mlir::gpu::BarrierOp>(inner);
    if (auto interface = dyn_cast<MemoryEffectOpInterface>(inner); interface && !isa<ttg::BarrierOp>(inner))
      return appendDeclared(interface, accesses);
    if (!barrier || !appendOrdered(barrier, loop, accesses))
      accesses.push_back({/*isWrite=*/true, /*isShared=*/false});
    accesses.push_back({/*isWrite=*/true, /*isShared=*/true});
  });
  return accesses;
}

/// The function that has this value as an argument; null if none has.
static FunctionOpInterface functionOf(Value root) {
  auto argument = dyn_cast<BlockArgument>(root);
  return argument ? dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp()) : FunctionOpInterface();
}

/// Whether addresses with these roots may be equal. An address whose origin is not an argument may be any address.
static bool mayMeet(Value left, Value right, bool argumentsAreDisjoint) {
  FunctionOpInterface function = functionOf(left);
  if (left == right || !function || functionOf(right) != function)
    return true;
  unsigned first = cast<BlockArgument>(left).getArgNumber(), second = cast<BlockArgument>(right).getArgNumber();
  auto hasNoAlias = [&](unsigned index) { return function.getArgAttr(index, ttg::noAliasAttribute) != nullptr; };
  return !argumentsAreDisjoint && !hasNoAlias(first) && !hasNoAlias(second) && !areDisjoint(function, first, second);
}

static bool mayConflict(const Access &left, const Access &right, bool argumentsAreDisjoint) {
  if ((!left.isWrite && !right.isWrite) || left.isShared != right.isShared)
    return false;
  if (left.isAny() || right.isAny())
    return true;
  if (left.isShared) {
    SmallVector<Operation *> buffers = findAllocations(left.view);
    return llvm::any_of(findAllocations(right.view),
                        [&](Operation *buffer) { return llvm::is_contained(buffers, buffer); });
  }
  bool areDisjoint = argumentsAreDisjoint && !left.isOutside && !right.isOutside;
  return llvm::any_of(left.roots, [&](Value a) {
    return llvm::any_of(right.roots, [&](Value b) { return mayMeet(a, b, areDisjoint); });
  });
}

bool mustKeepOrder(Operation *first, Operation *second) {
  Operation *parent = first->getParentOp();
  Operation *loop = parent == second->getParentOp() ? parent : nullptr;
  Accesses before = findAccesses(first, loop), after = findAccesses(second, loop);
  bool areDisjoint = loop && loop->hasAttr(ttg::disjointArgumentsAttribute);
  return llvm::any_of(before, [&](const Access &a) {
    return llvm::any_of(after, [&](const Access &b) { return mayConflict(a, b, areDisjoint); });
  });
}

} // namespace triton::analysis
