#include "gpu/passes/LoopExpansion.h"

#include "gpu/ir/Dialect.h"
#include "gpu/passes/IterationBounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace triton::ttg {

using analysis::forEachOperand;
using analysis::LoopSchedule;

namespace {

class LoopExpander {
public:
  LoopExpander(RewriterBase &rewriter, scf::ForOp loop, const LoopSchedule &schedule)
      : rewriter(rewriter), loop(loop), schedule(schedule), last(schedule.lastStage), bounds(loop, last) {}

  scf::ForOp run() {
    rewriter.setInsertionPoint(loop);
    emitPrologue();
    findCarriedAcrossStages();
    createLoop();
    rewriter.setInsertionPointToStart(newLoop.getBody());
    emitBody();
    emitYield();
    rewriter.replaceOp(loop, newLoop.getResults().take_front(loop.getNumResults()));
    return newLoop;
  }

private:
  unsigned stageOf(Operation *op) const { return schedule.stages.at(op); }
  Block &oldBody() { return *loop.getBody(); }
  OperandRange yielded() { return oldBody().getTerminator()->getOperands(); }

  void predicate(Operation *op, Value condition) {
    if (isMemoryEffectFree(op) && isSpeculatable(op))
      return;
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(op);
    rewriter.modifyOpInPlace(op, [&] { cast<PredicableOpInterface>(op).predicate(rewriter, condition); });
  }

  //===--------------------------------------------------------------------===//
  // Prologue
  //===--------------------------------------------------------------------===//

  /// Round i runs stage s of iteration i - s.
  void emitPrologue() {
    for (auto [argument, initial] : llvm::zip_equal(loop.getRegionIterArgs(), loop.getInitArgs()))
      versions[argument] = {initial};
    for (unsigned round = 0; round < last; ++round) {
      versions[loop.getInductionVar()].push_back(bounds.induction(rewriter, round));
      conditions.push_back(bounds.exists(rewriter, round));
      for (Operation *op : schedule.order)
        if (stageOf(op) <= round)
          emitEarly(op, round - stageOf(op));
    }
    for (Operation *op : schedule.order)
      if (stageOf(op) < last)
        bounds.prepareAhead(rewriter, last - stageOf(op));
  }

  void emitEarly(Operation *op, unsigned iteration) {
    IRMapping mapping;
    forEachOperand(op, [&](OpOperand &operand) {
      if (auto found = versions.find(operand.get()); found != versions.end())
        mapping.map(operand.get(), found->second[iteration]);
    });
    Operation *copy = rewriter.clone(*op, mapping);
    Value condition = conditions[iteration];
    if (condition)
      predicate(copy, condition);
    for (auto [result, computed] : llvm::zip_equal(op->getResults(), copy->getResults())) {
      for (auto [index, next] : llvm::enumerate(yielded()))
        if (next == result)
          versions[loop.getRegionIterArg(index)].push_back(afterIteration(index, computed, condition));
      versions[result].push_back(computed);
    }
  }

  /// What an iteration leaves of a carried value; what leaves the loop must be that of the last one that exists.
  Value afterIteration(unsigned index, Value computed, Value condition) {
    if (!condition || loop.getResult(index).use_empty())
      return computed;
    Value before = versions[loop.getRegionIterArg(index)].back();
    return arith::SelectOp::create(rewriter, loop.getLoc(), condition, computed, before);
  }

  //===--------------------------------------------------------------------===//
  // The loop
  //===--------------------------------------------------------------------===//

  /// Rounds for which `value`, as an operand of `op`, is older than what the round of the new loop before has computed
  /// or was given: the new loop carries it for so long.
  unsigned roundsBetween(Operation *op, Value value) {
    Operation *source = analysis::sourceInBody(loop, value);
    return source && stageOf(source) < stageOf(op) ? stageOf(op) - stageOf(source) : 0;
  }

  void findCarriedAcrossStages() {
    for (Operation *op : schedule.order)
      forEachOperand(op, [&](OpOperand &operand) {
        if (unsigned rounds = roundsBetween(op, operand.get())) {
          unsigned &longest = carriedRounds[operand.get()];
          longest = std::max(longest, rounds);
        }
      });
  }

