// Arithmetic of AMD's GPUs on one lane. Approximate instructions are computed exactly and rounded, which stays within
// their documented error.
#include "numerics/SpecialFunctions.h"
#include "simulator/amdgpu/Handlers.h"
#include "simulator/amdgpu/LaneMoves.h"
#include "simulator/core/FloatFormats.h"

#include "llvm/ADT/StringSwitch.h"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace triton::simulator::amdgpu {

namespace {

/// The type in which a function is computed before its result is rounded.
template <typename Value> using WideOf = std::conditional_t<std::is_same_v<Value, double>, long double, double>;

template <typename Format, typename Operation> void unary(Warp &warp, const DecodedInstruction &instruction) {
  using Storage = Format::Storage;
  using Value = Format::Value;
  const auto *a = warp.read<Storage>(instruction.operands[0]);
  warp.forEachLane<Storage>(instruction.result, [=](unsigned lane) {
    return Format::store(Value(Operation::apply(WideOf<Value>(Format::load(a[lane])))));
  });
}

template <typename Format, typename Operation> void binary(Warp &warp, const DecodedInstruction &instruction) {
  using Storage = Format::Storage;
  using Value = Format::Value;
  const auto *a = warp.read<Storage>(instruction.operands[0]), *b = warp.read<Storage>(instruction.operands[1]);
  warp.forEachLane<Storage>(instruction.result, [=](unsigned lane) {
    using Wide = WideOf<Value>;
    return Format::store(Value(Operation::apply(Wide(Format::load(a[lane])), Wide(Format::load(b[lane])))));
  });
}

#define TRITON_UNARY(name, expression)                                                                                 \
  struct name {                                                                                                        \
    template <typename Wide> static Wide apply(Wide x) { return expression; }                                          \
  };
TRITON_UNARY(Sine, std::sin(x))
TRITON_UNARY(Cosine, std::cos(x))
TRITON_UNARY(PowerOf10, std::pow(Wide(10), x))
TRITON_UNARY(Logarithm10, std::log10(x))
TRITON_UNARY(SineOfTurn, numerics::sinPi(2 * x))
TRITON_UNARY(CosineOfTurn, numerics::cosPi(2 * x))
TRITON_UNARY(Mantissa, [x] {
  int exponent = 0;
  return std::frexp(x, &exponent);
}())
#undef TRITON_UNARY
struct Power {
  template <typename Wide> static Wide apply(Wide x, Wide y) { return std::pow(x, y); }
};
/// A product in which zero times anything is zero.
struct LegacyProduct {
  template <typename Wide> static Wide apply(Wide x, Wide y) { return x == 0 || y == 0 ? Wide(0) : x * y; }
};

/// The part behind the point, less than 1 also where it would be rounded to 1.
template <typename Format> void fraction(Warp &warp, const DecodedInstruction &instruction) {
  using Storage = Format::Storage;
  using Value = Format::Value;
  const auto *a = warp.read<Storage>(instruction.operands[0]);
  constexpr int digits = std::is_same_v<Format, HalfFormat>     ? 11
                         : std::is_same_v<Format, BFloatFormat> ? 8
                         : std::is_same_v<Format, SingleFormat> ? 24
                                                                : 53;
  const Value most = Value(1) - std::ldexp(Value(1), -digits);
  warp.forEachLane<Storage>(instruction.result, [=](unsigned lane) {
    Value x = Format::load(a[lane]), rest = x - std::floor(x);
    return Format::store(rest > most ? most : rest);
  });
}

/// x * 2^n, where n is an integer of 16 or 32 bits; the size of its elements is the immediate.
template <typename Format> void scaleByPower(Warp &warp, const DecodedInstruction &instruction) {
  using Storage = Format::Storage;
  const auto *a = warp.read<Storage>(instruction.operands[0]);
  const auto *shorts = warp.read<int16_t>(instruction.operands[1]);
  const auto *words = warp.read<int32_t>(instruction.operands[1]);
  warp.forEachLane<Storage>(instruction.result, [&](unsigned lane) {
    int power = std::clamp<int>(instruction.immediate == 2 ? shorts[lane] : words[lane], -5000, 5000);
    return Format::store(
        typename Format::Value(std::ldexp(WideOf<typename Format::Value>(Format::load(a[lane])), power)));
  });
}

/// The exponent of frexp; 0 for numbers that are not finite. The immediate is the size of the result's elements.
template <typename Format> void exponentOf(Warp &warp, const DecodedInstruction &instruction) {
  const auto *a = warp.read<typename Format::Storage>(instruction.operands[0]);
  auto exponent = [&](unsigned lane) {
    int result = 0;
    auto value = Format::load(a[lane]);
    if (std::isfinite(value))
      (void)std::frexp(value, &result);
    return result;
  };
  if (instruction.immediate == 2)
    warp.forEachLane<int16_t>(instruction.result, [=](unsigned lane) { return int16_t(exponent(lane)); });
  else
    warp.forEachLane<int32_t>(instruction.result, exponent);
}

/// The median of three numbers. If one is NaN, the result is the least of the others.
template <typename Format> void median(Warp &warp, const DecodedInstruction &instruction) {
  using Storage = Format::Storage;
  const auto *a = warp.read<Storage>(instruction.operands[0]), *b = warp.read<Storage>(instruction.operands[1]),
             *c = warp.read<Storage>(instruction.operands[2]);
  warp.forEachLane<Storage>(instruction.result, [=](unsigned lane) {
    auto x = Format::load(a[lane]), y = Format::load(b[lane]), z = Format::load(c[lane]);
    if (x != x || y != y || z != z)
      return Format::store(extremum<false>(extremum<false>(x, y), z));
    return Format::store(std::max(std::min(x, y), std::min(std::max(x, y), z)));
  });
}

//===--- Integers -----------------------------------------------------------------------------------------------===//

uint32_t extractUnsigned(uint32_t value, uint32_t offset, uint32_t width) {
  return uint32_t((uint64_t(value) >> (offset & 31)) & ((uint64_t(1) << (width & 31)) - 1));
}

uint32_t extractSigned(uint32_t value, uint32_t offset, uint32_t width) {
  width &= 31;
  if (width == 0)
    return 0;
  return uint32_t(int32_t(extractUnsigned(uint32_t(int32_t(value) >> (offset & 31)), 0, width) << (32 - width)) >>
                  (32 - width));
}

uint32_t alignBytes(uint32_t high, uint32_t low, uint32_t bytes) {
  return uint32_t(((uint64_t(high) << 32) | low) >> 8 * (bytes & 3));
}

/// A selector's byte picks a byte of b (0-3) or a (4-7), the sign of a half word of them (8-11), zeros or ones.
uint32_t permuteBytes(uint32_t a, uint32_t b, uint32_t selectors) {
  uint64_t bytes = uint64_t(a) << 32 | b;
  uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    unsigned selector = selectors >> 8 * i & 0xff;
    uint32_t byte = selector < 8     ? uint32_t(bytes >> 8 * selector) & 0xff
                    : selector < 12  ? (bytes >> (16 * (selector - 8) + 15) & 1 ? 0xff : 0)
                    : selector == 12 ? 0
                                     : 0xff;
    result |= byte << 8 * i;
  }
  return result;
}

