#include "frontend/lowering/ConstantEvaluation.h"

#include "frontend/LoweringDiagnostics.h"
#include "frontend/lowering/Lowering.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

namespace triton::frontend {

using ast::BinaryOperator;
using ast::CompareOperator;
using llvm::APSInt;

namespace {

/// The widest integer that an operator may produce. A wider one is a mistake that would only use memory.
constexpr unsigned maximumIntegerBits = 1 << 16;
/// The longest tuple or string that an operator may produce.
constexpr size_t maximumSequenceLength = 1 << 16;

/// Signed, with as many bits as the value needs.
APSInt shrink(const llvm::APInt &value) {
  return APSInt(value.trunc(std::max(1u, value.getSignificantBits())), /*isUnsigned=*/false);
}

llvm::APInt extend(const APSInt &value, unsigned bits) { return value.sext(bits); }

double toDouble(const APSInt &value) { return value.roundToDouble(value.isSigned()); }

/// A bool or int, signed; none for the others.
std::optional<APSInt> integerOf(const Value &value) {
  if (const bool *flag = value.as<bool>())
    return APSInt(llvm::APInt(2, *flag ? 1 : 0), /*isUnsigned=*/false);
  if (const APSInt *integer = value.as<APSInt>())
    return integer->isUnsigned() ? shrink(integer->zext(integer->getBitWidth() + 1)) : *integer;
  return std::nullopt;
}

std::optional<double> floatOf(const Value &value) {
  if (const double *number = value.as<double>())
    return *number;
  if (std::optional<APSInt> integer = integerOf(value))
    return toDouble(*integer);
  return std::nullopt;
}

Value integerValue(const llvm::APInt &value) { return Value(makeObject(shrink(value))); }
Value floatValue(double value) { return Value(makeObject(value)); }

/// One binary operation on constants; its members share the operands for messages.
class BinaryEvaluation {
public:
  BinaryEvaluation(Lowering &lowering, BinaryOperator op, const Value &left, const Value &right, SourceRange range)
      : lowering(lowering), op(op), left(left), right(right), range(range) {}

  Value run() {
    if (left.tuple() || right.tuple())
      return onTuples();
    if (left.as<std::string>() || right.as<std::string>())
      return onStrings();
    std::optional<APSInt> leftInteger = integerOf(left), rightInteger = integerOf(right);
    if (leftInteger && rightInteger)
      return left.as<bool>() && right.as<bool>() ? onBooleans(*leftInteger, *rightInteger)
                                                 : onIntegers(*leftInteger, *rightInteger);
    std::optional<double> leftFloat = floatOf(left), rightFloat = floatOf(right);
    if (leftFloat && rightFloat)
      return onFloats(*leftFloat, *rightFloat);
    incompatible();
  }

private:
  Lowering &lowering;
  BinaryOperator op;
  const Value &left, &right;
  SourceRange range;

  [[noreturn]] void incompatible() {
    lowering.error(range, diagnostics::UnsupportedOperands, ast::spelling(op), left.describe(), right.describe());
  }
  [[noreturn]] void tooLarge() { lowering.error(range, diagnostics::ConstantTooLarge, ast::spelling(op)); }
  /// How often a sequence of this length is repeated for `sequence * count`.
  size_t repetitions(size_t length, int64_t count) {
    if (length == 0 || count <= 0)
      return 0;
    if (uint64_t(count) > maximumSequenceLength / length)
      tooLarge();
    return count;
  }
  void requireNonZero(bool isZero) {
    if (isZero)
      lowering.error(range, diagnostics::DivisionByZero, ast::spelling(op));
  }

