// Arithmetic, comparisons and functions on floating-point numbers.
#include "simulator/core/Exponentials.h"
#include "simulator/core/FloatFormats.h"
#include "simulator/core/Warp.h"

#include "llvm/ADT/StringSwitch.h"

#include <cmath>
#include <limits>

namespace triton::simulator {

namespace {

#define TRITON_OPERATION(name, expression)                                                                             \
  struct name {                                                                                                        \
    template <typename Value> static Value apply(Value a, Value b) { return expression; }                              \
  };
TRITON_OPERATION(Add, lastNaN(a + b, a, b))
TRITON_OPERATION(Subtract, lastNaN(a - b, a, b))
TRITON_OPERATION(Multiply, lastNaN(a *b, a, b))
TRITON_OPERATION(Divide, lastNaN(a / b, a, b))
TRITON_OPERATION(Remainder, std::fmod(a, b))
TRITON_OPERATION(Minimum, (extremum<false, Value>(a, b)))
TRITON_OPERATION(Maximum, (extremum<true, Value>(a, b)))
TRITON_OPERATION(MinimumNaN,
                 a != a || b != b ? std::numeric_limits<Value>::quiet_NaN() : (extremum<false, Value>(a, b)))
TRITON_OPERATION(MaximumNaN, a != a || b != b ? std::numeric_limits<Value>::quiet_NaN() : (extremum<true, Value>(a, b)))
#undef TRITON_OPERATION

} // namespace

template <typename Format, llvm::CmpInst::Predicate predicate>
static void compare(Warp &warp, const DecodedInstruction &instruction) {
  using Storage = Format::Storage;
  using Predicate = llvm::CmpInst::Predicate;
  const auto *left = warp.read<Storage>(instruction.operands[0]), *right = warp.read<Storage>(instruction.operands[1]);
  LaneMask result = warp.lanesWhere([=](unsigned lane) {
    auto a = Format::load(left[lane]), b = Format::load(right[lane]);
    // The bits of the predicate say for which of the relations equal, greater, less and unordered it holds.
    unsigned relation = a == b  ? unsigned(Predicate::FCMP_OEQ)
                        : a > b ? unsigned(Predicate::FCMP_OGT)
                        : a < b ? unsigned(Predicate::FCMP_OLT)
                                : unsigned(Predicate::FCMP_UNO);
    return (relation & predicate) != 0;
  });
  warp.writeMask(instruction.result, result);
}

Handler findFloatCompare(llvm::CmpInst::Predicate predicate, FloatFormat format) {
  using Predicate = llvm::CmpInst::Predicate;
  switch (predicate) {
#define TRITON_PREDICATE(name)                                                                                         \
  case Predicate::name:                                                                                                \
    return TRITON_BY_FORMAT(format, compare, Predicate::name);
    TRITON_PREDICATE(FCMP_FALSE)
    TRITON_PREDICATE(FCMP_OEQ)
    TRITON_PREDICATE(FCMP_OGT)
    TRITON_PREDICATE(FCMP_OGE)
    TRITON_PREDICATE(FCMP_OLT)
    TRITON_PREDICATE(FCMP_OLE)
    TRITON_PREDICATE(FCMP_ONE)
    TRITON_PREDICATE(FCMP_ORD)
    TRITON_PREDICATE(FCMP_UNO)
    TRITON_PREDICATE(FCMP_UEQ)
    TRITON_PREDICATE(FCMP_UGT)
    TRITON_PREDICATE(FCMP_UGE)
    TRITON_PREDICATE(FCMP_ULT)
    TRITON_PREDICATE(FCMP_ULE)
    TRITON_PREDICATE(FCMP_UNE)
    TRITON_PREDICATE(FCMP_TRUE)
#undef TRITON_PREDICATE
  default:
    return nullptr;
  }
}

namespace {

// The approximate instructions are computed exactly and then rounded, which stays within their documented error. The
// tests compare with the hardware's own answers where the last bit matters.
#define TRITON_OPERATION(name, expression)                                                                             \
  struct name {                                                                                                        \
    template <typename Value> static Value apply(Value a) { return Value(expression); }                                \
  };
TRITON_OPERATION(Negate, -a)
TRITON_OPERATION(Absolute, std::fabs(a))
TRITON_OPERATION(Floor, std::floor(a))
TRITON_OPERATION(Ceiling, std::ceil(a))
TRITON_OPERATION(Truncate, std::trunc(a))
TRITON_OPERATION(NearestInteger, std::nearbyint(a))
TRITON_OPERATION(RoundAway, std::round(a))
TRITON_OPERATION(SquareRoot, std::sqrt(a))
TRITON_OPERATION(ReciprocalSquareRoot, 1.0 / std::sqrt(double(a)))
TRITON_OPERATION(Reciprocal, 1.0 / double(a))
TRITON_OPERATION(ExponentialBase2, std::exp2(double(a)))
TRITON_OPERATION(LogarithmBase2, std::log2(double(a)))
TRITON_OPERATION(Exponential, std::exp(double(a)))
TRITON_OPERATION(Logarithm, std::log(double(a)))
// sin.approx computes in fixed point, in which small angles are zero.
TRITON_OPERATION(Sine, std::fabs(a) < 1.9e-7 ? std::copysign(Value(0), a) : std::sin(double(a)))
TRITON_OPERATION(Cosine, std::cos(double(a)))
TRITON_OPERATION(HyperbolicTangent, std::tanh(double(a)))
TRITON_OPERATION(Saturate, a > 1 ? Value(1) : a > 0 ? a : Value(0)) // NaN and -0 become +0
TRITON_OPERATION(Same, a)
#undef TRITON_OPERATION

template <typename Operation> struct Flushing {
  template <typename Value> static Value apply(Value a) { return flush(Operation::apply(flush(a))); }
};

} // namespace

template <typename Format, typename Operation> static void unary(Warp &warp, const DecodedInstruction &instruction) {
  using Storage = Format::Storage;
  const auto *a = warp.read<Storage>(instruction.operands[0]);
  warp.forEachLane<Storage>(instruction.result,
                            [=](unsigned lane) { return Format::store(Operation::apply(Format::load(a[lane]))); });
}

template <bool flushes> static void exponentialBase2(Warp &warp, const DecodedInstruction &instruction) {
  const auto *a = warp.read<float>(instruction.operands[0]);
  float powers[mostLanes];
  for (unsigned first = 0; first < warp.program.laneCount; first += laneGroup)
    exponentialsBase2(a + first, powers + first);
  warp.forEachLane<float>(instruction.result, [results = &powers[0]](unsigned lane) {
    return flushes ? flush(results[lane]) : results[lane];
  });
}

/// LLVM's fneg and fabs only change bits, but the hardware's instructions for f32 and f64 make NaNs canonical.
Handler findFloatUnary(llvm::StringRef name, FloatFormat format) {
  bool flushes = name.consume_back(".ftz");
  if (name == "exp2" && format == FloatFormat::Single)
    return flushes ? &exponentialBase2<true> : &exponentialBase2<false>;
#define TRITON_CASE(name, Operation)                                                                                   \
  Case(name,                                                                                                           \
       flushes ? TRITON_BY_FORMAT(format, unary, Flushing<Operation>) : TRITON_BY_FORMAT(format, unary, Operation))
  return llvm::StringSwitch<Handler>(name)
      .TRITON_CASE("fneg", Negate)
      .TRITON_CASE("fabs", Absolute)
      .TRITON_CASE("floor", Floor)
      .TRITON_CASE("ceil", Ceiling)
      .TRITON_CASE("trunc", Truncate)
      .TRITON_CASE("nearbyint", NearestInteger)
      .TRITON_CASE("rint", NearestInteger)
      .TRITON_CASE("roundeven", NearestInteger)
      .TRITON_CASE("round", RoundAway)
      .TRITON_CASE("sqrt", SquareRoot)
      .TRITON_CASE("rsqrt", ReciprocalSquareRoot)
      .TRITON_CASE("rcp", Reciprocal)
      .TRITON_CASE("exp2", ExponentialBase2)
      .TRITON_CASE("log2", LogarithmBase2)
      .TRITON_CASE("exp", Exponential)
      .TRITON_CASE("log", Logarithm)
      .TRITON_CASE("sin", Sine)
      .TRITON_CASE("cos", Cosine)
      .TRITON_CASE("tanh", HyperbolicTangent)
      .TRITON_CASE("saturate", Saturate)
      .TRITON_CASE("canonicalize", Same)
      .Default(nullptr);
#undef TRITON_CASE
}

/// a * b + c of 16-bit numbers: the product is exact in f64, and the sum's last bit says whether the sum is exact.
static double fuseExactly(double a, double b, double c) {
  double product = a * b, sum = product + c, fromProduct = sum - c;
  double error = (product - fromProduct) + (c - (sum - fromProduct));
  if (error == 0 || !std::isfinite(sum))
    return sum;
  if ((error > 0) != (sum > 0))
    sum = std::nextafter(sum, 0.0);
  return bitCast<double>(bitCast<uint64_t>(sum) | 1);
}

template <typename Format, bool relu, bool flushes>
static void fusedMultiplyAdd(Warp &warp, const DecodedInstruction &instruction) {
  using Storage = Format::Storage;
  const auto *a = warp.read<Storage>(instruction.operands[0]), *b = warp.read<Storage>(instruction.operands[1]),
             *c = warp.read<Storage>(instruction.operands[2]);
  warp.forEachLane<Storage>(instruction.result, [=](unsigned lane) {
    auto x = Format::load(a[lane]), y = Format::load(b[lane]), z = Format::load(c[lane]);
    if constexpr (sizeof(Storage) == 2) {
      double value = fuseExactly(x, y, z);
      return Format::store(relu && !(value > 0) && value == value ? 0.0 : value);
    } else {
      return flushes ? Format::store(flush(std::fma(flush(x), flush(y), flush(z))))
                     : Format::store(lastNaN(std::fma(x, y, z), x, y, z));
    }
  });
}

/// copysign only changes bits, also those of NaNs.
template <typename Format> static void copySign(Warp &warp, const DecodedInstruction &instruction) {
  using Storage = Format::Storage;
  using Bits =
      std::conditional_t<sizeof(Storage) == 2, uint16_t, std::conditional_t<sizeof(Storage) == 4, uint32_t, uint64_t>>;
  constexpr Bits sign = Bits(1) << (sizeof(Bits) * 8 - 1);
  const auto *a = warp.read<Bits>(instruction.operands[0]), *b = warp.read<Bits>(instruction.operands[1]);
  warp.forEachLane<Bits>(instruction.result, [=](unsigned lane) { return Bits((a[lane] & ~sign) | (b[lane] & sign)); });
}

Handler findFloatIntrinsic(llvm::StringRef name, FloatFormat format) {
  bool flushes = name.consume_back(".ftz");
  if (name == "fma")
    return flushes ? TRITON_BY_FORMAT(format, fusedMultiplyAdd, false, true)
                   : TRITON_BY_FORMAT(format, fusedMultiplyAdd, false, false);
  if (name == "fma.relu" && (format == FloatFormat::Half || format == FloatFormat::BFloat))
    return TRITON_BY_FORMAT(format, fusedMultiplyAdd, true, false);
  if (name == "copysign")
    return TRITON_BY_FORMAT(format, copySign);
#define TRITON_CASE(name, Operation) Case(name, TRITON_FLOAT_BINARY(format, flushes, Operation))
  return llvm::StringSwitch<Handler>(name)
      .TRITON_CASE("add", Add)
      .TRITON_CASE("mul", Multiply)
      .TRITON_CASE("sub", Subtract)
      .TRITON_CASE("rem", Remainder)
      .TRITON_CASE("div", Divide)
      .TRITON_CASE("minnum", Minimum)
      .TRITON_CASE("maxnum", Maximum)
      .TRITON_CASE("minimum", MinimumNaN)
      .TRITON_CASE("maximum", MaximumNaN)
      .Default(nullptr);
#undef TRITON_CASE
}

} // namespace triton::simulator
