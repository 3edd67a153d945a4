#include "frontend/BuiltinDiagnostics.h"
#include "frontend/lowering/Lowering.h"
#include "frontend/lowering/semantics/Semantics.h"

namespace triton::frontend {

using ast::CompareOperator;
namespace arith = mlir::arith;

namespace {

/// Ordered, so that a NaN compares false, except for `!=`.
arith::CmpFPredicate floatPredicate(CompareOperator op) {
  switch (op) {
  case CompareOperator::Eq:
    return arith::CmpFPredicate::OEQ;
  case CompareOperator::NotEq:
    return arith::CmpFPredicate::UNE;
  case CompareOperator::Lt:
    return arith::CmpFPredicate::OLT;
  case CompareOperator::LtE:
    return arith::CmpFPredicate::OLE;
  case CompareOperator::Gt:
    return arith::CmpFPredicate::OGT;
  case CompareOperator::GtE:
    return arith::CmpFPredicate::OGE;
  case CompareOperator::Is:
  case CompareOperator::IsNot:
  case CompareOperator::In:
  case CompareOperator::NotIn:
    break;
  }
  llvm_unreachable("refused before");
}

arith::CmpIPredicate integerPredicate(CompareOperator op, bool isSigned) {
  switch (op) {
  case CompareOperator::Eq:
    return arith::CmpIPredicate::eq;
  case CompareOperator::NotEq:
    return arith::CmpIPredicate::ne;
  case CompareOperator::Lt:
    return isSigned ? arith::CmpIPredicate::slt : arith::CmpIPredicate::ult;
  case CompareOperator::LtE:
    return isSigned ? arith::CmpIPredicate::sle : arith::CmpIPredicate::ule;
  case CompareOperator::Gt:
    return isSigned ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::ugt;
  case CompareOperator::GtE:
    return isSigned ? arith::CmpIPredicate::sge : arith::CmpIPredicate::uge;
  case CompareOperator::Is:
  case CompareOperator::IsNot:
  case CompareOperator::In:
  case CompareOperator::NotIn:
    break;
  }
  llvm_unreachable("refused before");
}

Tensor logicalOperand(Lowering &lowering, ast::BoolOperator op, const Value &value) {
  std::string text = ast::spelling(op).str();
  if (!isNumeric(value))
    lowering.error(diagnostics::OperandNotNumeric, text, value.describe());
  Tensor tensor = toTensor(lowering, value);
  if (tensor.type.element.isPointer()) // holds when it is not null
    return cast(lowering, tensor, ElementType{ScalarType::Int1});
  if (tensor.type.element != ElementType{ScalarType::Int1})
    lowering.error(diagnostics::LogicalOperandWidth, text, value.describe());
  return tensor;
}

} // namespace

Value comparison(Lowering &lowering, CompareOperator op, const Value &left, const Value &right) {
  std::string text = ast::spelling(op).str();
  if (op > CompareOperator::GtE)
    lowering.error(diagnostics::OperatorUnsupported, text, left.describe(), std::string("`==`"));
  auto [leftTensor, rightTensor] = promoteOperands(lowering, left, right, OperatorClass::Arithmetic, text);
  ScalarType type = leftTensor.type.element.scalar;
  mlir::Value result;
  if (isFloat(type))
    result = lowering.create<arith::CmpFOp>(floatPredicate(op), leftTensor.value, rightTensor.value);
  else
    result = lowering.create<arith::CmpIOp>(integerPredicate(op, kind(type) == ScalarKind::Signed), leftTensor.value,
                                            rightTensor.value);
  return Tensor{result, leftTensor.type.withElement(ElementType{ScalarType::Int1})};
}

Value logicalOperator(Lowering &lowering, ast::BoolOperator op, const Value &left, const Value &right,
                      bool warnsOfBlocks) {
  Tensor leftOperand = logicalOperand(lowering, op, left);
  Tensor rightOperand = logicalOperand(lowering, op, right);
  if (warnsOfBlocks && (!leftOperand.type.isScalar() || !rightOperand.type.isScalar()))
    lowering.warn(lowering.range, diagnostics::LogicalOnBlocks, ast::spelling(op).str(),
                  std::string(op == ast::BoolOperator::And ? "&" : "|"));
  auto [a, b] = broadcast(lowering, leftOperand, rightOperand);
  mlir::Value result;
  if (op == ast::BoolOperator::And)
    result = lowering.create<arith::AndIOp>(a.value, b.value);
  else
    result = lowering.create<arith::OrIOp>(a.value, b.value);
  return Tensor{result, a.type};
}

Tensor truthValue(Lowering &lowering, const Tensor &tensor) {
  Tensor scalar = tensor;
  if (!tensor.type.isScalar()) {
    if (tensor.type.elementCount() != 1)
      lowering.error(diagnostics::BlockCondition, tensor.type.str());
    lowering.warn(lowering.range, diagnostics::OneElementCondition, tensor.type.str());
    scalar = reshape(lowering, tensor, {}, false);
  }
  return cast(lowering, scalar, ElementType{ScalarType::Int1});
}

} // namespace triton::frontend
