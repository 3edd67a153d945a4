// `break` and `continue`, the values that the loops which they leave carry, and the `else` of loops.
#include "frontend/LoweringDiagnostics.h"
#include "frontend/lowering/ConstantEvaluation.h"
#include "frontend/lowering/Constructs.h"
#include "frontend/lowering/Loops.h"
#include "frontend/lowering/PathMerge.h"

namespace triton::frontend {

LoopFrame::LoopFrame(Lowering &lowering, CarriedNames *carried)
    : lowering(lowering), outer(lowering.frame->loop), carried(carried) {
  lowering.frame->loop = this;
}
LoopFrame::~LoopFrame() { lowering.frame->loop = outer; }

/// Keeps those of the names that are defined here.
static void intersect(std::optional<llvm::StringSet<>> &names, const Locals &locals) {
  llvm::StringSet<> defined;
  for (const auto &local : locals)
    if (local.second.state == Variable::State::Defined && (!names || names->contains(local.first())))
      defined.insert(local.first());
  names = std::move(defined);
}

void lowerLoopExit(Lowering &lowering, ExitKind kind) {
  LoopFrame *loop = lowering.frame->loop;
  bool isBreak = kind == ExitKind::Break;
  if (!loop)
    lowering.error(diagnostics::ExitOutsideLoop, isBreak ? "break" : "continue");
  if (loop->carried)
    loop->carried->current(); // checks the types
  else
    intersect(isBreak ? loop->definedAtBreak : loop->definedAtContinue, lowering.frame->locals);
  lowering.frame->exits[kind] = Value::boolean(true);
  lowering.frame->exits.isDead = true;
}

bool endsLoop(const Exits &exits) {
  return constantTruth(exits[ExitKind::Break]) != false || constantTruth(exits[ExitKind::Return]) != false;
}

EarlyExit::EarlyExit(Lowering &lowering, Exits atEnd)
    : lowering(lowering), exits(std::move(atEnd)), hasBreak(constantTruth(exits[ExitKind::Break]) != false),
      hasReturn(constantTruth(exits[ExitKind::Return]) != false) {}

llvm::SmallVector<mlir::Value> EarlyExit::initial() {
  mlir::Value no = flagValue(lowering, Value::boolean(false));
  llvm::SmallVector<mlir::Value> values(hasBreak && hasReturn ? 2 : 1, no);
  if (!exits.result)
    return values;
  llvm::SmallVector<mlir::Value> parts;
  flatten(*exits.result, parts);
  for (mlir::Value part : parts)
    values.push_back(lowering.create<mlir::ub::PoisonOp>(part.getType()));
  return values;
}

llvm::SmallVector<mlir::Value> EarlyExit::current() {
  const Value &broke = exits[ExitKind::Break], &returned = exits[ExitKind::Return];
  llvm::SmallVector<mlir::Value> values = {flagValue(lowering, eitherHolds(lowering, broke, returned))};
  if (hasBreak && hasReturn)
    values.push_back(flagValue(lowering, returned));
  if (exits.result)
    flatten(*exits.result, values);
  return values;
}

Value EarlyExit::wasLeft(mlir::ValueRange values) { return Tensor{values.front(), TensorType(ScalarType::Int1)}; }

Exits EarlyExit::exitsAfter(mlir::ValueRange results, bool isEndless) const {
  Exits left;
  if (!hasReturn)
    return left;
  left.isDead = isEndless && !hasBreak;
  if (left.isDead)
    left[ExitKind::Return] = Value::boolean(true);
  else
    left[ExitKind::Return] = wasLeft(results.drop_front(hasBreak ? 1 : 0));
  llvm::SmallVector<mlir::Value> parts(results.drop_front(hasBreak ? 2 : 1));
  llvm::ArrayRef<mlir::Value> rest = parts;
  left.result = rebuild(*exits.result, rest);
  left.range = exits.range;
  return left;
}

void EarlyExit::leave(ast::Statements orElse, mlir::ValueRange results, bool isEndless) {
  Value left = isEndless ? Value::boolean(true) : wasLeft(results);
  lowerLoopElse(lowering, orElse, left, exitsAfter(results, isEndless), hasBreak);
}

void lowerLoopElse(Lowering &lowering, ast::Statements statements, const Value &left, const Exits &exits,
                   bool mayBreak) {
  lowering.frame->exits = exits;
  std::optional<bool> isLeft = constantTruth(left);
  if (statements.empty() || isLeft == true)
    return;
  if (isLeft == false)
    return lowerStatements(lowering, statements);
  Exits otherwise = exits;
  otherwise.isDead = !mayBreak;
  lowerUnless(lowering, left, otherwise, assignedNames(statements), [&] { lowerStatements(lowering, statements); });
}

} // namespace triton::frontend
