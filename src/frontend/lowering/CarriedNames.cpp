#include "frontend/lowering/CarriedNames.h"

#include "frontend/LoweringDiagnostics.h"
#include "frontend/lowering/Constructs.h"

namespace triton::frontend {

CarriedNames::CarriedNames(Lowering &lowering, llvm::ArrayRef<llvm::StringRef> assigned,
                           const llvm::StringSet<> &exposed, llvm::StringRef index)
    : lowering(lowering), assigned(assigned), localsBefore(lowering.frame->locals) {
  for (llvm::StringRef name : assigned) {
    auto variable = localsBefore.find(name);
    if (variable == localsBefore.end() || variable->second.state != Variable::State::Defined)
      continue;
    bool isIndex = name == index;
    Name carried{name, variable->second, isIndex || !exposed.contains(name), false, {}};
    // A parameter that was given a number may change in a loop, whatever the number is. The same holds for the index of
    // a repeated loop if this loop uses the name for its own index.
    if (carried.before.value.isNumber() && (!carried.before.isConstexpr || isIndex)) {
      carried.before.value = toAssigned(lowering, carried.before.value);
      carried.before.isConstexpr = false;
    }
    names.push_back(std::move(carried));
  }
}

llvm::SmallVector<mlir::Value> CarriedNames::initial() const {
  llvm::SmallVector<mlir::Value> values;
  for (const Name &carried : names)
    flatten(carried.before.value, values);
  return values;
}

void CarriedNames::enter(mlir::ValueRange values) {
  llvm::SmallVector<mlir::Value> parts(values);
  llvm::ArrayRef<mlir::Value> rest = parts;
  for (Name &carried : names) {
    carried.entry = rebuild(carried.before.value, rest);
    Variable &variable = lowering.frame->locals[carried.name];
    variable.value = carried.entry;
    variable.isConstexpr = carried.before.isConstexpr;
  }
}

void CarriedNames::reportChange(const Name &carried, const Variable &after) const {
  const Value &before = carried.before.value;
  Diagnostic diagnostic =
      carried.before.isConstexpr
          ? lowering.diagnose(after.range, diagnostics::LoopChangesConstant, carried.name, before.describe())
          : lowering.diagnose(after.range, diagnostics::LoopTypes, carried.name, before.describe(),
                              after.value.describe());
  diagnostic.note(diagnostics::BeforeLoop, lowering.source(), carried.before.range, before.describe());
  lowering.raise(std::move(diagnostic));
}

/// The value of a name that may change its type. If the type did change, this is the value at the start of the
/// iteration, which nothing reads.
Value CarriedNames::reboundValue(Name &carried, const Variable &after) {
  Value value = after.value;
  // The index of a repeated loop.
  if (after.state == Variable::State::Defined && value.isNumber() && !carried.before.isConstexpr)
    value = toAssigned(lowering, value);
  carried.hasChanged |= after.state != Variable::State::Defined || !sameType(carried.before.value, value);
  return carried.hasChanged ? carried.entry : value;
}

llvm::SmallVector<mlir::Value> CarriedNames::current() {
  llvm::SmallVector<mlir::Value> values;
  for (Name &carried : names) {
    const Variable &after = lowering.frame->locals.find(carried.name)->second;
    if (after.state == Variable::State::Unknown) {
      flatten(carried.entry, values);
      continue;
    }
    if (carried.mayChange) {
      flatten(reboundValue(carried, after), values);
      continue;
    }
    if (after.state == Variable::State::Replaced)
      reportChange(carried, after);
    if (after.state != Variable::State::Defined)
      lowering.error(after.range, diagnostics::PartiallyDefinedName, carried.name);
    if (!sameType(carried.before.value, after.value))
      reportChange(carried, after);
    flatten(after.value, values);
  }
  return values;
}

bool CarriedNames::mayLose(llvm::StringRef name) {
  Name *carried = llvm::find_if(names, [&](const Name &candidate) { return candidate.name == name; });
  if (carried == names.end())
    return true;
  carried->hasChanged |= carried->mayChange;
  return carried->mayChange;
}

void CarriedNames::leave(mlir::ValueRange results) {
  Locals after = std::exchange(lowering.frame->locals, std::move(localsBefore));
  Locals &locals = lowering.frame->locals;
  for (llvm::StringRef name : assigned) {
    auto variable = after.find(name);
    if (variable == after.end())
      continue;
    if (!locals.count(name))
      locals[name] = {{}, variable->second.range, false, Variable::State::OfLoop};
  }
  for (const Name &carried : names)
    locals[carried.name].range = after[carried.name].range;
  enter(results);
  for (const Name &carried : names)
    if (carried.hasChanged) {
      const Variable &replaced = after[carried.name];
      locals[carried.name] = {replaced.value, replaced.range, false, Variable::State::Replaced};
    }
  for (llvm::StringRef name : assigned)
    if (auto variable = after.find(name); variable != after.end() && variable->second.state == Variable::State::Unknown)
      locals[name] = variable->second;
}

} // namespace triton::frontend