uint32_t multiply24(uint32_t a, uint32_t b, uint32_t /*unused*/) { return (a & 0xffffff) * (b & 0xffffff); }
int64_t signExtend24(uint32_t value) { return int32_t(value << 8) >> 8; }
uint32_t multiplySigned24(uint32_t a, uint32_t b, uint32_t /*unused*/) {
  return uint32_t(signExtend24(a) * signExtend24(b));
}
uint32_t multiplyHigh24(uint32_t a, uint32_t b, uint32_t /*unused*/) {
  return uint32_t(uint64_t(a & 0xffffff) * (b & 0xffffff) >> 32);
}
uint32_t multiplyHighSigned24(uint32_t a, uint32_t b, uint32_t /*unused*/) {
  return uint32_t(signExtend24(a) * signExtend24(b) >> 32);
}

/// Operands that the instruction does not have are the first one.
template <uint32_t (*compute)(uint32_t, uint32_t, uint32_t)>
void integer(Warp &warp, const DecodedInstruction &instruction) {
  const auto *a = warp.read<uint32_t>(instruction.operands[0]), *b = warp.read<uint32_t>(instruction.operands[1]),
             *c = warp.read<uint32_t>(instruction.operands[2]);
  warp.forEachLane<uint32_t>(instruction.result, [=](unsigned lane) { return compute(a[lane], b[lane], c[lane]); });
}

} // namespace

Handler findLaneMath(llvm::StringRef name, FloatFormat format) {
#define TRITON_CASE(name, function, Operation) Case(name, TRITON_BY_FORMAT(format, function, Operation))
  return llvm::StringSwitch<Handler>(name)
      .TRITON_CASE("sin", unary, Sine)
      .TRITON_CASE("cos", unary, Cosine)
      .TRITON_CASE("exp10", unary, PowerOf10)
      .TRITON_CASE("log10", unary, Logarithm10)
      .TRITON_CASE("pow", binary, Power)
      .TRITON_CASE("turn.sin", unary, SineOfTurn)
      .TRITON_CASE("turn.cos", unary, CosineOfTurn)
      .TRITON_CASE("frexp.mant", unary, Mantissa)
      .TRITON_CASE("fmul.legacy", binary, LegacyProduct)
      .Case("fract", TRITON_BY_FORMAT(format, fraction))
      .Case("ldexp", TRITON_BY_FORMAT(format, scaleByPower))
      .Case("frexp.exp", TRITON_BY_FORMAT(format, exponentOf))
      .Case("fmed3", TRITON_BY_FORMAT(format, median))
      .Default(nullptr);
#undef TRITON_CASE
}

Handler findIntegerMath(llvm::StringRef name) {
  return llvm::StringSwitch<Handler>(name)
      .Case("ubfe", &integer<extractUnsigned>)
      .Case("sbfe", &integer<extractSigned>)
      .Case("alignbyte", &integer<alignBytes>)
      .Case("perm", &integer<permuteBytes>)
      .Case("mul.u24", &integer<multiply24>)
      .Case("mul.i24", &integer<multiplySigned24>)
      .Case("mulhi.u24", &integer<multiplyHigh24>)
      .Case("mulhi.i24", &integer<multiplyHighSigned24>)
      .Default(nullptr);
}

} // namespace triton::simulator::amdgpu
