#include "gpu/loops/LoopExpansion.h"

#include "gpu/ir/Dialect.h"
#include "gpu/loops/IterationBounds.h"
#include "ir/LoopMotion.h"

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
  LoopExpander(RewriterBase &rewriter, scf::ForOp loop, const LoopSchedule &schedule, Epilogue epilogue)
      : rewriter(rewriter), loop(loop), schedule(schedule), last(schedule.lastStage),
        isPeeled(epilogue == Epilogue::Peeled && last != 0), bounds(loop, last) {}

  void run() {
    rewriter.setInsertionPoint(loop);
    if (!isPeeled)
      return rewriter.replaceOp(loop, expand());
    Value isLongEnough = bounds.exists(rewriter, last - 1);
    if (!isLongEnough)
      return rewriter.replaceOp(loop, expand());
    auto branch = scf::IfOp::create(rewriter, loop.getLoc(), loop.getResultTypes(), isLongEnough,
                                    /*addThenBlock=*/true, /*addElseBlock=*/true);
    rewriter.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(rewriter, loop.getLoc(), expand());
    rewriter.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(rewriter, loop.getLoc(), emitSequential());
    rewriter.replaceOp(loop, branch.getResults());
  }

private:
  /// Returns the results of the loop.
  SmallVector<Value> expand() {
    emitPrologue();
    findCarriedAcrossStages();
    createLoop();
    rewriter.setInsertionPointToStart(newLoop.getBody());
    SmallVector<Value> arguments(newLoop.getRegionIterArgs());
    prepareConditions();
    scf::YieldOp::create(rewriter, loop.getLoc(), emitRound(newLoop.getInductionVar(), arguments, 0));
    rewriter.setInsertionPointAfter(newLoop);
    SmallVector<Value> results(newLoop.getResults());
    if (isPeeled)
      results = emitEpilogue(results);
    results.truncate(loop.getNumResults());
    return results;
  }

  /// The version for a loop with fewer iterations than there are early rounds: one stage after another.
  ResultRange emitSequential() {
    auto sequential =
        scf::ForOp::create(rewriter, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(), loop.getStep(),
                           loop.getInitArgs(), /*bodyBuilder=*/nullptr, loop.getUnsignedCmp());
    tt::copyLoopHints(loop, sequential);
    if (!sequential.getBody()->empty())
      rewriter.eraseOp(sequential.getBody()->getTerminator());
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(sequential.getBody());
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), sequential.getInductionVar());
    mapping.map(loop.getRegionIterArgs(), sequential.getRegionIterArgs());
    for (unsigned stage = 0; stage <= last; ++stage)
      for (Operation *op : schedule.order)
        if (stageOf(op) == stage)
          if (auto wait = dyn_cast<AsyncWaitOp>(rewriter.clone(*op, mapping)))
            wait.setNum(0);
    scf::YieldOp::create(rewriter, loop.getLoc(),
                         llvm::map_to_vector(yielded(), [&](Value value) { return mapping.lookup(value); }));
    return sequential.getResults();
  }

  unsigned stageOf(Operation *op) const { return schedule.stages.at(op); }
  Block &oldBody() { return *loop.getBody(); }
  OperandRange yielded() { return oldBody().getTerminator()->getOperands(); }

  /// MLIR takes remainders for speculatable, but LLVM says that those of divisions by zero are undefined.
  void predicate(Operation *op, Value condition) {
    if (isMemoryEffectFree(op) && isSpeculatable(op) && !isa<arith::RemSIOp, arith::RemUIOp>(op))
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
      conditions.push_back(isPeeled ? Value() : bounds.exists(rewriter, round));
      for (Operation *op : schedule.order)
        if (stageOf(op) <= round)
          emitEarly(op, round - stageOf(op));
    }
    if (isPeeled)
      return bounds.prepareAhead(rewriter, last);
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

  /// The value that an iteration leaves for a carried value. The value that leaves the loop must be that of the last
  /// iteration that exists.
  Value afterIteration(unsigned index, Value computed, Value condition) {
    if (!condition || loop.getResult(index).use_empty())
      return computed;
    Value before = versions[loop.getRegionIterArg(index)].back();
    return arith::SelectOp::create(rewriter, loop.getLoc(), condition, computed, before);
  }

  //===--------------------------------------------------------------------===//
  // The loop
  //===--------------------------------------------------------------------===//

  /// How many rounds `value`, as an operand of `op`, is older than what the previous round of the new loop has computed
  /// or received. The new loop carries it for this many rounds.
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
    if (isPeeled)
      initial.push_back(loop.getLowerBound()); // the induction variable, with which the rounds after the loop continue
    Value upper = isPeeled ? bounds.limitAhead(rewriter, last) : Value(loop.getUpperBound());
    newLoop = scf::ForOp::create(rewriter, loop.getLoc(), loop.getLowerBound(), upper, loop.getStep(), initial,
                                 /*bodyBuilder=*/nullptr, loop.getUnsignedCmp());
    newLoop->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    if (!newLoop.getBody()->empty())
      rewriter.eraseOp(newLoop.getBody()->getTerminator());
  }

  /// Whether the iterations exist on which the stages of a round work; null: they do.
  void prepareConditions() {
    conditions.assign(last, Value());
    for (unsigned stage = 0; stage < last && !isPeeled; ++stage)
      if (!isOver(stage) && llvm::any_of(schedule.order, [&](Operation *op) { return stageOf(op) == stage; }))
        conditions[stage] = bounds.existsAhead(rewriter, newLoop.getInductionVar(), last - stage);
  }

  /// Whether the prologue has run the stage for all iterations, of which there are few.
  bool isOver(unsigned stage) const { return !isPeeled && stage < last && bounds.isNoneAhead(last - stage); }

  /// Emits one round. It runs stage s of the iteration that is `last` - s after that of `induction`. Stages before
  /// `firstStage` have run for all iterations. Returns the values of `arguments` for the next round.
  SmallVector<Value> emitRound(Value induction, llvm::ArrayRef<Value> arguments, unsigned firstStage) {
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), induction);
    mapping.map(loop.getRegionIterArgs(), arguments.take_front(loop.getNumRegionIterArgs()));
    for (Operation *op : schedule.order) {
      unsigned stage = stageOf(op);
      if (stage < firstStage)
        continue;
      if (isOver(stage)) {
        if (isa<AsyncCommitGroupOp>(op)) // Waits count groups, be they empty.
          mapping.map(op->getResult(0), AsyncCommitGroupOp::create(rewriter, op->getLoc(), ValueRange()).getToken());
        continue;
      }
      IRMapping own = mapping;
      forEachOperand(op, [&](OpOperand &operand) {
        if (Value value = valueInRound(op, operand.get(), induction, arguments, mapping))
          own.map(operand.get(), value);
      });
      Operation *copy = rewriter.clone(*op, own);
      mapping.map(op->getResults(), copy->getResults());
      if (stage < last && conditions[stage] && !dividesAsBefore(op))
        predicate(copy, conditions[stage]);
      if (auto wait = dyn_cast<AsyncWaitOp>(copy); wait && firstStage != 0)
        wait.setNum(0); // fewer groups follow here than in the loop
    }
    return nextArguments(arguments, firstStage, mapping);
  }

  /// Whether `op` divides by the same number in all iterations: where a round runs, one that exists has done so.
  bool dividesAsBefore(Operation *op) {
    return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op) &&
           loop.isDefinedOutsideOfLoop(op->getOperand(1));
  }

  /// The value of `op` for its operand `value`, if it is not the one in `mapping`.
  Value valueInRound(Operation *op, Value value, Value induction, llvm::ArrayRef<Value> arguments,
                     const IRMapping &mapping) {
    unsigned stage = stageOf(op);
    if (value == loop.getInductionVar())
      return stage == last ? Value() : bounds.advance(rewriter, induction, last - stage);
    if (unsigned rounds = roundsBetween(op, value))
      return arguments[argumentOf.at({value, rounds})];
    // A value that a later stage carries to an earlier one was computed in this round.
    if (isa<BlockArgument>(value))
      if (Operation *source = analysis::sourceInBody(loop, value); source && stageOf(source) == stage + 1)
        return mapping.lookup(loop.getTiedLoopYieldedValue(cast<BlockArgument>(value))->get());
    return {};
  }

  SmallVector<Value> nextArguments(llvm::ArrayRef<Value> arguments, unsigned firstStage, const IRMapping &mapping) {
    SmallVector<Value> next;
    for (auto [index, value] : llvm::enumerate(yielded())) {
      unsigned stage = stageOf(value.getDefiningOp());
      Value computed = stage < firstStage || isOver(stage) ? arguments[index] : mapping.lookup(value);
      if (stage < last && conditions[stage] && !loop.getResult(index).use_empty())
        computed = arith::SelectOp::create(rewriter, loop.getLoc(), conditions[stage], computed, arguments[index]);
      next.push_back(computed);
    }
    for (auto &[value, rounds] : carriedRounds) {
      for (unsigned age = rounds; age > 1; --age)
        next.push_back(arguments[argumentOf.at({value, age - 1})]);
      // After its last iteration, a stage leaves values that nothing reads.
      Value newest = mapping.lookupOrNull(value);
      next.push_back(newest ? newest : arguments[argumentOf.at({value, 1})]);
    }
    if (isPeeled)
      next.push_back(bounds.advance(rewriter, arguments.back(), 1));
    return next;
  }

  /// Round i after the loop runs the stages after i.
  SmallVector<Value> emitEpilogue(SmallVector<Value> arguments) {
    for (unsigned round = 0; round < last; ++round)
      arguments = emitRound(arguments.back(), arguments, round + 1);
    return arguments;
  }

  RewriterBase &rewriter;
  scf::ForOp loop, newLoop;
  const LoopSchedule &schedule;
  unsigned last;
  bool isPeeled;
  IterationBounds bounds;
  llvm::DenseMap<Value, SmallVector<Value>> versions; ///< by iteration, in the prologue
  SmallVector<Value> conditions; ///< whether an iteration of the prologue, later that of a stage, exists; null: it does
  llvm::MapVector<Value, unsigned> carriedRounds;
  llvm::DenseMap<std::pair<Value, unsigned>, unsigned> argumentOf; ///< of the new loop, by their age in rounds
};

} // namespace

void expandLoop(RewriterBase &rewriter, scf::ForOp loop, const LoopSchedule &schedule, Epilogue epilogue) {
  OpBuilder::InsertionGuard guard(rewriter);
  LoopExpander(rewriter, loop, schedule, epilogue).run();
}

} // namespace triton::ttg
