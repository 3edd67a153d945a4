#include "analysis/StoredArguments.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace triton::tt;

namespace triton::analysis {

namespace {

/// What a caller asks about a function: the arguments through which it stores, or those from which one of its results
/// derives.
using Question = std::pair<Operation *, int>;
constexpr int storesOf = -1; ///< otherwise the number of the result
using Answers = llvm::DenseMap<Question, llvm::BitVector>;

/// Follows values of a function back to its arguments.
class ArgumentTracer {
public:
  ArgumentTracer(FuncOp function, Answers &answers)
      : function(function), answers(answers), reached(function.getNumArguments()) {}

  llvm::BitVector run(int question) {
    function.walk([&](Operation *op) {
      if (question == storesOf)
        addStores(op);
      else if (isa<ReturnOp>(op))
        add(op->getOperand(unsigned(question)));
    });
    return followAll();
  }

  llvm::BitVector runFrom(Value value) {
    add(value);
    return followAll();
  }

private:
  llvm::BitVector followAll() {
    while (!open.empty())
      follow(open.pop_back_val());
    return reached;
  }

  void add(Value value) {
    if (seen.insert(value).second)
      open.push_back(value);
  }
  void addAll(ValueRange values) {
    for (Value value : values)
      add(value);
  }

  /// Adds the addresses to which `op` itself may store. A pointer that is stored counts as well, because it may be
  /// loaded again and used for a store.
  void addStores(Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<StoreOp, AtomicStoreOp>([&](auto store) {
          add(store.getPtr());
          if (isa<PointerType>(getElementTypeOrSelf(store.getValue())))
            add(store.getValue());
        })
        .Case<AtomicRMWOp, AtomicCASOp>([&](auto atomic) { add(atomic.getPtr()); })
        .Case<DescriptorStoreOp, DescriptorReduceOp, DescriptorScatterOp>(
            [&](auto store) { add(store.getDesc()); }) // Blocks hold numbers.
        .Case([&](MappedStoreOp store) { add(store.getBase()); })
        .Case([&](CallOp call) { addCall(call, storesOf); })
        .Case<LoadOp, AtomicLoadOp, AtomicPollOp, PrintOp, AssertOp>([](Operation *) {})
        .Default([&](Operation *other) {
          bool isStructure = other->hasTrait<OpTrait::IsTerminator>() ||
                             other->hasTrait<OpTrait::HasRecursiveMemoryEffects>() || isa<FuncOp>(other);
          if (!isStructure && !hasAtMostReads(other))
            addAll(other->getOperands());
        });
  }

  static bool hasAtMostReads(Operation *op) {
    return isMemoryEffectFree(op) || hasSingleEffect<MemoryEffects::Read>(op);
  }

  /// Adds the operands that answer the question about the callee.
  void addCall(CallOp call, int question) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<FuncOp>(call, call.getCalleeAttr());
    if (!callee || callee.isExternal())
      return addAll(call->getOperands());
    Question key{callee, question};
    // While the question about a recursive call is open, every argument counts.
    if (answers.try_emplace(key, callee.getNumArguments(), true).second) {
      llvm::BitVector answer = ArgumentTracer(callee, answers).run(question);
      answers[key] = std::move(answer);
    }
    for (unsigned index : answers[key].set_bits())
      add(call->getOperand(index));
  }

  void follow(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return followArgument(argument);
    Operation *op = value.getDefiningOp();
    if (isa<LoadOp, AtomicOpInterface>(op))
      return;
    unsigned index = cast<OpResult>(value).getResultNumber();
    if (auto call = dyn_cast<CallOp>(op))
      return addCall(call, int(index));
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return addLoopCarried(loop, index);
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return add(loop.getConditionOp().getArgs()[index]);
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      add(branch.thenYield().getOperand(index));
      return add(branch.elseYield().getOperand(index));
    }
    addAll(op->getOperands());
    for (Region &region : op->getRegions())
      region.walk([&](Operation *nested) { addAll(nested->getOperands()); });
  }

  void addLoopCarried(scf::ForOp loop, unsigned index) {
    add(loop.getInitArgs()[index]);
    add(loop.getBody()->getTerminator()->getOperand(index));
  }

  void followArgument(BlockArgument argument) {
    Block *block = argument.getOwner();
    Operation *parent = block->getParentOp();
    unsigned index = argument.getArgNumber();
    if (!block->isEntryBlock())
      return followBranches(block, index);
    if (parent == function) {
      reached.set(index);
      return;
    }
    if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      if (index >= loop.getNumInductionVars())
        addLoopCarried(loop, index - loop.getNumInductionVars());
      return;
    }
    if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
      if (block == loop.getAfterBody())
        return add(loop.getConditionOp().getArgs()[index]);
      add(loop.getInits()[index]);
      return add(loop.getYieldOp().getOperand(index));
    }
    addAll(parent->getOperands());
    for (Region &region : parent->getRegions())
      region.walk([&](Operation *nested) { addAll(nested->getOperands()); });
  }

  void followBranches(Block *block, unsigned index) {
    for (auto predecessor = block->pred_begin(), end = block->pred_end(); predecessor != end; ++predecessor) {
      auto branch = dyn_cast<BranchOpInterface>((*predecessor)->getTerminator());
      Value passed = branch ? branch.getSuccessorOperands(predecessor.getSuccessorIndex())[index] : Value();
      if (!passed) { // made by the branch itself
        reached.set();
        return;
      }
      add(passed);
    }
  }

  FuncOp function;
  Answers &answers;
  llvm::BitVector reached;
  llvm::DenseSet<Value> seen;
  llvm::SmallVector<Value> open;
};

} // namespace

llvm::BitVector findStoredArguments(FuncOp function) {
  Answers answers;
  return ArgumentTracer(function, answers).run(storesOf);
}

llvm::BitVector findArgumentsOf(FuncOp function, Value value) {
  Answers answers;
  return ArgumentTracer(function, answers).runFrom(value);
}

} // namespace triton::analysis
