// `while`: scf.while on a runtime scalar; a constant test runs the body until an exit, or not at all.
#include "frontend/LoweringDiagnostics.h"
#include "frontend/lowering/ConstantEvaluation.h"
#include "frontend/lowering/Constructs.h"
#include "frontend/lowering/Loops.h"
#include "frontend/lowering/StatedFacts.h"
#include "frontend/lowering/semantics/Semantics.h"

namespace triton::frontend {

namespace scf = mlir::scf;

namespace {
struct Test {
  Value condition; ///< a constant or an int1 scalar
  bool disableLicm = false;
};
} // namespace

static Test lowerTest(Lowering &lowering, const ast::Expression &expression) {
  Value value = lowerExpression(lowering, expression);
  RangeScope scope(lowering, expression.range);
  bool disableLicm = false;
  if (const LoopCondition *condition = value.condition()) {
    disableLicm = condition->disableLicm;
    value = Value(*condition->test);
  }
  if (std::optional<bool> truth = constantTruth(value))
    return {Value::boolean(*truth), disableLicm};
  const Tensor *tensor = value.tensor();
  if (!tensor)
    lowering.error(diagnostics::ConditionNotBoolean, value.describe());
  return {truthValue(lowering, *tensor), disableLicm};
}

/// Inserts the test, which ends with the only operation that uses its results. The test runs only if the loop has not
/// been left.
static void guardTest(Lowering &lowering, scf::WhileOp loop, mlir::Block &test, mlir::Value isLeft) {
  mlir::OpBuilder &builder = lowering.builder;
  auto condition = llvm::cast<scf::ConditionOp>(test.getTerminator());
  builder.setInsertionPointToStart(&test);
  llvm::SmallVector<mlir::Value> tested = {condition.getCondition()};
  llvm::SmallVector<mlir::Value> untested = {flagValue(lowering, Value::boolean(false))};
  llvm::SmallVector<size_t> changed; // names that the test assigns
  for (auto [index, value] : llvm::enumerate(condition.getArgs()))
    if (value != test.getArgument(index)) {
      changed.push_back(index);
      tested.push_back(value);
      untested.push_back(test.getArgument(index));
    }
  llvm::SmallVector<mlir::Operation *> operations;
  for (mlir::Operation &operation : test.without_terminator())
    if (&operation != untested.front().getDefiningOp())
      operations.push_back(&operation);

  builder.setInsertionPoint(condition);
  auto guard = scf::IfOp::create(builder, loop.getLoc(), mlir::ValueRange(tested).getTypes(), isLeft,
                                 /*addThenBlock=*/true, /*addElseBlock=*/true);
  builder.setInsertionPointToEnd(guard.thenBlock());
  lowering.create<scf::YieldOp>(untested);
  for (mlir::Operation *operation : operations)
    operation->moveBefore(guard.elseBlock(), guard.elseBlock()->end());
  builder.setInsertionPointToEnd(guard.elseBlock());
  lowering.create<scf::YieldOp>(tested);
  condition.getConditionMutable().assign(guard.getResult(0));
  for (auto [index, argument] : llvm::enumerate(changed))
    condition.getArgsMutable()[argument].assign(guard.getResult(index + 1));
}

/// Rewrites the loop so that it also ends when the exits say so. Returns its results: those of the names, then those of
/// `exit`.
static mlir::ValueRange leaveEarly(Lowering &lowering, scf::WhileOp loop, EarlyExit &exit) {
  mlir::OpBuilder &builder = lowering.builder;
  mlir::Block *test = loop.getBeforeBody(), *body = loop.getAfterBody();
  auto yield = llvm::cast<scf::YieldOp>(body->getTerminator());
  builder.setInsertionPoint(yield);
  yield->insertOperands(yield->getNumOperands(), exit.current());

  builder.setInsertionPoint(loop);
  size_t names = loop.getInits().size();
  llvm::SmallVector<mlir::Value> initial(loop.getInits());
  llvm::append_range(initial, exit.initial());
  llvm::SmallVector<mlir::Type> types(mlir::ValueRange(initial).getTypes());
  for (mlir::Type type : llvm::drop_begin(types, names)) {
    test->addArgument(type, loop.getLoc());
    body->addArgument(type, loop.getLoc());
  }
  auto condition = llvm::cast<scf::ConditionOp>(test->getTerminator());
  condition.getArgsMutable().append(test->getArguments().drop_front(names));
  guardTest(lowering, loop, *test, test->getArgument(names));

  builder.setInsertionPoint(loop);
  auto general = scf::WhileOp::create(builder, loop.getLoc(), types, initial);
  general->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  general.getBefore().takeBody(loop.getBefore());
  general.getAfter().takeBody(loop.getAfter());
  loop.erase();
  builder.setInsertionPointAfter(general);
  return general.getResults();
}

/// Leaves a loop whose test is false at compile time. The test runs once, in place of the loop: it may assign names and
/// have effects.
static void runTestOnce(Lowering &lowering, scf::WhileOp loop, CarriedNames &carried) {
  mlir::Block &test = loop.getBefore().front();
  llvm::SmallVector<mlir::Value> initial(loop.getInits()), tested = carried.current();
  stateCarriedFacts(lowering, test.getArguments(), {mlir::ValueRange(initial)});
  for (auto [argument, value] : llvm::zip_equal(test.getArguments(), initial)) {
    argument.replaceAllUsesWith(value);
    llvm::replace(tested, mlir::Value(argument), value);
  }
  loop->getBlock()->getOperations().splice(loop->getIterator(), test.getOperations());
  lowering.builder.setInsertionPointAfter(loop);
  carried.leave(tested);
  loop.erase();
}

void lowerWhile(Lowering &lowering, const ast::While &statement) {
  llvm::SmallVector<llvm::StringRef> assigned = assignedNames(statement.body);
  for (llvm::StringRef name : assignedNames(*statement.test))
    if (!llvm::is_contained(assigned, name))
      assigned.push_back(name);
  CarriedNames carried(lowering, assigned, exposedNames(statement.test, nullptr, statement.body));
  llvm::SmallVector<mlir::Value> initial = carried.initial();
  llvm::SmallVector<mlir::Type> types(mlir::ValueRange(initial).getTypes());
  llvm::SmallVector<mlir::Location> locations(types.size(), lowering.location());
  auto loop = lowering.create<scf::WhileOp>(types, initial);

  mlir::OpBuilder &builder = lowering.builder;
  mlir::Block *before = builder.createBlock(&loop.getBefore(), {}, types, locations);
  carried.enter(before->getArguments());
  Test test = lowerTest(lowering, *statement.test);
  std::optional<bool> constant = constantTruth(test.condition);
  if (constant == false) {
    runTestOnce(lowering, loop, carried);
    return lowerStatements(lowering, statement.orElse);
  }
  mlir::Value condition = flagValue(lowering, test.condition);
  lowering.create<scf::ConditionOp>(condition, carried.current());
  if (test.disableLicm)
    setLicmDisabled(lowering, loop);

  mlir::Block *after = builder.createBlock(&loop.getAfter(), {}, types, locations);
  carried.enter(after->getArguments());
  {
    LoopFrame frame(lowering, &carried);
    lowerStatements(lowering, statement.body);
  }
  auto yield = lowering.create<scf::YieldOp>(carried.current());
  stateCarriedFacts(lowering, after->getArguments(), {loop.getConditionOp().getArgs()});
  stateCarriedFacts(lowering, before->getArguments(), {loop.getInits(), yield.getOperands()});
  Exits exits = std::exchange(lowering.frame->exits, {});
  if (!endsLoop(exits)) {
    if (constant)
      lowering.error(statement.test->range, diagnostics::EndlessLoop);
    builder.setInsertionPointAfter(loop);
    carried.leave(loop.getResults());
    return lowerStatements(lowering, statement.orElse);
  }
  EarlyExit exit(lowering, std::move(exits));
  mlir::ValueRange results = leaveEarly(lowering, loop, exit);
  carried.leave(results.take_front(initial.size()));
  exit.leave(statement.orElse, results.drop_front(initial.size()), /*isEndless=*/constant.has_value());
}

} // namespace triton::frontend
