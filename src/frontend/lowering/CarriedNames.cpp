#include "frontend/lowering/CarriedNames.h"

#include "frontend/LoweringDiagnostics.h"
#include "frontend/lowering/Constructs.h"

namespace triton::frontend {

CarriedNames::CarriedNames(Lowering &lowering, llvm::ArrayRef<llvm::StringRef> assigned)
    : lowering(lowering), assigned(assigned), localsBefore(lowering.frame->locals) {
  for (llvm::StringRef name : assigned) {
    auto variable = localsBefore.find(name);
    if (variable == localsBefore.end() || variable->second.state != Variable::State::Defined)
      continue;
    Name carried{name, variable->second};
    // A parameter that was given a number may still change in a loop, whatever the number is.
    if (carried.before.value.isNumber() && !carried.before.isConstexpr)
      carried.before.value = toAssigned(lowering, carried.before.value);
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
  for (const Name &carried : names)
    lowering.frame->locals[carried.name].value = rebuild(carried.before.value, rest);
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

llvm::SmallVector<mlir::Value> CarriedNames::current() const {
  llvm::SmallVector<mlir::Value> values;
  for (const Name &carried : names) {
    const Variable &after = lowering.frame->locals.find(carried.name)->second;
    if (after.state != Variable::State::Defined)
      lowering.error(after.range, diagnostics::PartiallyDefinedName, carried.name);
    if (!sameType(carried.before.value, after.value))
      reportChange(carried, after);
    flatten(after.value, values);
  }
  return values;
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
}

} // namespace triton::frontend
