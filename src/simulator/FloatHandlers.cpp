#include "simulator/Handlers.h"
#include "simulator/Numerics.h"
#include "simulator/Warp.h"

#include "llvm/ADT/StringSwitch.h"

#include <cmath>
#include <limits>

namespace triton::simulator {

namespace {

/// How elements of a format are stored, and the type their arithmetic is done in. Sums and products of 16-bit numbers
/// computed in f32 and rounded once more are correctly rounded (f32 has more than twice their bits).
struct HalfFormat {
  using Storage = uint16_t;
  using Value = float;
  static float load(uint16_t bits) { return floatFromHalf(bits); }
  static uint16_t store(float value) { return halfFromFloat(value); }
};
struct BFloatFormat {
  using Storage = uint16_t;
  using Value = float;
  static float load(uint16_t bits) { return floatFromBFloat(bits); }
  static uint16_t store(float value) { return bfloatFromFloat(value); }
};
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
  static double store(double value) { return value != value ? bitCast<double>(0x7fffffffffffffffull) : value; }
};

/// Minimum and maximum: the other operand when one is NaN, and -0 below +0.
template <bool maximum, typename Value> Value extremum(Value a, Value b) {
  if (a != a)
    return b;
  if (b != b)
    return a;
  if (a == b)
    return std::signbit(a) == maximum ? b : a;
  return (a < b) != maximum ? a : b;
}

#define TRITON_OPERATION(name, expression)                                                                             \
  struct name {                                                                                                        \
    template <typename Value> static Value apply(Value a, Value b) { return expression; }                              \
  };
TRITON_OPERATION(Add, a + b)
TRITON_OPERATION(Subtract, a - b)
TRITON_OPERATION(Multiply, a *b)
TRITON_OPERATION(Divide, a / b)
TRITON_OPERATION(Remainder, std::fmod(a, b))
TRITON_OPERATION(Minimum, (extremum<false, Value>(a, b)))
TRITON_OPERATION(Maximum, (extremum<true, Value>(a, b)))
TRITON_OPERATION(MinimumNaN,
                 a != a || b != b ? std::numeric_limits<Value>::quiet_NaN() : (extremum<false, Value>(a, b)))
TRITON_OPERATION(MaximumNaN, a != a || b != b ? std::numeric_limits<Value>::quiet_NaN() : (extremum<true, Value>(a, b)))
#undef TRITON_OPERATION

} // namespace

template <typename Format, typename Operation> static void binary(Warp &warp, const DecodedInstruction &instruction) {
  using Storage = typename Format::Storage;
  const auto *a = warp.read<Storage>(instruction.operands[0]), *b = warp.read<Storage>(instruction.operands[1]);
  warp.forEachLane<Storage>(instruction.result, [&](unsigned lane) {
    return Format::store(Operation::apply(Format::load(a[lane]), Format::load(b[lane])));
  });
}

/// The instantiation of a template for a format.
#define TRITON_BY_FORMAT(format, function, ...)                                                                        \
  ((format) == FloatFormat::Half     ? Handler(&function<HalfFormat __VA_OPT__(, ) __VA_ARGS__>)                       \
   : (format) == FloatFormat::BFloat ? Handler(&function<BFloatFormat __VA_OPT__(, ) __VA_ARGS__>)                     \
   : (format) == FloatFormat::Single ? Handler(&function<SingleFormat __VA_OPT__(, ) __VA_ARGS__>)                     \
                                     : Handler(&function<DoubleFormat __VA_OPT__(, ) __VA_ARGS__>))

Handler findFloatBinary(unsigned opcode, FloatFormat format) {
  switch (opcode) {
  case llvm::Instruction::FAdd:
    return TRITON_BY_FORMAT(format, binary, Add);
  case llvm::Instruction::FSub:
    return TRITON_BY_FORMAT(format, binary, Subtract);
  case llvm::Instruction::FMul:
    return TRITON_BY_FORMAT(format, binary, Multiply);
  case llvm::Instruction::FDiv:
    return TRITON_BY_FORMAT(format, binary, Divide);
  case llvm::Instruction::FRem:
    return TRITON_BY_FORMAT(format, binary, Remainder);
  default:
    return nullptr;
  }
}

template <typename Format, llvm::CmpInst::Predicate predicate>
static void compare(Warp &warp, const DecodedInstruction &instruction) {
  using Storage = typename Format::Storage;
  using Predicate = llvm::CmpInst::Predicate;
  const auto *left = warp.read<Storage>(instruction.operands[0]), *right = warp.read<Storage>(instruction.operands[1]);
  LaneMask result = 0;
  for (unsigned lane = 0; lane < laneCount; ++lane) {
    auto a = Format::load(left[lane]), b = Format::load(right[lane]);
    // The predicate's bits say for which of equal, greater, less and unordered it holds.
    unsigned relation = a == b  ? unsigned(Predicate::FCMP_OEQ)
                        : a > b ? unsigned(Predicate::FCMP_OGT)
                        : a < b ? unsigned(Predicate::FCMP_OLT)
                                : unsigned(Predicate::FCMP_UNO);
    result |= LaneMask((relation & predicate) != 0) << lane;
  }
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

inline float flush(float value) { return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value; }
inline double flush(double value) { return value; }

// The approximate instructions are computed exactly and rounded, which stays inside their documented error. Where that
// matters to the last bit the hardware's own answers are the reference of the tests.
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
TRITON_OPERATION(Sine, std::sin(double(a)))
TRITON_OPERATION(Cosine, std::cos(double(a)))
TRITON_OPERATION(HyperbolicTangent, std::tanh(double(a)))
TRITON_OPERATION(Saturate, a != a ? Value(0) : a < 0 ? Value(0) : a > 1 ? Value(1) : a)
TRITON_OPERATION(Same, a)
#undef TRITON_OPERATION

template <typename Operation> struct Flushing {
  template <typename Value> static Value apply(Value a) { return flush(Operation::apply(flush(a))); }
};

} // namespace

