// Decides to which type the operands of an operator are converted. This is a pure function of types and numbers.
#pragma once

#include "base/ElementType.h"

#include "llvm/ADT/APSInt.h"

#include <optional>
#include <string>
#include <variant>

namespace triton::frontend {

using namespace base;

struct Object;

/// A number known at compile time, as Python has it.
using Number = std::variant<bool, llvm::APSInt, double>;

/// The number that a compile-time object is; none for strings, dtypes and the like.
std::optional<Number> numberOf(const Object &object);

/// The type that a number has as a tensor: int1; the first of int32, uint32, int64, uint64 that can represent it;
/// float32 when the value is zero, infinite, not a number or a normal float32, else float64. None for an integer beyond
/// 64 bits.
std::optional<ScalarType> naturalType(const Number &number);

/// Whether `type`, an integer, represents `value`.
bool fits(const llvm::APSInt &value, ScalarType type);

enum class OperatorClass {
  Arithmetic, ///< `+ - * & | ^ << >>`, comparisons, `where`, `minimum`, `fma`: a number adapts to the tensor
  Division,   ///< `/ // %`, `fdiv`: as Arithmetic, but 16-bit floats compute in float32
};

struct PromotionOperand {
  ScalarType type = ScalarType::Void; ///< unused when this is a number
  std::optional<Number> number = std::nullopt;
};

enum class PromotionError {
  NumberTooLarge,     ///< a number beyond 64 bits
  NegativeToUnsigned, ///< a negative number meets an unsigned result
  NumberOutOfRange,   ///< a number that the result type cannot hold
  MixedSignedness,    ///< signed with unsigned in a division
  Float8WithInteger,  ///< an 8-bit float meets an integer
};

struct PromotionFailure {
  PromotionError error;
  ScalarType result; ///< the type the number did not fit, else Void
};

using PromotionResult = std::variant<ScalarType, PromotionFailure>;

PromotionResult promote(const PromotionOperand &left, const PromotionOperand &right, OperatorClass operatorClass);

} // namespace triton::frontend