  Value onTuples() {
    const TupleValue *first = left.tuple(), *second = right.tuple();
    if (op == BinaryOperator::Add && first && second) {
      if (first->elements.size() + second->elements.size() > maximumSequenceLength)
        tooLarge();
      TupleValue result{first->elements, {}, {}};
      llvm::append_range(result.elements, second->elements);
      return result;
    }
    std::optional<int64_t> count = (first ? right : left).asInt64();
    if (op != BinaryOperator::Mult || (first && second) || !count)
      incompatible();
    const TupleValue &repeated = first ? *first : *second;
    TupleValue result;
    for (size_t i = 0, times = repetitions(repeated.elements.size(), *count); i < times; ++i)
      llvm::append_range(result.elements, repeated.elements);
    return result;
  }

  Value onStrings() {
    const std::string *first = left.as<std::string>(), *second = right.as<std::string>();
    if (op == BinaryOperator::Add && first && second) {
      if (first->size() + second->size() > maximumSequenceLength)
        tooLarge();
      return Value::string(*first + *second);
    }
    std::optional<int64_t> count = (first ? right : left).asInt64();
    if (op != BinaryOperator::Mult || (first && second) || !count)
      incompatible();
    const std::string &repeated = first ? *first : *second;
    std::string result;
    for (size_t i = 0, times = repetitions(repeated.size(), *count); i < times; ++i)
      result += repeated;
    return Value::string(std::move(result));
  }

  Value onBooleans(const APSInt &a, const APSInt &b) {
    switch (op) {
    case BinaryOperator::BitAnd:
      return Value::boolean(!a.isZero() && !b.isZero());
    case BinaryOperator::BitOr:
      return Value::boolean(!a.isZero() || !b.isZero());
    case BinaryOperator::BitXor:
      return Value::boolean(a.isZero() != b.isZero());
    default:
      return onIntegers(a, b);
    }
  }

  Value onIntegers(const APSInt &a, const APSInt &b) {
    unsigned bits = std::max(a.getBitWidth(), b.getBitWidth()) + 2;
    llvm::APInt x = extend(a, bits), y = extend(b, bits);
    switch (op) {
    case BinaryOperator::Add:
      return integerValue(x + y);
    case BinaryOperator::Sub:
      return integerValue(x - y);
    case BinaryOperator::Mult: {
      unsigned productBits = a.getBitWidth() + b.getBitWidth() + 2;
      if (productBits > maximumIntegerBits)
        tooLarge();
      return integerValue(extend(a, productBits) * extend(b, productBits));
    }
    case BinaryOperator::Div:
      requireNonZero(b.isZero());
      return floatValue(toDouble(a) / toDouble(b));
    case BinaryOperator::FloorDiv:
      requireNonZero(b.isZero());
      return integerValue(floorDivide(x, y));
    case BinaryOperator::Mod:
      requireNonZero(b.isZero());
      return integerValue(x - floorDivide(x, y) * y);
    case BinaryOperator::Pow:
      return integerPower(a, b);
    case BinaryOperator::LShift:
    case BinaryOperator::RShift:
      return shift(a, b);
    case BinaryOperator::BitOr:
      return integerValue(x | y);
    case BinaryOperator::BitXor:
      return integerValue(x ^ y);
    case BinaryOperator::BitAnd:
      return integerValue(x & y);
    case BinaryOperator::MatMult:
      incompatible();
    }
    llvm_unreachable("every operator returns");
  }

  static llvm::APInt floorDivide(const llvm::APInt &x, const llvm::APInt &y) {
    llvm::APInt quotient, remainder;
    llvm::APInt::sdivrem(x, y, quotient, remainder);
    bool roundsUp = !remainder.isZero() && remainder.isNegative() != y.isNegative();
    return roundsUp ? quotient - 1 : quotient;
  }

