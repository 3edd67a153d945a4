#include "frontend/lowering/PathMerge.h"

#include "frontend/LoweringDiagnostics.h"
#include "frontend/lowering/CarriedNames.h"
#include "frontend/lowering/ConstantEvaluation.h"
#include "frontend/lowering/Loops.h"

namespace triton::frontend {

static bool isDefined(const Variable &variable) { return variable.state == Variable::State::Defined; }

Path Path::take(FunctionFrame &frame, Path next) {
  return {std::exchange(frame.locals, std::move(next.locals)), std::exchange(frame.exits, std::move(next.exits))};
}

void PathMerge::plan(llvm::ArrayRef<llvm::StringRef> names) {
  for (llvm::StringRef name : names)
    planName(name);
  planExits();
}

void PathMerge::planName(llvm::StringRef name) {
  auto inThen = thenPath.locals.find(name), inElse = elsePath.locals.find(name);
  bool isInThen = inThen != thenPath.locals.end(), isInElse = inElse != elsePath.locals.end();
  bool thenDefines = isInThen && isDefined(inThen->second), elseDefines = isInElse && isDefined(inElse->second);
  auto isUnknown = [](const auto &variable) { return variable->second.state == Variable::State::Unknown; };
  // The order of the conditions matters. NOLINTBEGIN(bugprone-branch-clone)
  if (isInThen && isUnknown(inThen))
    undefined.push_back({name, inThen->second});
  else if (isInElse && isUnknown(inElse))
    undefined.push_back({name, inElse->second});
  else if (thenDefines && elseDefines)
    planBoth(name, inThen->second, inElse->second);
  else if (thenDefines && elsePath.exits.isDead)
    planOne(name, inThen->second, /*inThen=*/true);
  else if (elseDefines && thenPath.exits.isDead)
    planOne(name, inElse->second, /*inThen=*/false);
  else if (isInThen && (thenDefines || !isInElse))
    undefined.push_back({name, inThen->second});
  else if (isInElse)
    undefined.push_back({name, inElse->second});
  // NOLINTEND(bugprone-branch-clone)
}

/// Whether no path of a dead branch needs a value of the name: they return, or leave a loop that does not carry it.
bool PathMerge::isNameFree(llvm::StringRef name) {
  const Exits &dead = thenPath.exits.isDead ? thenPath.exits : elsePath.exits;
  if (constantTruth(dead[ExitKind::Break]) == false && constantTruth(dead[ExitKind::Continue]) == false)
    return true;
  const LoopFrame *loop = lowering.frame->loop;
  return loop && loop->carried && loop->carried->mayLose(name);
}

void PathMerge::planBoth(llvm::StringRef name, const Variable &inThen, const Variable &inElse) {
  std::optional<unsigned> index = branches.merge(inThen.value, inElse.value);
  if (index) {
    results.push_back({name, {{}, inThen.range, inThen.isConstexpr && inElse.isConstexpr}, *index});
    return;
  }
  bool isDead = thenPath.exits.isDead || elsePath.exits.isDead;
  if (!isDead || !isNameFree(name))
    lowering.raise(
        lowering
            .diagnose(inThen.range, diagnostics::BranchTypes, name, inThen.value.describe(), inElse.value.describe())
            .note(diagnostics::OtherBranch, lowering.source(), inElse.range, inElse.value.describe()));
  planOne(name, thenPath.exits.isDead ? inElse : inThen, /*inThen=*/!thenPath.exits.isDead);
}

void PathMerge::planOne(llvm::StringRef name, const Variable &variable, bool inThen) {
  Value missing = branches.undefined(variable.value, /*inThen=*/!inThen);
  const Value &thenValue = inThen ? variable.value : missing, &elseValue = inThen ? missing : variable.value;
  results.push_back({name, {{}, variable.range, variable.isConstexpr}, *branches.merge(thenValue, elseValue)});
}

void PathMerge::planExits() {
  const Exits &first = thenPath.exits, &second = elsePath.exits;
  for (auto [flag, a, b] : llvm::zip_equal(flags, first.taken, second.taken))
    flag = *branches.merge(a, b);
  if (!first.result && !second.result)
    return;
  Value a = first.result ? *first.result : branches.undefined(*second.result, /*inThen=*/true);
  Value b = second.result ? *second.result : branches.undefined(*first.result, /*inThen=*/false);
  result = branches.merge(a, b);
  if (!result)
    lowering.raise(lowering.diagnose(second.range, diagnostics::ReturnTypes, b.describe(), a.describe())
                       .note(diagnostics::OtherReturn, lowering.source(), first.range, a.describe()));
}

void PathMerge::apply() {
  FunctionFrame &frame = *lowering.frame;
  for (auto &[name, variable, index] : results) {
    variable.value = branches.result(index);
    frame.locals[name] = variable;
  }
  for (auto &[name, variable] : undefined) {
    if (isDefined(variable))
      variable.state = Variable::State::Partial;
    frame.locals[name] = variable;
  }
  Exits &exits = frame.exits;
  for (auto [flag, value] : llvm::zip_equal(flags, exits.taken))
    value = branches.result(flag);
  exits.isDead = thenPath.exits.isDead && elsePath.exits.isDead;
  exits.result = result ? std::optional(branches.result(*result)) : std::nullopt;
  exits.range = thenPath.exits.result ? thenPath.exits.range : elsePath.exits.range;
}

void lowerUnless(Lowering &lowering, const Value &left, const Exits &otherwise, llvm::ArrayRef<llvm::StringRef> names,
                 llvm::function_ref<void()> body) {
  // Passes walk nested branches recursively.
  DepthScope depth(lowering);
  FunctionFrame &frame = *lowering.frame;
  Branches branches(lowering, negatedFlag(lowering, left));
  Path before{frame.locals, otherwise};
  branches.enterThen();
  frame.exits = {};
  body();
  Path after = Path::take(frame, {before.locals, {}});
  // An exit that the body does not take has its earlier value on the other paths, and was not taken on the body's
  // paths.
  for (auto [now, earlier] : llvm::zip_equal(after.exits.taken, before.exits.taken))
    if (constantTruth(now) == false)
      now = earlier;
  if (!after.exits.result) {
    after.exits.result = before.exits.result;
    after.exits.range = before.exits.range;
  }
  PathMerge merge(lowering, branches, after, before);
  merge.plan(names);
  branches.finish();
  merge.apply();
}

} // namespace triton::frontend
