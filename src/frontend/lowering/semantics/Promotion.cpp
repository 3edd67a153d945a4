#include "frontend/lowering/semantics/Promotion.h"

#include "frontend/Object.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

namespace triton::frontend {
namespace {

/// Boolean < integers < floats, for comparing a number with a tensor.
enum class Rank { Boolean, Integer, Float };

Rank rankOf(ScalarType type) {
  if (isFloat(type))
    return Rank::Float;
  return kind(type) == ScalarKind::Boolean ? Rank::Boolean : Rank::Integer;
}

Rank rankOf(const Number &number) {
  return std::holds_alternative<bool>(number)     ? Rank::Boolean
         : std::holds_alternative<double>(number) ? Rank::Float
                                                  : Rank::Integer;
}

bool isHalf(ScalarType type) { return isFloat(type) && bitWidth(type) == 16; }

PromotionResult promoteIntegers(ScalarType left, ScalarType right, OperatorClass operatorClass) {
  if (isUnsigned(left) == isUnsigned(right))
    return bitWidth(left) >= bitWidth(right) ? left : right;
  if (operatorClass == OperatorClass::Division)
    return PromotionFailure{PromotionError::MixedSignedness, ScalarType::Void};
  if (isUnsigned(right))
    std::swap(left, right);
  return bitWidth(left) >= bitWidth(right) ? left : right;
}

PromotionResult promoteTensors(ScalarType left, ScalarType right, OperatorClass operatorClass) {
  auto any = [&](ScalarType type) { return left == type || right == type; };
  bool division = operatorClass == OperatorClass::Division;
  if (any(ScalarType::Float64))
    return ScalarType::Float64;
  if (any(ScalarType::Float32))
    return ScalarType::Float32;
  if (any(ScalarType::Float16))
    return division ? ScalarType::Float32 : ScalarType::Float16;
  if (any(ScalarType::BFloat16))
    return left == right && !division ? ScalarType::BFloat16 : ScalarType::Float32;
  if (isFloat8(left) && isFloat8(right))
    return left == right ? left : ScalarType::Float16;
  if (isFloat8(left) || isFloat8(right))
    return PromotionFailure{PromotionError::Float8WithInteger, ScalarType::Void};
  return promoteIntegers(left, right, operatorClass);
}

/// A number that adapts to a tensor must be representable there.
std::optional<PromotionFailure> checkNumber(const Number &number, ScalarType result) {
  auto *integer = std::get_if<llvm::APSInt>(&number);
  if (!integer || !isInteger(result))
    return std::nullopt;
  if (integer->isNegative() && isUnsigned(result))
    return PromotionFailure{PromotionError::NegativeToUnsigned, result};
  if (!fits(*integer, result))
    return PromotionFailure{PromotionError::NumberOutOfRange, result};
  return std::nullopt;
}

} // namespace

std::optional<Number> numberOf(const Object &object) {
  if (auto *value = object.get<bool>())
    return Number(*value);
  if (auto *value = object.get<llvm::APSInt>())
    return Number(*value);
  if (auto *value = object.get<double>())
    return Number(*value);
  return std::nullopt;
}

bool fits(const llvm::APSInt &value, ScalarType type) {
  bool isSigned = kind(type) == ScalarKind::Signed;
  llvm::APSInt low = llvm::APSInt::getMinValue(bitWidth(type), !isSigned);
  llvm::APSInt high = llvm::APSInt::getMaxValue(bitWidth(type), !isSigned);
  return llvm::APSInt::compareValues(low, value) <= 0 && llvm::APSInt::compareValues(value, high) <= 0;
}

std::optional<ScalarType> naturalType(const Number &number) {
  if (std::holds_alternative<bool>(number))
    return ScalarType::Int1;
  if (auto *integer = std::get_if<llvm::APSInt>(&number)) {
    for (ScalarType type : {ScalarType::Int32, ScalarType::UInt32, ScalarType::Int64, ScalarType::UInt64})
      if (fits(*integer, type))
        return type;
    return std::nullopt;
  }
  double magnitude = std::fabs(std::get<double>(number));
  bool isFloat32 = magnitude == 0 || !std::isfinite(magnitude) || (magnitude >= FLT_MIN && magnitude <= FLT_MAX);
  return isFloat32 ? ScalarType::Float32 : ScalarType::Float64;
}

PromotionResult promote(const PromotionOperand &left, const PromotionOperand &right, OperatorClass operatorClass) {
  ScalarType types[2];
  const PromotionOperand *operands[2] = {&left, &right};
  for (int side = 0; side < 2; ++side) {
    types[side] = operands[side]->type;
    if (!operands[side]->number)
      continue;
    std::optional<ScalarType> natural = naturalType(*operands[side]->number);
    if (!natural)
      return PromotionFailure{PromotionError::NumberTooLarge, ScalarType::Void};
    types[side] = *natural;
  }
  bool oneNumber = left.number.has_value() != right.number.has_value();
  if (!oneNumber)
    return promoteTensors(types[0], types[1], operatorClass);

  int numberSide = left.number ? 0 : 1;
  const Number &number = *operands[numberSide]->number;
  ScalarType tensorType = types[1 - numberSide];
  PromotionResult result = tensorType;
  if (rankOf(number) > rankOf(tensorType))
    result = promoteTensors(types[0], types[1], operatorClass);
  else if (operatorClass == OperatorClass::Division && isHalf(tensorType))
    result = ScalarType::Float32;
  if (auto *type = std::get_if<ScalarType>(&result))
    if (std::optional<PromotionFailure> failure = checkNumber(number, *type))
      return *failure;
  return result;
}

} // namespace triton::frontend