  Value integerPower(const APSInt &base, const APSInt &exponent) {
    if (exponent.isNegative()) {
      requireNonZero(base.isZero());
      return floatValue(std::pow(toDouble(base), toDouble(exponent)));
    }
    // For the bases 0, 1 and -1 only the parity of the exponent matters, so any exponent is fine.
    unsigned baseBits = base.getSignificantBits();
    bool isUnit = base.isZero() || base.isOne() || base.isAllOnes();
    uint64_t times = exponent.isZero() ? 0 : exponent[0] ? 1 : 2;
    if (!isUnit) {
      if (exponent.getActiveBits() > 32 || exponent.getZExtValue() > maximumIntegerBits / baseBits)
        tooLarge();
      times = exponent.getZExtValue();
    }
    unsigned bits = baseBits * unsigned(times) + 2;
    llvm::APInt result(bits, 1), factor = base.sextOrTrunc(bits);
    for (uint64_t rest = times; rest != 0; rest >>= 1) {
      if (rest & 1)
        result *= factor;
      factor *= factor;
    }
    return integerValue(result);
  }

  Value shift(const APSInt &value, const APSInt &amount) {
    if (amount.isNegative())
      lowering.error(range, diagnostics::NegativeShift, ast::spelling(op));
    std::optional<int64_t> bits = amount.tryExtValue();
    unsigned width = value.getBitWidth() + 1;
    if (op == BinaryOperator::RShift) {
      unsigned distance = bits ? unsigned(std::min<int64_t>(*bits, width - 1)) : width - 1;
      return integerValue(extend(value, width).ashr(distance));
    }
    if (value.isZero())
      return Value::integer(0);
    if (!bits || *bits > int64_t(maximumIntegerBits))
      tooLarge();
    return integerValue(extend(value, width + unsigned(*bits)).shl(unsigned(*bits)));
  }

  Value onFloats(double a, double b) {
    switch (op) {
    case BinaryOperator::Add:
      return floatValue(a + b);
    case BinaryOperator::Sub:
      return floatValue(a - b);
    case BinaryOperator::Mult:
      return floatValue(a * b);
    case BinaryOperator::Div:
      requireNonZero(b == 0);
      return floatValue(a / b);
    case BinaryOperator::FloorDiv:
      requireNonZero(b == 0);
      return floatValue(std::floor((a - floorModulo(a, b)) / b + 0.5));
    case BinaryOperator::Mod:
      requireNonZero(b == 0);
      return floatValue(floorModulo(a, b));
    case BinaryOperator::Pow: {
      requireNonZero(a == 0 && b < 0);
      double result = std::pow(a, b);
      if (std::isnan(result) && !std::isnan(a) && !std::isnan(b))
        incompatible();
      return floatValue(result);
    }
    default:
      incompatible();
    }
  }