template <typename Format, typename Operation> static void unary(Warp &warp, const DecodedInstruction &instruction) {
  using Storage = typename Format::Storage;
  const auto *a = warp.read<Storage>(instruction.operands[0]);
  warp.forEachLane<Storage>(instruction.result,
                            [&](unsigned lane) { return Format::store(Operation::apply(Format::load(a[lane]))); });
}

/// LLVM's fneg and fabs move bits only; the hardware's instructions for f32 and f64 make NaNs canonical all the same.
Handler findFloatUnary(llvm::StringRef name, FloatFormat format) {
  bool flushes = name.consume_back(".ftz");
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

template <typename Format> static void fusedMultiplyAdd(Warp &warp, const DecodedInstruction &instruction) {
  using Storage = typename Format::Storage;
  using Value = std::conditional_t<sizeof(Storage) == 2, double, typename Format::Value>;
  const auto *a = warp.read<Storage>(instruction.operands[0]), *b = warp.read<Storage>(instruction.operands[1]),
             *c = warp.read<Storage>(instruction.operands[2]);
  // 16-bit products and sums are exact in f64 for all but extreme exponents.
  warp.forEachLane<Storage>(instruction.result, [&](unsigned lane) {
    return Format::store(
        std::fma(Value(Format::load(a[lane])), Value(Format::load(b[lane])), Value(Format::load(c[lane]))));
  });
}

template <typename Format> static void copySign(Warp &warp, const DecodedInstruction &instruction) {
  using Storage = typename Format::Storage;
  const auto *a = warp.read<Storage>(instruction.operands[0]), *b = warp.read<Storage>(instruction.operands[1]);
  warp.forEachLane<Storage>(instruction.result, [&](unsigned lane) {
    return Format::store(std::copysign(Format::load(a[lane]), Format::load(b[lane])));
  });
}

namespace {
template <typename Operation> struct FlushingBinary {
  template <typename Value> static Value apply(Value a, Value b) { return flush(Operation::apply(flush(a), flush(b))); }
};
} // namespace

Handler findFloatIntrinsic(llvm::StringRef name, FloatFormat format) {
  bool flushes = name.consume_back(".ftz");
  if (name == "fma")
    return TRITON_BY_FORMAT(format, fusedMultiplyAdd);
  if (name == "copysign")
    return TRITON_BY_FORMAT(format, copySign);
#define TRITON_CASE(name, Operation)                                                                                   \
  Case(name, flushes ? TRITON_BY_FORMAT(format, binary, FlushingBinary<Operation>)                                     \
                     : TRITON_BY_FORMAT(format, binary, Operation))
  return llvm::StringSwitch<Handler>(name)
      .TRITON_CASE("add", Add)
      .TRITON_CASE("mul", Multiply)
      .TRITON_CASE("div", Divide)
      .TRITON_CASE("minnum", Minimum)
      .TRITON_CASE("maxnum", Maximum)
      .TRITON_CASE("minimum", MinimumNaN)
      .TRITON_CASE("maximum", MaximumNaN)
      .Default(nullptr);
#undef TRITON_CASE
}

template <typename From, typename To> static void convert(Warp &warp, const DecodedInstruction &instruction) {
  const auto *a = warp.read<typename From::Storage>(instruction.operands[0]);
  warp.forEachLane<typename To::Storage>(
      instruction.result, [&](unsigned lane) { return To::store(typename To::Value(From::load(a[lane]))); });
}

template <typename From> static Handler findCastFrom(FloatFormat to) {
  switch (to) {
  case FloatFormat::Half:
    return &convert<From, HalfFormat>;
  case FloatFormat::BFloat:
    return &convert<From, BFloatFormat>;
  case FloatFormat::Single:
    return &convert<From, SingleFormat>;
  case FloatFormat::Double:
    return &convert<From, DoubleFormat>;
  }
  llvm_unreachable("all formats are listed");
}

template <bool toHalf> static void convertTowardZero(Warp &warp, const DecodedInstruction &instruction) {
  const auto *a = warp.read<float>(instruction.operands[0]);
  warp.forEachLane<uint16_t>(instruction.result, [&](unsigned lane) {
    return toHalf ? halfFromFloat(a[lane], Rounding::TowardZero) : bfloatFromFloat(a[lane], Rounding::TowardZero);
  });
}

/// bf16 to f32 keeps a NaN's payload, unlike arithmetic.
static void widenBFloat(Warp &warp, const DecodedInstruction &instruction) {
  const auto *a = warp.read<uint16_t>(instruction.operands[0]);
  warp.forEachLane<float>(instruction.result, [&](unsigned lane) { return floatFromBFloat(a[lane]); });
}

Handler findFloatCast(FloatFormat from, FloatFormat to, llvm::StringRef rounding) {
  if (rounding == "rz") {
    if (from != FloatFormat::Single || (to != FloatFormat::Half && to != FloatFormat::BFloat))
      return nullptr;
    return to == FloatFormat::Half ? &convertTowardZero<true> : &convertTowardZero<false>;
  }
  switch (from) {
  case FloatFormat::Half:
    return findCastFrom<HalfFormat>(to);
  case FloatFormat::BFloat:
    return to == FloatFormat::Single ? &widenBFloat : findCastFrom<BFloatFormat>(to);
  case FloatFormat::Single:
    return findCastFrom<SingleFormat>(to);
  case FloatFormat::Double:
    return findCastFrom<DoubleFormat>(to);
  }
  llvm_unreachable("all formats are listed");
}

/// Truncates and saturates. NaN gives zero for results of up to 32 bits from formats of up to 32 bits, else the top
/// bit.
template <typename Integer, typename Value> static Integer toInteger(Value value) {
  if (value != value)
    return sizeof(Integer) <= 4 && sizeof(Value) <= 4 ? Integer(0) : Integer(uint64_t(1) << (sizeof(Integer) * 8 - 1));
  double truncated = std::trunc(double(value));
  double lowest = double(std::numeric_limits<Integer>::min());
  double beyond = std::ldexp(1.0, int(sizeof(Integer) * 8) - std::numeric_limits<Integer>::is_signed);
  if (truncated < lowest)
    return std::numeric_limits<Integer>::min();
  if (truncated >= beyond)
    return std::numeric_limits<Integer>::max();
  return Integer(truncated);
}

template <typename Format, typename Integer>
static void floatToInteger(Warp &warp, const DecodedInstruction &instruction) {
  const auto *a = warp.read<typename Format::Storage>(instruction.operands[0]);
  warp.forEachLane<Integer>(instruction.result,
                            [&](unsigned lane) { return toInteger<Integer>(Format::load(a[lane])); });
}

Handler findFloatToInteger(FloatFormat from, unsigned toBytes, bool isSigned) {
  switch (toBytes) {
  case 1:
    return isSigned ? TRITON_BY_FORMAT(from, floatToInteger, int8_t) : TRITON_BY_FORMAT(from, floatToInteger, uint8_t);
  case 2:
    return isSigned ? TRITON_BY_FORMAT(from, floatToInteger, int16_t)
                    : TRITON_BY_FORMAT(from, floatToInteger, uint16_t);
  case 4:
    return isSigned ? TRITON_BY_FORMAT(from, floatToInteger, int32_t)
                    : TRITON_BY_FORMAT(from, floatToInteger, uint32_t);
  case 8:
    return isSigned ? TRITON_BY_FORMAT(from, floatToInteger, int64_t)
                    : TRITON_BY_FORMAT(from, floatToInteger, uint64_t);
  default:
    return nullptr;
  }
}

template <typename Format, typename Integer>
static void integerToFloat(Warp &warp, const DecodedInstruction &instruction) {
  const auto *a = warp.read<Integer>(instruction.operands[0]);
  warp.forEachLane<typename Format::Storage>(
      instruction.result, [&](unsigned lane) { return Format::store(typename Format::Value(a[lane])); });
}

template <typename Format> static void maskToFloat(Warp &warp, const DecodedInstruction &instruction) {
  LaneMask a = warp.readMask(instruction.operands[0]);
  float one = instruction.immediate ? -1.0f : 1.0f; // a signed bit is -1
  warp.forEachLane<typename Format::Storage>(instruction.result, [&](unsigned lane) {
    return Format::store(typename Format::Value((a >> lane) & 1 ? one : 0.0f));
  });
}

Handler findIntegerToFloat(unsigned fromBytes, FloatFormat to, bool isSigned) {
  switch (fromBytes) {
  case 0:
    return TRITON_BY_FORMAT(to, maskToFloat);
  case 1:
    return isSigned ? TRITON_BY_FORMAT(to, integerToFloat, int8_t) : TRITON_BY_FORMAT(to, integerToFloat, uint8_t);
  case 2:
    return isSigned ? TRITON_BY_FORMAT(to, integerToFloat, int16_t) : TRITON_BY_FORMAT(to, integerToFloat, uint16_t);
  case 4:
    return isSigned ? TRITON_BY_FORMAT(to, integerToFloat, int32_t) : TRITON_BY_FORMAT(to, integerToFloat, uint32_t);
  case 8:
    return isSigned ? TRITON_BY_FORMAT(to, integerToFloat, int64_t) : TRITON_BY_FORMAT(to, integerToFloat, uint64_t);
  default:
    return nullptr;
  }
}

} // namespace triton::simulator
