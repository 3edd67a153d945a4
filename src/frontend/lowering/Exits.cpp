#include "frontend/lowering/Exits.h"

#include "frontend/lowering/ConstantEvaluation.h"
#include "frontend/lowering/Lowering.h"
#include "frontend/lowering/semantics/Semantics.h"

namespace triton::frontend {

namespace arith = mlir::arith;

bool Exits::isNone() const {
  return !isDead && llvm::all_of(taken, [](const Value &flag) { return constantTruth(flag) == false; });
}

Value eitherHolds(Lowering &lowering, const Value &a, const Value &b) {
  if (std::optional<bool> truth = constantTruth(a))
    return *truth ? a : b;
  if (std::optional<bool> truth = constantTruth(b))
    return *truth ? b : a;
  return Tensor{lowering.create<arith::OrIOp>(a.tensor()->value, b.tensor()->value), a.tensor()->type};
}

Value hasLeft(Lowering &lowering, const Exits &exits) {
  Value left = eitherHolds(lowering, exits[ExitKind::Break], exits[ExitKind::Continue]);
  return eitherHolds(lowering, left, exits[ExitKind::Return]);
}

mlir::Value flagValue(Lowering &lowering, const Value &flag) {
  return toTensor(lowering, flag, ScalarType::Int1).value;
}

mlir::Value negatedFlag(Lowering &lowering, const Value &flag) {
  return unaryOperator(lowering, ast::UnaryOperator::Not, toTensor(lowering, flag, ScalarType::Int1)).tensor()->value;
}

} // namespace triton::frontend
