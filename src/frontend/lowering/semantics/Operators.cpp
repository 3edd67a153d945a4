#include "frontend/BuiltinDiagnostics.h"
#include "frontend/lowering/Lowering.h"
#include "frontend/lowering/semantics/Semantics.h"
#include "ir/Dialect.h"

namespace triton::frontend {

using ast::BinaryOperator;
namespace arith = mlir::arith;

namespace {

PromotionOperand promotionOperand(Lowering &lowering, const Value &value, llvm::StringRef operatorText) {
  if (value.isNumber())
    return {ScalarType::Void, numberOf(*value.constant())};
  const Tensor *tensor = value.tensor();
  if (value.buffer())
    lowering.error(diagnostics::BufferAsTensor, value.describe());
  if (!tensor)
    lowering.error(diagnostics::OperandNotNumeric, operatorText.str(), value.describe());
  if (tensor->type.element.isPointer())
    lowering.error(diagnostics::PointerOperand, operatorText.str(), tensor->type.str());
  return {tensor->type.element.scalar};
}

[[noreturn]] void reportPromotion(Lowering &lowering, const PromotionFailure &failure, const Value &left,
                                  const Value &right, llvm::StringRef operatorText) {
  const Value &number = left.isNumber() ? left : right;
  std::string type(longName(failure.result));
  std::string text = operatorText.str();
  switch (failure.error) {
  case PromotionError::NumberTooLarge:
    lowering.error(diagnostics::NumberTooLarge, repr(*number.constant()));
  case PromotionError::NegativeToUnsigned:
    lowering.error(diagnostics::NegativeToUnsigned, repr(*number.constant()), type, text);
  case PromotionError::NumberOutOfRange:
    lowering.error(diagnostics::NumberOutOfRange, repr(*number.constant()), type, text);
  case PromotionError::MixedSignedness:
    lowering.error(diagnostics::MixedSignedness, text, left.describe(), right.describe());
  case PromotionError::Float8WithInteger:
    lowering.error(diagnostics::Float8WithInteger, text, left.describe(), right.describe());
  }
  llvm_unreachable("every promotion error is reported above");
}

/// Makes a number directly a constant of `type` in the shape of `block`; casts a tensor to `type`.
Tensor bringTo(Lowering &lowering, const Value &value, ScalarType type, const TensorType &block) {
  if (!value.isNumber())
    return cast(lowering, *value.tensor(), ElementType{type});
  return constantTensor(lowering, *numberOf(*value.constant()), block.withElement(ElementType{type}));
}

Tensor addPointer(Lowering &lowering, const Tensor &pointer, const Value &offsetValue, bool subtract) {
  Tensor offset = toTensor(lowering, offsetValue);
  ScalarType type = offset.type.element.scalar;
  if (offset.type.element.isPointer() || !isInteger(type))
    lowering.error(diagnostics::PointerOffset, offsetValue.describe());
  if (pointer.type.element.pointee() == ElementType{ScalarType::Void})
    lowering.error(diagnostics::VoidPointer, std::string(subtract ? "-" : "+"), pointer.type.str());
  // Offsets are signed in the IR, so that an unsigned offset keeps its value only in a wider type.
  if (kind(type) != ScalarKind::Signed && bitWidth(type) < 64)
    offset = cast(lowering, offset, ElementType{ScalarType::Int64});
  if (subtract && bitWidth(offset.type.element.scalar) < 32) // The least number has no negative in its own type.
    offset = cast(lowering, offset, ElementType{ScalarType::Int32});
  if (subtract)
    offset = *unaryOperator(lowering, ast::UnaryOperator::USub, offset).tensor();
  auto [base, moved] = broadcast(lowering, pointer, offset);
  return {lowering.create<tt::AddPtrOp>(base.value.getType(), base.value, moved.value), base.type};
}

/// `pointer ± integer` and `integer + pointer`; none when neither side is a pointer.
std::optional<Tensor> pointerArithmetic(Lowering &lowering, BinaryOperator op, const Value &left, const Value &right) {
  auto isPointer = [](const Value &value) { return value.tensor() && value.tensor()->type.element.isPointer(); };
  if (!isPointer(left) && !isPointer(right))
    return std::nullopt;
  if (isPointer(left) && isPointer(right))
    lowering.error(diagnostics::TwoPointers, ast::spelling(op).str(), left.describe(), right.describe());
  if (op == BinaryOperator::Add)
    return isPointer(left) ? addPointer(lowering, *left.tensor(), right, false)
                           : addPointer(lowering, *right.tensor(), left, false);
  if (op == BinaryOperator::Sub && isPointer(left))
    return addPointer(lowering, *left.tensor(), right, true);
  lowering.error(diagnostics::PointerOperand, ast::spelling(op).str(),
                 isPointer(left) ? left.describe() : right.describe());
}

template <typename FloatOp, typename SignedOp, typename UnsignedOp>
Tensor emit(Lowering &lowering, const Tensor &left, const Tensor &right) {
  ScalarType type = left.type.element.scalar;
  mlir::Value result;
  if (isFloat(type))
    result = lowering.create<FloatOp>(left.value, right.value);
  else if (kind(type) == ScalarKind::Signed)
    result = lowering.create<SignedOp>(left.value, right.value);
  else
    result = lowering.create<UnsignedOp>(left.value, right.value);
  return {result, left.type};
}

template <typename Op> Tensor emitInteger(Lowering &lowering, const Tensor &left, const Tensor &right) {
  return {lowering.create<Op>(left.value, right.value), left.type};
}

OperatorClass classOf(BinaryOperator op) {
  bool division = op == BinaryOperator::Div || op == BinaryOperator::FloorDiv || op == BinaryOperator::Mod;
  return division ? OperatorClass::Division : OperatorClass::Arithmetic;
}

bool needsIntegers(BinaryOperator op) {
  switch (op) {
  case BinaryOperator::Add:
  case BinaryOperator::Sub:
  case BinaryOperator::Mult:
  case BinaryOperator::Div:
  case BinaryOperator::Mod:
    return false;
  case BinaryOperator::FloorDiv:
  case BinaryOperator::LShift:
  case BinaryOperator::RShift:
  case BinaryOperator::BitAnd:
  case BinaryOperator::BitOr:
  case BinaryOperator::BitXor:
  case BinaryOperator::MatMult:
  case BinaryOperator::Pow:
    return true;
  }
  llvm_unreachable("unknown operator");
}

Tensor divide(Lowering &lowering, Tensor left, Tensor right) {
  if (isInteger(left.type.element.scalar)) {
    left = cast(lowering, left, ElementType{ScalarType::Float32});
    right = cast(lowering, right, ElementType{ScalarType::Float32});
  }
  return {lowering.create<arith::DivFOp>(left.value, right.value), left.type};
}

/// Arithmetic when the left operand is signed; a number on the left leaves the decision to the amount.
Tensor shiftRight(Lowering &lowering, const Tensor &left, const Tensor &right, const Value &leftOperand,
                  const Value &rightOperand) {
  const Tensor *decides = leftOperand.tensor() ? leftOperand.tensor() : rightOperand.tensor();
  ScalarType type = decides ? decides->type.element.scalar : left.type.element.scalar;
  return kind(type) == ScalarKind::Signed ? emitInteger<arith::ShRSIOp>(lowering, left, right)
                                          : emitInteger<arith::ShRUIOp>(lowering, left, right);
}

void checkShiftAmount(Lowering &lowering, const Tensor &left, const Value &amount) {
  std::optional<int64_t> constant = amount.asInt64();
  int64_t width = bitWidth(left.type.element.scalar);
  if (constant && *constant >= width)
    lowering.warn(lowering.range, diagnostics::ShiftTooFar, *constant, std::string(longName(left.type.element.scalar)));
}

/// With overflow checks on, asserts that an integer `+ - *` narrower than 64 bits did not wrap.
void checkOverflow(Lowering &lowering, BinaryOperator op, const Tensor &left, const Tensor &right) {
  ScalarType type = left.type.element.scalar;
  if (!lowering.options.debug || !lowering.options.sanitizeOverflow || !isInteger(type) || bitWidth(type) >= 64 ||
      type == ScalarType::Int1)
    return;
  ElementType wide{ScalarType::Int64};
  Value exact = binaryOperator(lowering, op, cast(lowering, left, wide), cast(lowering, right, wide));
  bool isSigned = kind(type) == ScalarKind::Signed;
  auto bound = [&](const llvm::APSInt &value) { return Value(makeObject(value)); };
  Value low = bound(llvm::APSInt::getMinValue(bitWidth(type), !isSigned));
  Value high = bound(llvm::APSInt::getMaxValue(bitWidth(type), !isSigned));
  Value inside =
      binaryOperator(lowering, BinaryOperator::BitAnd, comparison(lowering, ast::CompareOperator::LtE, exact, high),
                     comparison(lowering, ast::CompareOperator::GtE, exact, low));
  std::string message = std::string(longName(type)) + " overflow in `" + ast::spelling(op).str() + "`";
  lowering.create<tt::AssertOp>(inside.tensor()->value, lowering.builder.getStringAttr(message));
}

Tensor emitOperator(Lowering &lowering, BinaryOperator op, const Tensor &left, const Tensor &right,
                    const Value &leftOperand, const Value &rightOperand) {
  switch (op) {
  case BinaryOperator::Add:
    return emit<arith::AddFOp, arith::AddIOp, arith::AddIOp>(lowering, left, right);
  case BinaryOperator::Sub:
    return emit<arith::SubFOp, arith::SubIOp, arith::SubIOp>(lowering, left, right);
  case BinaryOperator::Mult:
    return emit<arith::MulFOp, arith::MulIOp, arith::MulIOp>(lowering, left, right);
  case BinaryOperator::Div:
    return divide(lowering, left, right);
  case BinaryOperator::FloorDiv:
    return emit<arith::DivFOp, arith::DivSIOp, arith::DivUIOp>(lowering, left, right);
  case BinaryOperator::Mod:
    return emit<arith::RemFOp, arith::RemSIOp, arith::RemUIOp>(lowering, left, right);
  case BinaryOperator::BitAnd:
    return emitInteger<arith::AndIOp>(lowering, left, right);
  case BinaryOperator::BitOr:
    return emitInteger<arith::OrIOp>(lowering, left, right);
  case BinaryOperator::BitXor:
    return emitInteger<arith::XOrIOp>(lowering, left, right);
  case BinaryOperator::LShift:
    checkShiftAmount(lowering, left, rightOperand);
    return emitInteger<arith::ShLIOp>(lowering, left, right);
  case BinaryOperator::RShift:
    checkShiftAmount(lowering, left, rightOperand);
    return shiftRight(lowering, left, right, leftOperand, rightOperand);
  case BinaryOperator::MatMult:
  case BinaryOperator::Pow:
    break;
  }
  llvm_unreachable("refused before");
}

} // namespace

llvm::SmallVector<Tensor, 3> promoteOperands(Lowering &lowering, llvm::ArrayRef<Value> values,
                                             OperatorClass operatorClass, llvm::StringRef operatorText) {
  // Tensors come first, so that numbers adapt to the type to which all tensors promote.
  llvm::SmallVector<const Value *, 3> ordered;
  for (bool isTensor : {true, false})
    for (const Value &value : values)
      if ((value.tensor() != nullptr) == isTensor)
        ordered.push_back(&value);
  PromotionOperand common = promotionOperand(lowering, *ordered.front(), operatorText);
  for (auto [previous, value] : llvm::zip(ordered, llvm::drop_begin(ordered))) {
    PromotionResult result = promote(common, promotionOperand(lowering, *value, operatorText), operatorClass);
    if (auto *failure = std::get_if<PromotionFailure>(&result))
      reportPromotion(lowering, *failure, *previous, *value, operatorText);
    common = {std::get<ScalarType>(result)};
  }
  TensorType block; // reports a mismatch before anything is emitted
  for (const Value &value : values)
    if (const Tensor *tensor = value.tensor())
      block = commonType(lowering, block, tensor->type);
  llvm::SmallVector<Tensor, 3> result;
  for (const Value &value : values)
    result.push_back(bringTo(lowering, value, common.type, block));
  for (Tensor &tensor : result)
    tensor = broadcastWithRank(lowering, tensor, block);
  return result;
}

std::pair<Tensor, Tensor> promoteOperands(Lowering &lowering, const Value &left, const Value &right,
                                          OperatorClass operatorClass, llvm::StringRef operatorText) {
  llvm::SmallVector<Tensor, 3> operands = promoteOperands(lowering, {left, right}, operatorClass, operatorText);
  return {operands[0], operands[1]};
}

std::pair<Tensor, Tensor> promoteAlternatives(Lowering &lowering, const Value &left, const Value &right,
                                              llvm::StringRef operatorText) {
  const Tensor *x = left.tensor(), *y = right.tensor();
  if (x && y && x->type.element.isPointer() && x->type.element == y->type.element)
    return broadcast(lowering, *x, *y);
  return promoteOperands(lowering, left, right, OperatorClass::Arithmetic, operatorText);
}

Value binaryOperator(Lowering &lowering, BinaryOperator op, const Value &left, const Value &right,
                     bool checksOverflow) {
  std::string text = ast::spelling(op).str();
  if (op == BinaryOperator::MatMult || op == BinaryOperator::Pow)
    lowering.error(diagnostics::OperatorUnsupported, text, left.describe(),
                   std::string(op == BinaryOperator::Pow ? "`tl.exp2(y * tl.log2(x))`" : "`tl.dot`"));
  if (std::optional<Tensor> result = pointerArithmetic(lowering, op, left, right))
    return *result;
  auto [leftTensor, rightTensor] = promoteOperands(lowering, left, right, classOf(op), text);
  ScalarType type = leftTensor.type.element.scalar;
  if (needsIntegers(op) && !isInteger(type))
    lowering.error(diagnostics::OperatorNeedsIntegers, text, left.describe() + " and " + right.describe());
  if (checksOverflow && (op == BinaryOperator::Add || op == BinaryOperator::Sub || op == BinaryOperator::Mult))
    checkOverflow(lowering, op, leftTensor, rightTensor);
  return emitOperator(lowering, op, leftTensor, rightTensor, left, right);
}

Value unaryOperator(Lowering &lowering, ast::UnaryOperator op, const Value &operand) {
  std::string text = ast::spelling(op).str();
  if (!isNumeric(operand))
    lowering.error(diagnostics::OperandNotNumeric, text, operand.describe());
  Tensor tensor = toTensor(lowering, operand);
  if (tensor.type.element.isPointer() && op == ast::UnaryOperator::Not)
    tensor = cast(lowering, tensor, ElementType{ScalarType::Int1});
  if (tensor.type.element.isPointer())
    lowering.error(diagnostics::PointerOperand, text, tensor.type.str());
  ScalarType type = tensor.type.element.scalar;
  auto constant = [&](int64_t value) {
    return constantTensor(lowering, Number(llvm::APSInt::get(value)), tensor.type).value;
  };
  switch (op) {
  case ast::UnaryOperator::UAdd:
    return tensor;
  case ast::UnaryOperator::USub:
    if (isFloat(type))
      return Tensor{lowering.create<arith::NegFOp>(tensor.value), tensor.type};
    return Tensor{lowering.create<arith::SubIOp>(constant(0), tensor.value), tensor.type};
  case ast::UnaryOperator::Invert:
    if (!isInteger(type))
      lowering.error(diagnostics::OperatorNeedsIntegers, text, operand.describe());
    return Tensor{lowering.create<arith::XOrIOp>(tensor.value, constant(-1)), tensor.type};
  case ast::UnaryOperator::Not:
    if (type != ScalarType::Int1)
      lowering.error(diagnostics::LogicalOperandWidth, text, operand.describe());
    return Tensor{lowering.create<arith::XOrIOp>(tensor.value, constant(-1)), tensor.type};
  }
  llvm_unreachable("unknown operator");
}

} // namespace triton::frontend
