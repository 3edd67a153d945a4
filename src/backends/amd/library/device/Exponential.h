// Powers of e as a number near 1 times a power of two, which the exponential, hyperbolic and power functions share.
#pragma once

#include "Arithmetic.h"
#include "Coefficients.h"

namespace triton::device {

/// mantissa * 2^exponent
template <typename T> struct Scaled {
  Pair<T> mantissa;
  Int exponent;
};

template <typename T> struct ExponentialConstants;
template <> struct ExponentialConstants<float> {
  static constexpr float shifter = 0x1.8p23f; ///< added, it moves the integer part to the lowest bits
  static constexpr float bound = 200;         ///< beyond it everything overflows or underflows
  /// The first parts are so short that their multiples by integers up to the bound are exact.
  static constexpr Pair<float> log2{0x1.62e8p-1f, -0x1.e8082ep-16f};
  static constexpr Pair<float> log10Of2{0x1.344p-2f, 0x1.3509f8p-18f};
  static constexpr float log2Of10 = 0x1.a934fp+1f;
};
template <> struct ExponentialConstants<double> {
  static constexpr double shifter = 0x1.8p52;
  static constexpr double bound = 1600;
  static constexpr Pair<double> log2{0x1.62e42fefa4p-1, -0x1.8432a1b0e2634p-43};
  static constexpr Pair<double> log10Of2{0x1.34413509f8p-2, -0x1.80433b83b532ap-44};
  static constexpr double log2Of10 = 0x1.a934f0979a371p+1;
};

/// An integer as a float and as an integer. The second is some number if the first is NaN.
template <typename T> struct Whole {
  T number;
  Int integer;
};

/// The integer nearest to x * factor, which is less than 2^22.
template <typename T> TRITON_INLINE Whole<T> wholeProduct(T x, T factor) {
  constexpr T shifter = ExponentialConstants<T>::shifter;
  T shifted = fma(x, factor, shifter);
  return {shifted - shifter, Int(Unsigned(bitsOf(shifted)) - Unsigned(__builtin_bit_cast(Bits<T>, shifter)))};
}

/// NaN stays NaN.
template <typename T> TRITON_INLINE T clamp(T x, T bound) {
  x = x > bound ? bound : x;
  return x < -bound ? -bound : x;
}

/// e^r - 1 for |r| <= 0.3475; the parts of the result are not normalized.
template <typename T> TRITON_INLINE Pair<T> smallExponentialMinusOne(Pair<T> r) {
  T square = r.hi * r.hi;
  return {r.hi, fma(square, polynomial(r.hi, Coefficients<T>::exponential), fma(r.hi, r.lo, r.lo))};
}

/// What is left of x after the multiple `k` of log 2 in it.
template <typename T> TRITON_INLINE Pair<T> withoutLog2(Pair<T> x, T k) {
  constexpr Pair<T> log2 = ExponentialConstants<T>::log2;
  T high = fma(-k, log2.hi, x.hi);
  return sum(high, fma(-k, log2.lo, x.lo));
}

template <typename T> TRITON_INLINE Scaled<T> scaledExponential(Pair<T> x) {
  constexpr T bound = ExponentialConstants<T>::bound;
  bool isBeyond = !(absolute(x.hi) < bound);
  x = {clamp(x.hi, bound), isBeyond ? T(0) : x.lo};
  Whole<T> k = wholeProduct(x.hi, Constants<T>::log2OfE.hi);
  Pair<T> r = smallExponentialMinusOne(withoutLog2(x, k.number));
  Pair<T> one = fastSum(T(1), r.hi);
  return {fastSum(one.hi, one.lo + r.lo), k.integer};
}

template <typename T> TRITON_INLINE T rounded(Scaled<T> x) { return scale(rounded(x.mantissa), x.exponent); }

template <typename T> TRITON_INLINE T exponential(T x) {
  x = clamp(x, ExponentialConstants<T>::bound);
  Whole<T> k = wholeProduct(x, Constants<T>::log2OfE.hi);
  constexpr Pair<T> log2 = ExponentialConstants<T>::log2;
  T r = fma(-k.number, log2.lo, fma(-k.number, log2.hi, x));
  T tail = fma(r * r, polynomial(r, Coefficients<T>::exponential), r);
  return scale(T(1) + tail, k.integer);
}

/// e^x - 1, with the error of a pair.
template <typename T> TRITON_INLINE Pair<T> exponentialMinusOne(Pair<T> x) {
  constexpr T bound = ExponentialConstants<T>::bound;
  bool isBeyond = !(absolute(x.hi) < bound);
  x = {clamp(x.hi, bound), isBeyond ? T(0) : x.lo};
  Whole<T> k = wholeProduct(x.hi, Constants<T>::log2OfE.hi);
  Pair<T> r = smallExponentialMinusOne(withoutLog2(x, k.number));
  r = fastSum(r.hi, r.lo);
  // 2^k (r + 1) - 1 = 2^k (r + (1 - 2^-k)), where k is so large that 2^-k does not matter, or exact.
  Int power = k.integer < -2 * Format<T>::precision ? -2 * Format<T>::precision : k.integer;
  Pair<T> one = sum(T(1), -scale(T(1), -power));
  Pair<T> result = one + r;
  return scale(result, power);
}

} // namespace triton::device
