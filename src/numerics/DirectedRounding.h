// Arithmetic and conversions under the host's rounding mode, which may be directed: toward zero, down or up.
#pragma once

#include <cfenv>
#include <cmath>
#include <type_traits>

namespace triton::numerics {

enum class Operation { Add, Subtract, Multiply, Fma, Divide, Reciprocal, SquareRoot };

/// Sets the rounding mode while it lives.
class RoundingMode {
public:
  explicit RoundingMode(int mode) : before(std::fegetround()) { std::fesetround(mode); }
  ~RoundingMode() { std::fesetround(before); }

private:
  int before;
};

/// The value under the current rounding mode. Volatile operands prevent the compiler from moving the computation.
template <Operation operation, typename Value> Value compute(Value first, Value second, Value third) {
  volatile Value a = first, b = second, c = third;
  switch (operation) {
  case Operation::Add:
    return a + b;
  case Operation::Subtract:
    return a - b;
  case Operation::Multiply:
    return a * b;
  case Operation::Fma:
    return std::fma(Value(a), Value(b), Value(c));
  case Operation::Divide:
    return a / b;
  case Operation::Reciprocal:
    return Value(1) / a;
  case Operation::SquareRoot:
    return std::sqrt(Value(a));
  }
  __builtin_unreachable();
}

/// A conversion to a float under the current rounding mode.
template <typename From, typename To> To convert(From from) {
  volatile From value = from;
  if constexpr (std::is_integral_v<From>)
    if (value == 0) // for this value, the processor's sequence for uint64_t gives -0 when it rounds down
      return 0;
  return To(value);
}

} // namespace triton::numerics
