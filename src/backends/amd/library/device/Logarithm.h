// Logarithms as sums of two floats, which the logarithmic, inverse hyperbolic and power functions share.
//
// With s = f / (2 + f), log(1 + f) = 2 atanh(s) = f - f^2/2 + s (f^2/2 + R(s^2)), as in fdlibm: the large terms are
// exact, and only the small last one is rounded.
#pragma once

#include "Exponential.h"

namespace triton::device {

/// x = (1 + fraction) * 2^exponent with 1 + fraction between the roots of 1/2 and 2.
template <typename T> struct Logarithmand {
  Pair<T> fraction;
  Int exponent;
};

template <typename T> TRITON_INLINE Logarithmand<T> logarithmand(T x) {
  Split<T> parts = split(x);
  bool isLow = parts.fraction < T(0x1.6a09e6p-1);
  T fraction = isLow ? parts.fraction * 2 : parts.fraction;
  return {{fraction - 1, 0}, parts.exponent - isLow};
}

/// log(1 + f), with 4 to 6 more bits than T has.
template <typename T> TRITON_INLINE Pair<T> logarithmOfFraction(Pair<T> f) {
  T s = quotient(f.hi, 2 + f.hi);
  T z = s * s;
  T rest = z * polynomial(z, Coefficients<T>::logarithm);
  Pair<T> halfSquare = product(f.hi * T(0.5), f.hi);
  Pair<T> high = fastSum(f.hi, -halfSquare.hi);
  T slope = (1 - s) * (1 - s) * (1 + z); // of the logarithm, about 1 / (1 + f)
  T low = fma(s, halfSquare.hi + rest, fma(f.lo, slope, -halfSquare.lo));
  return fastSum(high.hi, high.lo + low);
}

template <typename T> TRITON_INLINE Pair<T> logarithm(Logarithmand<T> x) {
  T exponent = T(x.exponent);
  Pair<T> power = product(exponent, Constants<T>::log2.hi);
  power.lo = fma(exponent, Constants<T>::log2.lo, power.lo);
  Pair<T> fraction = logarithmOfFraction(x.fraction);
  Pair<T> high = fastSum(power.hi, fraction.hi);
  return fastSum(high.hi, high.lo + (power.lo + fraction.lo));
}

/// log(1 + x) of a positive or small pair; also for x = -1 and above, unless it is NaN or infinite.
template <typename T> TRITON_INLINE Logarithmand<T> logarithmandOfOnePlus(Pair<T> x) {
  Pair<T> all = sum(T(1), x.hi);
  all.lo += x.lo;
  Logarithmand<T> shifted = logarithmand(all.hi);
  shifted.fraction = fastSum(shifted.fraction.hi, scale(all.lo, -shifted.exponent));
  bool isSmall = x.hi > T(-0.29) && x.hi < T(0.41);
  shifted.fraction.hi = isSmall ? x.hi : shifted.fraction.hi;
  shifted.fraction.lo = isSmall ? x.lo : shifted.fraction.lo;
  shifted.exponent = isSmall ? 0 : shifted.exponent;
  return shifted;
}

/// What logarithms are at 0, below 0, at infinity and NaN, where `result` is not.
template <typename T> TRITON_INLINE T withLogarithmLimits(T x, T result) {
  result = x == infinity<T> ? x : result;
  result = x < 0 || isNaN(x) ? notANumber<T> : result;
  return x == 0 ? -infinity<T> : result;
}

/// log x to about twice the precision of T; x is positive and finite.
template <typename T> TRITON_INLINE Pair<T> preciseLogarithm(T x) {
  using Table = Coefficients<T>;
  constexpr int pairs = sizeof(Table::preciseLogarithmRest) / sizeof(T);
  Logarithmand<T> argument = logarithmand(x);
  T f = argument.fraction.hi;
  Pair<T> s = Pair<T>{f, 0} / sum(T(2), f);
  Pair<T> z = s * s;
  Pair<T> series = product(z.hi, polynomial(z.hi, Table::preciseLogarithm, pairs));
#pragma clang loop unroll(full)
  for (int i = pairs - 1; i >= 0; --i) {
    Pair<T> coefficient{Table::preciseLogarithm[i], Table::preciseLogarithmRest[i]};
    series = (series + coefficient) * z;
  }
  Pair<T> fraction = s * (series + T(2));
  return Constants<T>::log2 * T(argument.exponent) + fraction;
}

} // namespace triton::device
