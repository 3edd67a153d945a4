// `if` statements and conditional expressions.
#include "frontend/LoweringDiagnostics.h"
#include "frontend/lowering/ConstantEvaluation.h"
#include "frontend/lowering/Constructs.h"
#include "frontend/lowering/PathMerge.h"
#include "frontend/lowering/semantics/Semantics.h"

namespace triton::frontend {

std::variant<bool, Tensor> lowerCondition(Lowering &lowering, const ast::Expression &test) {
  Value value = lowerExpression(lowering, test);
  if (std::optional<bool> truth = constantTruth(value))
    return *truth;
  RangeScope scope(lowering, test.range);
  const Tensor *tensor = value.tensor();
  if (!tensor)
    lowering.error(diagnostics::ConditionNotBoolean, value.describe());
  return truthValue(lowering, *tensor);
}

/// The names that statements of the branches, or what follows, may assign.
static llvm::SmallVector<llvm::StringRef> assignedNames(llvm::ArrayRef<ast::Statements> lists) {
  llvm::SmallVector<llvm::StringRef> names;
  for (ast::Statements statements : lists)
    for (llvm::StringRef name : assignedNames(statements))
      if (!llvm::is_contained(names, name))
        names.push_back(name);
  return names;
}

void lowerIf(Lowering &lowering, const ast::If &statement, ast::Statements rest) {
  std::variant<bool, Tensor> condition = lowerCondition(lowering, *statement.test);
  if (const bool *isTaken = std::get_if<bool>(&condition)) {
    lowerStatements(lowering, *isTaken ? statement.body : statement.orElse);
    return lowerRest(lowering, rest);
  }
  Branches branches(lowering, std::get<Tensor>(condition).value);
  FunctionFrame &frame = *lowering.frame;
  Path before{frame.locals, {}};
  branches.enterThen();
  lowerStatements(lowering, statement.body);
  Path thenPath = Path::take(frame, before);
  branches.enterElse();
  lowerStatements(lowering, statement.orElse);
  // What follows is lowered once: if only one branch arrives at its end, into that branch.
  bool isInElse = thenPath.exits.isDead && !frame.exits.isDead, isInThen = !thenPath.exits.isDead && frame.exits.isDead;
  if (isInElse)
    lowerRest(lowering, rest);
  Path elsePath = Path::take(frame, before);
  if (isInThen) {
    branches.enterThen();
    frame.locals = std::move(thenPath.locals);
    frame.exits = std::move(thenPath.exits);
    lowerRest(lowering, rest);
    thenPath = Path::take(frame, std::move(before));
  }
  bool isRestDone = isInThen || isInElse;
  PathMerge merge(lowering, branches, thenPath, elsePath);
  merge.plan(assignedNames({statement.body, statement.orElse, isRestDone ? rest : ast::Statements()}));
  branches.finish();
  merge.apply();
  if (!isRestDone)
    lowerRest(lowering, rest);
}

static bool alwaysReturns(ast::Statements statements) {
  return llvm::any_of(statements, [](const ast::Statement *statement) {
    const auto *branch = llvm::dyn_cast<ast::If>(statement);
    return llvm::isa<ast::Return>(statement) ||
           (branch && alwaysReturns(branch->body) && alwaysReturns(branch->orElse));
  });
}

/// The outcome of a function whose last statement is this `if`.
static Outcome mergeOutcomes(Lowering &lowering, Branches &branches, Outcome first, Outcome second) {
  if (!first.returned && !second.returned) {
    branches.finish();
    return {};
  }
  // On a path that reaches the end without a `return`, the value that the others return is undefined.
  if (!first.returned)
    first.value = branches.undefined(second.value, /*inThen=*/true);
  if (!second.returned)
    second.value = branches.undefined(first.value, /*inThen=*/false);
  std::optional<unsigned> index = branches.merge(first.value, second.value);
  if (!index)
    lowering.raise(
        lowering.diagnose(second.range, diagnostics::ReturnTypes, second.value.describe(), first.value.describe())
            .note(diagnostics::OtherReturn, lowering.source(), first.range, first.value.describe()));
  branches.finish();
  return {true, branches.result(*index), first.returned ? first.range : second.range};
}

Outcome lowerAfterReturningLoop(Lowering &lowering, const Sequence &rest) {
  DepthScope depth(lowering);
  FunctionFrame &frame = *lowering.frame;
  Exits exits = std::exchange(frame.exits, {});
  Outcome first{true, *exits.result, exits.range};
  if (exits.isDead)
    return first;
  Branches branches(lowering, flagValue(lowering, exits[ExitKind::Return]));
  branches.enterElse();
  Outcome second = lowerSequence(lowering, rest);
  return mergeOutcomes(lowering, branches, std::move(first), std::move(second));
}

/// What follows statements that some, all or none of the paths may have left by a `return`.
static Outcome lowerOnward(Lowering &lowering, const Sequence &next) {
  return lowering.frame->exits.isNone() ? lowerSequence(lowering, next) : lowerAfterReturningLoop(lowering, next);
}

/// An `if` whose branches may both return and may both arrive at their ends. What follows is lowered once, so that code
/// grows with the text alone.
static Outcome lowerPartlyReturningIf(Lowering &lowering, const ast::If &statement, const Tensor &condition,
                                      const Sequence &next) {
  FunctionFrame &frame = *lowering.frame;
  Branches branches(lowering, condition.value);
  Path before{frame.locals, {}};
  branches.enterThen();
  lowerStatements(lowering, statement.body);
  Path thenPath = Path::take(frame, before);
  branches.enterElse();
  lowerStatements(lowering, statement.orElse);
  if (thenPath.exits.isDead) {
    Outcome second = lowerOnward(lowering, next);
    return mergeOutcomes(lowering, branches, {true, *thenPath.exits.result, thenPath.exits.range}, std::move(second));
  }
  Path elsePath = Path::take(frame, std::move(thenPath));
  if (elsePath.exits.isDead) {
    branches.enterThen();
    Outcome first = lowerOnward(lowering, next);
    return mergeOutcomes(lowering, branches, std::move(first), {true, *elsePath.exits.result, elsePath.exits.range});
  }
  thenPath = Path::take(frame, std::move(before));
  PathMerge merge(lowering, branches, thenPath, elsePath);
  merge.plan(assignedNames({statement.body, statement.orElse}));
  branches.finish();
  merge.apply();
  return lowerOnward(lowering, next);
}

Outcome lowerReturningIf(Lowering &lowering, const ast::If &statement, const Tensor &condition, const Sequence *next) {
  // In addition to its caller's, because passes walk the nested branches recursively as well.
  DepthScope depth(lowering);
  FunctionFrame &frame = *lowering.frame;
  if (!alwaysReturns(statement.body) && !alwaysReturns(statement.orElse))
    return lowerPartlyReturningIf(lowering, statement, condition, *next);
  Branches branches(lowering, condition.value);
  Locals before = frame.locals;
  branches.enterThen();
  Outcome first = lowerSequence(lowering, {statement.body, next});
  frame.locals = std::move(before);
  branches.enterElse();
  Outcome second = lowerSequence(lowering, {statement.orElse, next});
  return mergeOutcomes(lowering, branches, std::move(first), std::move(second));
}

Value lowerConditional(Lowering &lowering, const ast::IfExp &expression) {
  std::variant<bool, Tensor> condition = lowerCondition(lowering, *expression.test);
  if (const bool *isTaken = std::get_if<bool>(&condition))
    return lowerExpression(lowering, *isTaken ? *expression.body : *expression.orElse);
  Branches branches(lowering, std::get<Tensor>(condition).value);
  branches.enterThen();
  Value first = lowerExpression(lowering, *expression.body);
  branches.enterElse();
  Value second = lowerExpression(lowering, *expression.orElse);
  std::optional<unsigned> index = branches.merge(first, second);
  if (!index)
    lowering.error(diagnostics::ConditionalTypes, first.describe(), second.describe());
  branches.finish();
  return branches.result(*index);
}

} // namespace triton::frontend
