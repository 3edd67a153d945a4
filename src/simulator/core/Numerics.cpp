#include "simulator/core/Numerics.h"

#include <algorithm>

namespace triton::simulator {

uint64_t shiftRounded(uint64_t value, unsigned shift, Rounding rounding) {
  if (shift == 0)
    return value;
  if (shift > 63)
    return 0;
  uint64_t quotient = value >> shift;
  if (rounding == Rounding::TowardZero)
    return quotient;
  uint64_t remainder = value & ((uint64_t(1) << shift) - 1), half = uint64_t(1) << (shift - 1);
  return quotient + (remainder > half || (remainder == half && (quotient & 1)));
}

uint32_t narrowFloat(float value, unsigned exponentBits, unsigned mantissaBits, Rounding rounding, uint32_t nan) {
  uint32_t bits = bitCast<uint32_t>(value);
  uint32_t sign = (bits >> 31) << (exponentBits + mantissaBits);
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return nan;
  uint32_t infinity = ((1u << exponentBits) - 1) << mantissaBits;
  if (magnitude == 0x7f800000)
    return sign | infinity;
  int exponent = int(magnitude >> 23) - 127;
  int biasDifference = 128 - (1 << (exponentBits - 1));
  if (rounding == Rounding::NearestEven && mantissaBits < 23 && exponent >= biasDifference - 126 && exponent > -127) {
    // The usual case: a normal number, whose rounding may carry into the exponent.
    unsigned shift = 23 - mantissaBits;
    uint32_t rounded = (magnitude + (1u << (shift - 1)) - 1 + (magnitude >> shift & 1)) >> shift;
    return sign | std::min(rounded - (uint32_t(biasDifference) << mantissaBits), infinity);
  }
  uint32_t significand = magnitude & 0x7fffff;
  if (magnitude >= 0x800000)
    significand |= 0x800000;
  else
    exponent = -126;
  int bias = (1 << (exponentBits - 1)) - 1;
  int smallest = 1 - bias;
  // The significand counts units of 2^(exponent - 23); the result counts 2^(max(exponent, smallest) - mantissaBits).
  unsigned shift = 23 - mantissaBits + (exponent < smallest ? unsigned(smallest - exponent) : 0);
  uint64_t rounded = shiftRounded(significand, shift, rounding);
  uint64_t result = exponent < smallest ? rounded
                                        : (uint64_t(exponent + bias) << mantissaBits) + rounded -
                                              (significand >= 0x800000 ? uint64_t(1) << mantissaBits : 0);
  if (exponent >= smallest && significand < 0x800000) // a subnormal number of f32 in a format with f32's exponents
    result = rounded;
  if (result >= infinity)
    return sign | (rounding == Rounding::TowardZero ? infinity - 1 : infinity);
  return sign | uint32_t(result);
}

/// A value of a narrow format: its bits as f32. No operand of the arithmetic is subnormal: the process may flush those.
static float widenFloat(uint32_t bits, unsigned exponentBits, unsigned mantissaBits) {
  uint32_t sign = bits >> (exponentBits + mantissaBits) & 1;
  uint32_t exponent = bits >> mantissaBits & ((1u << exponentBits) - 1), mantissa = bits & ((1u << mantissaBits) - 1);
  uint32_t offset = 128 - (1u << (exponentBits - 1)); // between the two biases
  if (exponent != 0)
    return bitCast<float>(sign << 31 | (exponent + offset) << 23 | mantissa << (23 - mantissaBits));
  float magnitude = float(mantissa) * bitCast<float>((offset + 1 - mantissaBits) << 23);
  return sign ? -magnitude : magnitude;
}

float roundToOdd(double value) {
  auto nearest = float(value);
  if (double(nearest) == value || nearest != nearest)
    return nearest;
  auto bits = bitCast<uint32_t>(nearest);
  if (std::fabs(double(nearest)) > std::fabs(value))
    --bits;
  return bitCast<float>(bits | 1);
}

static uint8_t eightBitFromFloat(float value, unsigned exponentBits, unsigned mantissaBits, uint8_t largest) {
  if (value != value)
    return 0x7f;
  uint8_t sign = bitCast<uint32_t>(value) >> 24 & 0x80;
  uint32_t magnitude = narrowFloat(std::fabs(value), exponentBits, mantissaBits, Rounding::NearestEven, 0x7f);
  return sign | uint8_t(magnitude > largest ? largest : magnitude);
}

uint8_t e4m3FromFloat(float value) {
  // In e4m3, the exponent with all ones belongs to numbers, so the range check precedes the narrowing.
  if (std::fabs(value) >= 256.0f) {
    uint8_t sign = bitCast<uint32_t>(value) >> 24 & 0x80;
    if (value != value)
      return 0x7f;
    float eighths = std::fmin(std::fabs(value), 512.0f) / 32.0f; // [8, 16]: mantissa with the hidden bit
    auto rounded = uint32_t(std::nearbyint(eighths));
    uint32_t magnitude = 0x78 + (rounded - 8);
    return sign | uint8_t(magnitude > 0x7e ? 0x7e : magnitude);
  }
  return eightBitFromFloat(value, 4, 3, 0x7e);
}

uint8_t e5m2FromFloat(float value) { return eightBitFromFloat(value, 5, 2, 0x7b); }

uint16_t halfFromE4M3(uint8_t bits) {
  if ((bits & 0x7f) == 0x7f)
    return 0x7fff;
  float value = widenFloat(bits, 4, 3);
  return halfFromFloat(value);
}

uint16_t halfFromE5M2(uint8_t bits) {
  if ((bits & 0x7f) > 0x7c)
    return 0x7fff;
  return uint16_t(bits) << 8;
}

static constexpr float magnitudesOfE2M1[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};

uint8_t e2m1FromFloat(float value) {
  if (value != value)
    return 7;
  uint8_t code = 0;
  for (; code < 7; ++code) {
    float middle = (magnitudesOfE2M1[code] + magnitudesOfE2M1[code + 1]) / 2;
    if (std::fabs(value) < middle || (std::fabs(value) == middle && code % 2 == 0))
      break;
  }
  return uint8_t(std::signbit(value) << 3 | code);
}

uint16_t halfFromE2M1(uint8_t code) { return uint16_t((code & 8) << 12 | halfFromFloat(magnitudesOfE2M1[code & 7])); }

} // namespace triton::simulator
