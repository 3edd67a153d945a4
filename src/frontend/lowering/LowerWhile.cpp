// `while` on a runtime scalar: scf.while.
#include "frontend/LoweringDiagnostics.h"
#include "frontend/lowering/CarriedNames.h"
#include "frontend/lowering/Constructs.h"
#include "frontend/lowering/semantics/Semantics.h"

namespace triton::frontend {

namespace scf = mlir::scf;

namespace {
struct Test {
  Tensor condition;
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
  const Tensor *tensor = value.tensor();
  if (!tensor)
    lowering.error(diagnostics::ConstantWhile, value.describe());
  return {truthValue(lowering, *tensor), disableLicm};
}

void lowerWhile(Lowering &lowering, const ast::While &statement) {
  if (!statement.orElse.empty())
    lowering.error(statement.orElse.front()->range, diagnostics::LoopElse);
  llvm::SmallVector<llvm::StringRef> assigned = assignedNames(statement.body);
  for (llvm::StringRef name : assignedNames(*statement.test))
    if (!llvm::is_contained(assigned, name))
      assigned.push_back(name);
  llvm::SmallVector<llvm::StringRef> rebound = reboundNames(statement.body, statement.test);
  CarriedNames carried(lowering, assigned, rebound);
  llvm::SmallVector<mlir::Value> initial = carried.initial();
  llvm::SmallVector<mlir::Type> types(mlir::ValueRange(initial).getTypes());
  llvm::SmallVector<mlir::Location> locations(types.size(), lowering.location());
  auto loop = lowering.create<scf::WhileOp>(types, initial);

  mlir::OpBuilder &builder = lowering.builder;
  mlir::Block *before = builder.createBlock(&loop.getBefore(), {}, types, locations);
  carried.enter(before->getArguments());
  Test test = lowerTest(lowering, *statement.test);
  lowering.create<scf::ConditionOp>(test.condition.value, carried.current());
  if (test.disableLicm)
    setLicmDisabled(lowering, loop);

  mlir::Block *after = builder.createBlock(&loop.getAfter(), {}, types, locations);
  carried.enter(after->getArguments());
  ++lowering.frame->loopDepth;
  lowerStatements(lowering, statement.body);
  --lowering.frame->loopDepth;
  lowering.create<scf::YieldOp>(carried.current());
  builder.setInsertionPointAfter(loop);
  carried.leave(loop.getResults());
}

} // namespace triton::frontend
