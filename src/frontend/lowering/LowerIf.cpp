// `if` statements and conditional expressions.
#include "frontend/LoweringDiagnostics.h"
#include "frontend/lowering/Branches.h"
#include "frontend/lowering/ConstantEvaluation.h"
#include "frontend/lowering/Constructs.h"
#include "frontend/lowering/semantics/Semantics.h"

namespace triton::frontend {

/// How often a function may lower the same statements into both branches of an `if`.
static constexpr unsigned maximumRepeatedPaths = 256;

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

namespace {

/// Combines what the branches of an `if` leave in the local names.
class LocalsMerge {
public:
  LocalsMerge(Lowering &lowering, Branches &branches, Locals &thenLocals, Locals &elseLocals)
      : lowering(lowering), branches(branches), thenLocals(thenLocals), elseLocals(elseLocals) {}

  /// Before the operation is finished: decides its results.
  void plan(llvm::ArrayRef<llvm::StringRef> names) {
    for (llvm::StringRef name : names) {
      auto inThen = thenLocals.find(name), inElse = elseLocals.find(name);
      bool isInThen = inThen != thenLocals.end(), isInElse = inElse != elseLocals.end();
      if (isInThen && isInElse && isDefined(inThen->second) && isDefined(inElse->second))
        planMerge(name, inThen->second, inElse->second);
      else if (isInThen && (isDefined(inThen->second) || !isInElse))
        undefined.push_back({name, inThen->second});
      else if (isInElse)
        undefined.push_back({name, inElse->second});
    }
  }

  /// After it: sets the names in `locals`.
  void apply(Locals &locals) {
    for (auto &[name, variable, index] : results) {
      variable.value = branches.result(index);
      locals[name] = variable;
    }
    for (auto &[name, variable] : undefined) {
      if (isDefined(variable))
        variable.state = Variable::State::Partial;
      locals[name] = variable;
    }
  }

private:
  struct Result {
    llvm::StringRef name;
    Variable variable;
    unsigned index;
  };

  static bool isDefined(const Variable &variable) { return variable.state == Variable::State::Defined; }

  void planMerge(llvm::StringRef name, const Variable &inThen, const Variable &inElse) {
    std::optional<unsigned> index = branches.merge(inThen.value, inElse.value);
    if (!index)
      lowering.raise(
          lowering
              .diagnose(inThen.range, diagnostics::BranchTypes, name, inThen.value.describe(), inElse.value.describe())
              .note(diagnostics::OtherBranch, lowering.source(), inElse.range, inElse.value.describe()));
    results.push_back({name, {{}, inThen.range, inThen.isConstexpr && inElse.isConstexpr}, *index});
  }

  Lowering &lowering;
  Branches &branches;
  Locals &thenLocals, &elseLocals;
  llvm::SmallVector<Result> results;
  llvm::SmallVector<std::pair<llvm::StringRef, Variable>> undefined;
};

} // namespace

void lowerIf(Lowering &lowering, const ast::If &statement) {
  std::variant<bool, Tensor> condition = lowerCondition(lowering, *statement.test);
  if (const bool *isTaken = std::get_if<bool>(&condition))
    return lowerStatements(lowering, *isTaken ? statement.body : statement.orElse);

  Branches branches(lowering, std::get<Tensor>(condition).value);
  Locals &locals = lowering.frame->locals;
  Locals before = locals;
  branches.enterThen();
  lowerStatements(lowering, statement.body);
  Locals thenLocals = std::exchange(locals, before);
  branches.enterElse();
  lowerStatements(lowering, statement.orElse);
  Locals elseLocals = std::exchange(locals, std::move(before));

  llvm::SmallVector<llvm::StringRef> names = assignedNames(statement.body);
  for (llvm::StringRef name : assignedNames(statement.orElse))
    if (!llvm::is_contained(names, name))
      names.push_back(name);
  LocalsMerge merge(lowering, branches, thenLocals, elseLocals);
  merge.plan(names);
  branches.finish();
  merge.apply(locals);
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
  // A path that falls off the end leaves what the others return undefined.
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

Outcome lowerReturningIf(Lowering &lowering, const ast::If &statement, const Tensor &condition, const Sequence *next) {
  // Beside its caller's: passes walk the nested branches recursively as well.
  DepthScope depth(lowering);
  FunctionFrame &frame = *lowering.frame;
  bool lowersNextTwice = !alwaysReturns(statement.body) && !alwaysReturns(statement.orElse);
  if (lowersNextTwice && ++frame.repeatedPaths > maximumRepeatedPaths)
    lowering.error(statement.range, diagnostics::TooManyPaths);

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
