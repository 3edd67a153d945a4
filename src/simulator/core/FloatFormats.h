// The floating-point formats for instruction handlers: how the element of a lane is stored, and the type in which its
// arithmetic is done.
#pragma once

#include "simulator/core/Handlers.h"
#include "simulator/core/Numerics.h"
#include "simulator/core/Warp.h"

#include <cmath>
#include <type_traits>

namespace triton::simulator {

/// Sums, products and quotients of f16 numbers that are computed in f32 and rounded once more are correctly rounded,
/// because f32 has more than twice their bits and range. What is computed in f64 is rounded by `roundToOdd`.
struct HalfFormat {
  using Storage = uint16_t;
  using Value = float;
  static float load(uint16_t bits) { return floatFromHalf(bits); }
  static uint16_t store(float value) { return halfFromFloat(value); }
  static uint16_t store(double value) { return halfFromFloat(roundToOdd(value)); }
};
/// Products of bf16 numbers exceed the range of f32, so they need f64.
struct BFloatFormat {
  using Storage = uint16_t;
  using Value = double;
  static double load(uint16_t bits) { return floatFromBFloat(bits); }
  static uint16_t store(double value) { return bfloatFromFloat(roundToOdd(value)); }
};
inline double quiet(double value) {
  return value != value ? bitCast<double>(bitCast<uint64_t>(value) | uint64_t(1) << 51) : value;
}

struct SingleFormat {
  using Storage = float;
  using Value = float;
  static float load(float value) { return value; }
  static float store(float value) { return canonical(value); }
};
struct DoubleFormat {
  using Storage = double;
  using Value = double;
  static double load(double value) { return value; }
  static double store(double value) { return quiet(value); }
};

/// The result of an operation. If operands of f64 are NaN, this is the last such operand, because NaNs of f64 keep
/// their payload. NaNs of the other formats become canonical when they are stored.
template <typename Value, typename... Operands> Value lastNaN(Value result, Operands... operands) {
  if constexpr (std::is_same_v<Value, double>)
    ((result = operands != operands ? operands : result), ...);
  return result;
}

/// Replaces subnormal numbers by zeros, as the `.ftz` forms of f32 instructions do.
inline float flush(float value) { return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value; }
inline double flush(double value) { return value; }

/// Minimum and maximum. If one operand is NaN, the result is the other one. -0 is less than +0.
template <bool maximum, typename Value> Value extremum(Value a, Value b) {
  if (a != a)
    return b;
  if (b != b)
    return a;
  if (a == b)
    return std::signbit(a) == maximum ? b : a;
  return (a < b) != maximum ? a : b;
}

template <typename Format, typename Operation> void floatBinary(Warp &warp, const DecodedInstruction &instruction) {
  using Storage = Format::Storage;
  const auto *a = warp.read<Storage>(instruction.operands[0]), *b = warp.read<Storage>(instruction.operands[1]);
  warp.forEachLane<Storage>(instruction.result, [=](unsigned lane) {
    return Format::store(Operation::apply(Format::load(a[lane]), Format::load(b[lane])));
  });
}

template <typename Operation> struct FlushingBinary {
  template <typename Value> static Value apply(Value a, Value b) { return flush(Operation::apply(flush(a), flush(b))); }
};

/// The instantiation of a template for a format.
#define TRITON_BY_FORMAT(format, function, ...)                                                                        \
  ((format) == FloatFormat::Half     ? Handler(&function<HalfFormat __VA_OPT__(, ) __VA_ARGS__>)                       \
   : (format) == FloatFormat::BFloat ? Handler(&function<BFloatFormat __VA_OPT__(, ) __VA_ARGS__>)                     \
   : (format) == FloatFormat::Single ? Handler(&function<SingleFormat __VA_OPT__(, ) __VA_ARGS__>)                     \
                                     : Handler(&function<DoubleFormat __VA_OPT__(, ) __VA_ARGS__>))

/// The handler of an operation on two floats.
#define TRITON_FLOAT_BINARY(format, flushes, Operation)                                                                \
  ((flushes) ? TRITON_BY_FORMAT(format, floatBinary, FlushingBinary<Operation>)                                        \
             : TRITON_BY_FORMAT(format, floatBinary, Operation))

} // namespace triton::simulator
