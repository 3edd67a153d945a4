// Angles without their multiples of pi / 2.
//
// Large angles follow Payne and Hanek, "Radian reduction for trigonometric functions" (1983): of 2 / pi, only the bits
// matter that are not multiples of 4 after the multiplication. They are shifted into place by selections, because an
// access of a table by a variable index would go to memory.
#pragma once

#include "Arithmetic.h"

namespace triton::device {

/// angle = rest + quadrant * pi / 2, |rest| at most slightly more than pi / 4
template <typename T> struct Angle {
  Pair<T> rest;
  Int quadrant;
};

template <typename T> struct ReductionConstants;
template <> struct ReductionConstants<float> {
  static constexpr float largeAngle = 0x1p17f;
  static constexpr float shifter = 0x1.8p23f;
  static constexpr float twoOverPi = 0x1.45f306p-1f;
  static constexpr float halfPi[] = {0x1.921fb6p+0f, -0x1.777a5cp-25f, -0x1.ee59dap-50f};
  static constexpr int windowWords = 3; ///< the bits of the product
  static constexpr int tableWords = 8;
  /// pi / 2 * 2^-64
  static constexpr Pair<float> unit{0x1.921fb6p-64f, -0x1.777a5cp-89f};
};
template <> struct ReductionConstants<double> {
  static constexpr double largeAngle = 0x1p22; // the least whose bits begin in the table
  static constexpr double shifter = 0x1.8p52;
  static constexpr double twoOverPi = 0x1.45f306dc9c883p-1;
  static constexpr double halfPi[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};
  static constexpr int windowWords = 6;
  static constexpr int tableWords = 38;
  static constexpr Pair<double> unit{0x1.921fb54442d18p-64, 0x1.1a62633145c07p-118};
};

/// The bits of 2 / pi behind 32 zeros.
inline constexpr Unsigned bitsOfTwoOverPi[] = {
    0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab,
    0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5,
    0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff,
    0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7,
    0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20};

/// `count` words of 2 / pi from the bit `skipped` on.
template <int count, int total> TRITON_INLINE void takeBits(Unsigned skipped, Unsigned (&window)[count]) {
  Unsigned words[total + 1];
#pragma clang loop unroll(full)
  for (int i = 0; i <= total; ++i)
    words[i] = bitsOfTwoOverPi[i];
#pragma clang loop unroll(full)
  for (int step = 32; step >= 1; step /= 2) {
    if (step + count > total)
      continue;
    bool skips = (skipped >> 5) & step;
#pragma clang loop unroll(full)
    for (int i = 0; i < total + 1; ++i)
      words[i] = skips && i + step <= total ? words[i + step] : words[i];
  }
  Unsigned shift = skipped & 31;
#pragma clang loop unroll(full)
  for (int i = 0; i < count; ++i)
    window[i] = Unsigned((((UnsignedLong(words[i]) << 32) | words[i + 1]) << shift) >> 32);
}

/// mantissa * window mod 2^(32 count), most significant word first.
template <int count>
TRITON_INLINE void multiply(UnsignedLong mantissa, const Unsigned (&window)[count], Unsigned (&result)[count]) {
  Unsigned low = Unsigned(mantissa), high = Unsigned(mantissa >> 32);
  UnsignedLong carry = 0;
#pragma clang loop unroll(full)
  for (int i = count - 1; i >= 0; --i) {
    UnsignedLong sum = UnsignedLong(window[i]) * low + carry;
    result[i] = Unsigned(sum);
    carry = sum >> 32;
  }
  carry = 0;
#pragma clang loop unroll(full)
  for (int i = count - 2; i >= 0; --i) {
    UnsignedLong sum = UnsignedLong(window[i + 1]) * high + result[i] + carry;
    result[i] = Unsigned(sum);
    carry = sum >> 32;
  }
}

/// The signed fraction high:low / 2^128 of a quadrant, in radians.
TRITON_INLINE Pair<float> fractionInRadians(Long high, UnsignedLong, float) {
  float first = float(high);
  return Pair<float>{first, float(high - Long(first))} * ReductionConstants<float>::unit;
}
TRITON_INLINE Pair<double> fractionInRadians(Long high, UnsignedLong low, double) {
  double first = double(high);
  double second = double(high - Long(first)) + double(low) * 0x1p-64;
  return fastSum(first, second) * ReductionConstants<double>::unit;
}

/// For |x| from `largeAngle` to infinity.
template <typename T> TRITON_INLINE Angle<T> reduceLargeAngle(T x) {
  using Facts = ReductionConstants<T>;
  constexpr int precision = Format<T>::precision;
  constexpr int count = Facts::windowWords;
  Bits<T> bits = bitsOf(absolute(x));
  Int exponent = Int(bits >> (precision - 1)) - Format<T>::bias - (precision - 1);
  UnsignedLong mantissa = (bits & ((Bits<T>(1) << (precision - 1)) - 1)) | (Bits<T>(1) << (precision - 1));
  Unsigned window[count], product[count];
  takeBits<count, Facts::tableWords>(Unsigned(exponent + 30), window);
  multiply(mantissa, window, product);
  UnsignedLong high = (UnsignedLong(product[0]) << 32) | product[1];
  UnsignedLong low = UnsignedLong(product[2]) << 32;
  if constexpr (count > 3)
    low |= product[3];
  // The two highest bits are the quadrant. From the middle of it on, the fraction is negative, of the next.
  Int quadrant = Int(high >> 62) + Int((high >> 61) & 1);
  high = (high << 2) | (low >> 62);
  Pair<T> rest = fractionInRadians(Long(high), low << 2, T());
  bool isNegative = x < 0;
  return {isNegative ? -rest : rest, isNegative ? -quadrant : quadrant};
}

template <typename T> TRITON_INLINE Angle<T> reduceSmallAngle(T x) {
  using Facts = ReductionConstants<T>;
  T shifted = fma(x, Facts::twoOverPi, Facts::shifter);
  T k = shifted - Facts::shifter;
  Pair<T> middle = product(-k, Facts::halfPi[1]);
  Pair<T> high = sum(fma(-k, Facts::halfPi[0], x), middle.hi);
  T low = high.lo + fma(-k, Facts::halfPi[2], middle.lo);
  return {fastSum(high.hi, low), Int(Unsigned(bitsOf(shifted)))};
}

/// Of NaN and infinity, the rest is NaN.
template <typename T> TRITON_INLINE Angle<T> reduceAngle(T x) {
  if (absolute(x) < ReductionConstants<T>::largeAngle)
    return reduceSmallAngle(x);
  Angle<T> angle = reduceLargeAngle(x);
  angle.rest.hi = isInfinite(x) || isNaN(x) ? notANumber<T> : angle.rest.hi;
  return angle;
}

/// x half turns; exact until the multiplication by pi.
template <typename T> TRITON_INLINE Angle<T> reduceHalfTurns(T x) {
  T turns = x - 2 * nearest(x * T(0.5));
  T quadrant = nearest(turns * 2);
  T rest = fma(quadrant, T(-0.5), turns);
  return {Constants<T>::pi * rest, toInteger(quadrant, T(4))};
}

} // namespace triton::device
