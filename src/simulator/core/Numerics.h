// Floating-point formats as the GPU treats them: conversions by bits, and the canonical NaN. The source are
// measurements on an H200, which the tests reproduce bit for bit (test/data/recorded.json, made by
// test/record/record.py).
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

namespace triton::simulator {

constexpr uint32_t canonicalNaN = 0x7fffffff;

template <typename To, typename From> inline To bitCast(From value) {
  static_assert(sizeof(To) == sizeof(From));
  To result;
  std::memcpy(&result, &value, sizeof(result));
  return result;
}

/// Every NaN that the hardware's arithmetic returns is this one.
inline float canonical(float value) { return value != value ? bitCast<float>(canonicalNaN) : value; }

enum class Rounding : uint8_t { NearestEven, TowardZero };

/// Divides by 2^shift.
uint64_t shiftRounded(uint64_t value, unsigned shift, Rounding rounding);

/// The bits of an f32 in a format with `mantissa` explicit bits and `exponent` bits. Overflow gives infinity when
/// rounding to nearest and the largest finite value when rounding toward zero. NaN gives `nan`.
uint32_t narrowFloat(float value, unsigned exponentBits, unsigned mantissaBits, Rounding rounding, uint32_t nan);

/// To nearest even. Without branches, so that loops over lanes become vector code.
inline uint16_t halfFromFloat(float value) {
  constexpr uint32_t infinity = 0x7c00, smallestNormal = 0x38800000;
  auto bits = bitCast<uint32_t>(value), magnitude = bits & 0x7fffffff;
  uint32_t normal = ((magnitude + 0xfff + (magnitude >> 13 & 1)) >> 13) - (112u << 10);
  normal = normal < infinity ? normal : infinity;
  // The last bit of a number between 0.5 and 1 counts as much as the last bit of a subnormal half.
  uint32_t subnormal = bitCast<uint32_t>(bitCast<float>(magnitude) + 0.5f) - bitCast<uint32_t>(0.5f);
  uint32_t number = bits >> 16 & 0x8000;
  number |= magnitude < smallestNormal ? subnormal : normal;
  return uint16_t(magnitude > 0x7f800000 ? 0x7fff : number);
}
inline uint16_t halfFromFloat(float value, Rounding rounding) {
  return rounding == Rounding::NearestEven ? halfFromFloat(value)
                                           : uint16_t(narrowFloat(value, 5, 10, rounding, 0x7fff));
}
/// The same.
inline uint16_t bfloatFromFloat(float value) {
  auto bits = bitCast<uint32_t>(value);
  uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return uint16_t((bits & 0x7fffffff) > 0x7f800000 ? 0x7fff : rounded);
}
inline uint16_t bfloatFromFloat(float value, Rounding rounding) {
  return rounding == Rounding::NearestEven ? bfloatFromFloat(value)
                                           : uint16_t(narrowFloat(value, 8, 7, rounding, 0x7fff));
}
/// f64 to f32 with the last bit set when anything was cut off, so that rounding the result to 16 bits is correct.
float roundToOdd(double value);
/// NaN becomes the canonical one. No operand of the arithmetic is subnormal: the process may flush those.
inline float floatFromHalf(uint16_t bits) {
  uint32_t magnitude = bits & 0x7fff, sign = uint32_t(bits & 0x8000) << 16;
  uint32_t subnormal = bitCast<uint32_t>(float(int(magnitude)) * 0x1p-24f);
  uint32_t normal = (magnitude << 13) + (112u << 23);
  uint32_t number = magnitude < 0x400 ? subnormal : magnitude < 0x7c00 ? normal : 0x7f800000;
  return bitCast<float>(magnitude > 0x7c00 ? canonicalNaN : sign | number);
}
inline float floatFromBFloat(uint16_t bits) { return bitCast<float>(uint32_t(bits) << 16); }

/// f32 to e4m3 or e5m2 by the saturating conversion: to nearest even; infinity and values beyond the range become the
/// largest finite value, NaN becomes 0x7f.
uint8_t e4m3FromFloat(float value);
uint8_t e5m2FromFloat(float value);
uint16_t halfFromE4M3(uint8_t bits);
uint16_t halfFromE5M2(uint8_t bits);

/// f32 to a code of e2m1 as PTX describes it, as no machine that has it was measured: to nearest even; what is too
/// large becomes 6, and NaN 6 without a sign.
uint8_t e2m1FromFloat(float value);
uint16_t halfFromE2M1(uint8_t code);

} // namespace triton::simulator
