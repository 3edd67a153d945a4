// The gamma function and its logarithm.
//
// Between 1.5 and 2.5 there are polynomials; below, and above up to 8, recurrences lead there; from 8 on, Stirling's
// series is used, and below 0 the reflection formula.
#include "Logarithm.h"
#include "Trigonometry.h"

namespace triton::device {

template <typename T>
inline constexpr Pair<T> halfLogarithmOf2Pi = isSingle<T> ? Pair<T>{T(0x1.d67f1cp-1), T(0x1.0c97d6p-26)}
                                                          : Pair<T>{T(0x1.d67f1c864beb5p-1), T(-0x1.65b5a1b7ff5dfp-55)};
template <typename T>
inline constexpr Pair<T> logarithmOfPi = isSingle<T> ? Pair<T>{T(0x1.250d04p+0), T(0x1.1cf438p-25)}
                                                     : Pair<T>{T(0x1.250d048e7a1bdp+0), T(0x1.7abf2ad8d5088p-57)};
template <typename T> inline constexpr T largeForGamma = T(8);

/// A number x > 0 by one near 2: gamma(x) = gamma(2 + rest) * factor, or / factor if x < 1.5.
template <typename T> struct NearTwo {
  T rest;
  Pair<T> factor;
};
/// For x from -0.5 to below 8.
template <typename T> TRITON_INLINE NearTwo<T> nearTwo(T x) {
  T y = x;
  Pair<T> factor = {1, 0};
#pragma clang loop unroll(full)
  for (int i = 0; i < 6; ++i) {
    bool isAbove = y >= T(2.5);
    y = isAbove ? y - 1 : y;
    Pair<T> next = factor * y;
    factor = {isAbove ? next.hi : factor.hi, isAbove ? next.lo : factor.lo};
  }
  Pair<T> one = {x, 0}, two = sum(x, T(1)) * x;
  bool isBelowHalf = x <= T(0.5), isBelow = x < T(1.5);
  factor = {isBelowHalf ? two.hi : isBelow ? one.hi : factor.hi, isBelowHalf ? two.lo : isBelow ? one.lo : factor.lo};
  return {isBelowHalf ? x : isBelow ? x - 1 : y - 2, factor};
}

/// log(x) of a positive pair.
template <typename T> TRITON_INLINE Pair<T> logarithmOf(Pair<T> x) {
  Logarithmand<T> argument = logarithmand(x.hi);
  argument.fraction = fastSum(argument.fraction.hi, scale(x.lo, -argument.exponent));
  // Near 1 the first part may be 0.
  return logarithm(argument);
}

//===--- The logarithm ------------------------------------------------------------------------------------------===//

template <typename T> TRITON_INLINE Pair<T> logarithmOfGammaBelow8(T x) {
  NearTwo<T> parts = nearTwo(x);
  Pair<T> logarithm = logarithmOf(parts.factor);
  using Table = Coefficients<T>;
  Pair<T> slope = product(parts.rest, polynomial(parts.rest, Table::logarithmOfGamma, 1)) +
                  Pair<T>{Table::logarithmOfGamma[0], Table::logarithmOfGammaRest[0]};
  return slope * parts.rest + (x < T(1.5) ? -logarithm : logarithm);
}

/// (x - 1/2) (log x - 1) + (log(2 pi) - 1) / 2 + series
template <typename T> TRITON_INLINE Pair<T> logarithmOfGammaFrom8(T x) {
  T inverse = 1 / x;
  T series = inverse * polynomial(inverse * inverse, Coefficients<T>::stirling);
  Pair<T> logarithm = logarithmOf(Pair<T>{x, 0});
  Pair<T> rest = halfLogarithmOf2Pi<T> + (series - T(0.5));
  return (logarithm + T(-1)) * sum(x, T(-0.5)) + rest;
}

/// |sin(pi x)|
template <typename T> TRITON_INLINE Pair<T> sineOfFraction(T x) {
  T r = absolute(x - nearest(x));
  bool isLarge = r > T(0.25);
  Pair<T> angle = Constants<T>::pi * (isLarge ? T(0.5) - r : r);
  Pair<T> s = sineOfRest(angle), c = cosineOfRest(angle);
  return isLarge ? fastSum(c.hi, c.lo) : fastSum(s.hi, s.lo);
}

template <typename T> TRITON_INLINE T logarithmOfGamma(T x) {
  constexpr T huge = isSingle<T> ? T(0x1p60) : T(0x1p100);
  constexpr T tiny = isSingle<T> ? T(0x1p-40) : T(0x1p-80);
  T a = absolute(x);
  T bounded = minimum(maximum(a, tiny), huge);
  Pair<T> result = bounded < largeForGamma<T> ? logarithmOfGammaBelow8(bounded) : logarithmOfGammaFrom8(bounded);
  if (x < 0) {
    // log(pi / |x sin(pi x)|) - log gamma(|x|)
    Pair<T> sine = sineOfFraction(minimum(a, huge));
    result = logarithmOfPi<T> - logarithmOf(sine * bounded) - result;
    if (isInteger(x))
      return infinity<T>;
  }
  T rest = rounded(logarithm(logarithmand(a)));
  T end = a < tiny ? -rest : a > huge ? a * (rest - 1) : rounded(result);
  end = x == 0 || isInfinite(x) ? infinity<T> : end;
  return isNaN(x) ? x : end;
}

//===--- The function itself ------------------------------------------------------------------------------------===//

/// Gamma(x) for x from -0.5 to below 8.
template <typename T> TRITON_INLINE Pair<T> gammaBelow8(T x) {
  NearTwo<T> parts = nearTwo(x);
  Pair<T> function = product(parts.rest, polynomial(parts.rest, Coefficients<T>::gamma)) + T(1);
  Pair<T> quotient = function / parts.factor;
  Pair<T> product = function * parts.factor;
  return x < T(1.5) ? quotient : product;
}

template <typename T> TRITON_INLINE Scaled<T> gammaFrom8(T x) {
  T inverse = 1 / x;
  T series = inverse * polynomial(inverse * inverse, Coefficients<T>::stirling);
  Pair<T> exponent = (preciseLogarithm(x) + T(-1)) * sum(x, T(-0.5)) + (halfLogarithmOf2Pi<T> + (series - T(0.5)));
  return scaledExponential(exponent);
}

template <typename T> TRITON_INLINE T gamma(T x) {
  constexpr T tiny = isSingle<T> ? T(0x1p-30) : T(0x1p-60);
  constexpr T most = isSingle<T> ? T(80) : T(200); // beyond it, results overflow or underflow
  T a = absolute(x);
  bool isReflected = x < T(-0.5);
  T argument = isReflected ? minimum(a, most) : minimum(maximum(x, -a), most);
  argument = a < tiny ? tiny : argument;
  Scaled<T> result = {gammaBelow8(argument < largeForGamma<T> ? argument : T(2)), 0};
  if (argument >= largeForGamma<T>)
    result = gammaFrom8(argument);
  T end = scale(rounded(result.mantissa), result.exponent);
  if (isReflected) {
    // -pi / (x sin(pi x) gamma(-x)), whose sign is that of sin(pi x) below 0.
    Pair<T> divisor = sineOfFraction(a) * result.mantissa * argument;
    T magnitude = scale(rounded(Constants<T>::pi / divisor), -result.exponent);
    end = isOdd(floorOf(x)) ? -magnitude : magnitude;
    end = isInteger(x) ? notANumber<T> : end;
  }
  end = a < tiny ? 1 / x : end;
  return isNaN(x) ? x : x == infinity<T> ? x : end;
}

} // namespace triton::device

using namespace triton::device;

TRITON_UNARY_FUNCTION(lgamma, logarithmOfGamma(x))
TRITON_UNARY_FUNCTION(tgamma, gamma(x))
TRITON_HALF_FUNCTION(lgamma)
TRITON_HALF_FUNCTION(tgamma)