  void createLoop() {
    SmallVector<Value> initial;
    for (auto [argument, next] : llvm::zip_equal(loop.getRegionIterArgs(), yielded()))
      initial.push_back(versions[argument][last - stageOf(next.getDefiningOp())]);
    for (auto &[value, rounds] : carriedRounds)
      for (unsigned age = rounds; age > 0; --age) {
        argumentOf[{value, age}] = initial.size();
        initial.push_back(versions[value][last - stageOf(analysis::sourceInBody(loop, value)) - age]);
      }
    newLoop = scf::ForOp::create(rewriter, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(), loop.getStep(),
                                 initial, /*bodyBuilder=*/nullptr, loop.getUnsignedCmp());
    newLoop->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    if (!newLoop.getBody()->empty())
      rewriter.eraseOp(newLoop.getBody()->getTerminator());
  }

  /// One round runs stage s of the iteration `last` - s after its own.
  void emitBody() {
    SmallVector<Value> existing(last);
    for (unsigned stage = 0; stage < last; ++stage)
      if (llvm::any_of(schedule.order, [&](Operation *op) { return stageOf(op) == stage; }))
        existing[stage] = bounds.existsAhead(rewriter, newLoop.getInductionVar(), last - stage);
    conditions = existing;
    mapping.map(loop.getInductionVar(), newLoop.getInductionVar());
    mapping.map(loop.getRegionIterArgs(), newLoop.getRegionIterArgs().take_front(loop.getNumRegionIterArgs()));
    for (Operation *op : schedule.order) {
      unsigned stage = stageOf(op);
      IRMapping own = mapping;
      forEachOperand(op, [&](OpOperand &operand) {
        if (Value value = valueInRound(op, operand.get()))
          own.map(operand.get(), value);
      });
      Operation *copy = rewriter.clone(*op, own);
      mapping.map(op->getResults(), copy->getResults());
      if (stage < last)
        predicate(copy, conditions[stage]);
    }
  }

  /// The value that `op` has for its operand `value` where that is not what `mapping` says.
  Value valueInRound(Operation *op, Value value) {
    unsigned stage = stageOf(op);
    if (value == loop.getInductionVar())
      return stage == last ? Value() : bounds.advance(rewriter, newLoop.getInductionVar(), last - stage);
    if (unsigned rounds = roundsBetween(op, value))
      return newLoop.getRegionIterArg(argumentOf.at({value, rounds}));
    // A value that a later stage carries to an earlier one was computed in this very round.
    if (isa<BlockArgument>(value))
      if (Operation *source = analysis::sourceInBody(loop, value); source && stageOf(source) == stage + 1)
        return mapping.lookup(loop.getTiedLoopYieldedValue(cast<BlockArgument>(value))->get());
    return {};
  }

  void emitYield() {
    SmallVector<Value> next;
    for (auto [index, value] : llvm::enumerate(yielded())) {
      Value computed = mapping.lookup(value);
      if (unsigned stage = stageOf(value.getDefiningOp()); stage < last && !loop.getResult(index).use_empty())
        computed = arith::SelectOp::create(rewriter, loop.getLoc(), conditions[stage], computed,
                                           newLoop.getRegionIterArg(index));
      next.push_back(computed);
    }
    for (auto &[value, rounds] : carriedRounds) {
      for (unsigned age = rounds; age > 1; --age)
        next.push_back(newLoop.getRegionIterArg(argumentOf.at({value, age - 1})));
      next.push_back(mapping.lookup(value));
    }
    scf::YieldOp::create(rewriter, loop.getLoc(), next);
  }

  RewriterBase &rewriter;
  scf::ForOp loop, newLoop;
  const LoopSchedule &schedule;
  unsigned last;
  IterationBounds bounds;
  llvm::DenseMap<Value, SmallVector<Value>> versions; ///< by iteration, in the prologue
  SmallVector<Value> conditions; ///< whether an iteration of the prologue, later that of a stage, exists; null: it does
  llvm::MapVector<Value, unsigned> carriedRounds;
  llvm::DenseMap<std::pair<Value, unsigned>, unsigned> argumentOf; ///< of the new loop, by how many rounds old
  IRMapping mapping;
};

} // namespace

scf::ForOp expandLoop(RewriterBase &rewriter, scf::ForOp loop, const LoopSchedule &schedule) {
  OpBuilder::InsertionGuard guard(rewriter);
  return LoopExpander(rewriter, loop, schedule).run();
}

} // namespace triton::ttg