  static double floorModulo(double a, double b) {
    double remainder = std::fmod(a, b);
    if (remainder != 0 && (remainder < 0) != (b < 0))
      remainder += b;
    return remainder == 0 ? std::copysign(0.0, b) : remainder;
  }
};

/// -1, 0 or 1; none when the operands have no order (a NaN, or different kinds).
std::optional<int> order(const Value &left, const Value &right);

std::optional<int> orderTuples(const TupleValue &left, const TupleValue &right) {
  for (auto [a, b] : llvm::zip(left.elements, right.elements)) {
    std::optional<int> result = order(a, b);
    if (!result || *result != 0)
      return result;
  }
  return left.elements.size() < right.elements.size() ? -1 : left.elements.size() > right.elements.size();
}

std::optional<int> order(const Value &left, const Value &right) {
  std::optional<APSInt> leftInteger = integerOf(left), rightInteger = integerOf(right);
  if (leftInteger && rightInteger)
    return APSInt::compareValues(*leftInteger, *rightInteger);
  std::optional<double> a = floatOf(left), b = floatOf(right);
  if (a && b) {
    if (std::isnan(*a) || std::isnan(*b))
      return std::nullopt;
    return *a < *b ? -1 : *a > *b;
  }
  if (left.as<std::string>() && right.as<std::string>()) {
    int result = left.as<std::string>()->compare(*right.as<std::string>());
    return result < 0 ? -1 : result > 0;
  }
  if (left.tuple() && right.tuple())
    return orderTuples(*left.tuple(), *right.tuple());
  return std::nullopt;
}

bool isEqual(const Value &left, const Value &right) {
  if (left.isNumber() && right.isNumber())
    return order(left, right) == 0;
  if (left.tuple() && right.tuple())
    return llvm::equal(left.tuple()->elements, right.tuple()->elements, isEqual);
  return left.constant() && right.constant() && sameObject(*left.constant(), *right.constant());
}

/// Whether `<` applies to the two kinds at all.
bool isOrdered(const Value &left, const Value &right) {
  return (left.isNumber() && right.isNumber()) || (left.as<std::string>() && right.as<std::string>()) ||
         (left.tuple() && right.tuple());
}

std::optional<bool> contains(const Value &element, const Value &container) {
  if (const TupleValue *tuple = container.tuple())
    return llvm::any_of(tuple->elements, [&](const Value &other) { return isEqual(element, other); });
  if (container.as<std::string>() && element.as<std::string>())
    return container.as<std::string>()->find(*element.as<std::string>()) != std::string::npos;
  return std::nullopt;
}

} // namespace

Value evaluateBinary(Lowering &lowering, BinaryOperator op, const Value &left, const Value &right, SourceRange range) {
  return BinaryEvaluation(lowering, op, left, right, range).run();
}

Value evaluateUnary(Lowering &lowering, ast::UnaryOperator op, const Value &operand, SourceRange range) {
  if (op == ast::UnaryOperator::Not)
    if (std::optional<bool> truth = constantTruth(operand))
      return Value::boolean(!*truth);
  std::optional<APSInt> integer = integerOf(operand);
  if (integer) {
    llvm::APInt wide = extend(*integer, integer->getBitWidth() + 1);
    switch (op) {
    case ast::UnaryOperator::Invert:
      return integerValue(~wide);
    case ast::UnaryOperator::UAdd:
      return integerValue(wide);
    case ast::UnaryOperator::USub:
      return integerValue(-wide);
    case ast::UnaryOperator::Not:
      break;
    }
  }
  if (const double *number = operand.as<double>()) {
    if (op == ast::UnaryOperator::UAdd)
      return operand;
    if (op == ast::UnaryOperator::USub)
      return floatValue(-*number);
  }
  lowering.error(range, diagnostics::UnsupportedOperand, ast::spelling(op), operand.describe());
}

Value evaluateCompare(Lowering &lowering, CompareOperator op, const Value &left, const Value &right,
                      SourceRange range) {
  if (op == CompareOperator::In || op == CompareOperator::NotIn) {
    if (std::optional<bool> found = contains(left, right))
      return Value::boolean(*found == (op == CompareOperator::In));
    lowering.error(range, diagnostics::UnsupportedOperands, ast::spelling(op), left.describe(), right.describe());
  }
  if (op == CompareOperator::Eq)
    return Value::boolean(isEqual(left, right));
  if (op == CompareOperator::NotEq)
    return Value::boolean(!isEqual(left, right));
  if (!isOrdered(left, right))
    lowering.error(range, diagnostics::UnsupportedOperands, ast::spelling(op), left.describe(), right.describe());
  std::optional<int> result = order(left, right);
  switch (op) {
  case CompareOperator::Lt:
    return Value::boolean(result && *result < 0);
  case CompareOperator::LtE:
    return Value::boolean(result && *result <= 0);
  case CompareOperator::Gt:
    return Value::boolean(result && *result > 0);
  default:
    return Value::boolean(result && *result >= 0);
  }
}

bool isIdentical(const Value &left, const Value &right) {
  if (left.constant() && right.constant())
    return sameObject(*left.constant(), *right.constant());
  if (left.tensor() && right.tensor())
    return left.tensor()->value == right.tensor()->value;
  return left.tuple() && left.tuple() == right.tuple();
}

std::optional<bool> constantTruth(const Value &value) {
  if (const TupleValue *tuple = value.tuple())
    return !tuple->elements.empty();
  if (!value.constant())
    return std::nullopt;
  if (std::optional<APSInt> integer = integerOf(value))
    return !integer->isZero();
  if (const double *number = value.as<double>())
    return *number != 0;
  if (const std::string *text = value.as<std::string>())
    return !text->empty();
  if (const auto *host = value.as<std::shared_ptr<const HostObject>>())
    return (*host)->truth;
  return !value.isNone();
}

std::string pythonString(const Value &value) {
  if (const std::string *text = value.as<std::string>())
    return *text;
  return pythonRepr(value);
}

std::string pythonRepr(const Value &value) {
  if (ObjectRef object = value.toObject())
    return repr(*object);
  if (const TupleValue *tuple = value.tuple())
    return "(" + llvm::join(llvm::map_range(tuple->elements, pythonRepr), ", ") +
           (tuple->elements.size() == 1 ? ",)" : ")");
  if (const Tensor *tensor = value.tensor())
    return tensor->type.str();
  return value.describe();
}

SliceIndices sliceIndices(Lowering &lowering, const Value &lower, const Value &upper, const Value &step, int64_t length,
                          SourceRange range) {
  auto constant = [&](const Value &value) {
    std::optional<int64_t> index = value.asInt64();
    if (!index)
      lowering.error(range, diagnostics::IndexNotConstant, value.describe());
    return *index;
  };
  auto bound = [&](const Value &value, int64_t otherwise, int64_t least, int64_t most) {
    if (value.isNone())
      return otherwise;
    int64_t index = constant(value);
    return std::clamp(index < 0 ? index + length : index, least, most);
  };
  // A step that is longer than the sequence acts like a step of the sequence's length.
  int64_t stride = step.isNone() ? 1 : std::clamp(constant(step), -length - 1, length + 1);
  if (stride == 0)
    lowering.error(range, diagnostics::ZeroSliceStep);
  bool forward = stride > 0;
  int64_t least = forward ? 0 : -1, most = forward ? length : length - 1;
  int64_t start = bound(lower, forward ? least : most, least, most);
  int64_t stop = bound(upper, forward ? most : least, least, most);
  int64_t distance = forward ? stop - start : start - stop;
  int64_t magnitude = std::abs(stride);
  return {start, stride, distance <= 0 ? 0 : (distance - 1) / magnitude + 1};
}

static int64_t lengthOf(const Value &value) {
  if (const TupleValue *tuple = value.tuple())
    return tuple->elements.size();
  return value.as<std::string>()->size();
}

static Value elementAt(const Value &value, int64_t index) {
  if (const TupleValue *tuple = value.tuple())
    return tuple->elements[index];
  return Value::string(std::string(1, (*value.as<std::string>())[index]));
}

Value evaluateIndex(Lowering &lowering, const Value &value, const Value &index, SourceRange range) {
  int64_t length = lengthOf(value);
  std::optional<int64_t> position = index.asInt64();
  if (!position)
    lowering.error(range, diagnostics::IndexNotConstant, index.describe());
  if (*position < -length || *position >= length)
    lowering.error(range, diagnostics::IndexOutOfRange, *position, value.describe());
  return elementAt(value, *position < 0 ? *position + length : *position);
}

Value evaluateSlice(Lowering &lowering, const Value &value, const Value &lower, const Value &upper, const Value &step,
                    SourceRange range) {
  SliceIndices slice = sliceIndices(lowering, lower, upper, step, lengthOf(value), range);
  if (const std::string *text = value.as<std::string>()) {
    std::string result;
    for (int64_t i = 0; i < slice.count; ++i)
      result += (*text)[slice.start + i * slice.step];
    return Value::string(std::move(result));
  }
  TupleValue result;
  for (int64_t i = 0; i < slice.count; ++i)
    result.elements.push_back(elementAt(value, slice.start + i * slice.step));
  return result;
}

} // namespace triton::frontend
