// The inverses of erf, erfc and the normal distribution.
//
// In the tails, a short polynomial of sqrt(-log(1 - x^2)), as in Giles, "Approximating the erfinv function" (2012), is
// improved by one step of Halley's method.
#include "ErrorFunction.h"
#include "Logarithm.h"

namespace triton::device {

/// For |x| <= 1/2.
template <typename T> TRITON_INLINE T inverseNearZero(T x) {
  return fma(x, polynomial(x * x, Coefficients<T>::inverseErrorFunction), x);
}

/// The number whose erfc is y, for 0 < y <= 1/2. The parts are not normalized.
template <typename T> TRITON_INLINE Pair<T> inverseTail(T y) {
  using Table = Coefficients<T>;
  // -log(y (2 - y)); y may be subnormal.
  T w = -rounded(logarithm(logarithmand(y))) - rounded(logarithm(logarithmand(2 - y)));
  T s = root(w);
  T x = s < 3 ? polynomial(s, Table::inverseTailNear) : polynomial(3 / s, Table::inverseTailFar) * s;
  // With M = e^(x^2): (erfc(x) - y) / erfc'(x) = -(erfcx(x) - y M) sqrt(pi) / 2.
  Scaled<T> power = scaledExponential(product(x, x));
  Split<T> parts = split(y);
  Pair<T> wanted = scale(power.mantissa * parts.fraction, power.exponent + parts.exponent);
  T step = rounded(scaledErrorFunction(Pair<T>{x, 0}) - wanted) * T(0x1.c5bf891b4ef6bp-1);
  return {x, step / fma(-step, x, T(1))};
}

template <typename T> TRITON_INLINE T inverseErrorFunction(T x) {
  T a = absolute(x);
  T tail = rounded(inverseTail(a < 1 && a > T(0.5) ? 1 - a : T(0.5)));
  T result = a <= T(0.5) ? inverseNearZero(a) : tail;
  result = a == 1 ? infinity<T> : result;
  return a <= 1 ? withSign(result, x) : notANumber<T>;
}

/// The inverse of erfc for 0 <= x <= 2; `factor` multiplies the result.
template <typename T> TRITON_INLINE T inverseComplement(T x, Pair<T> factor) {
  bool isAbove = x > 1;
  T y = isAbove ? 2 - x : x;
  Pair<T> tail = inverseTail(y > 0 && y < T(0.5) ? y : T(0.5));
  Pair<T> middle = {inverseNearZero(1 - y), 0};
  Pair<T> chosen = y < T(0.5) ? fastSum(tail.hi, tail.lo) : middle;
  T result = rounded(chosen * factor);
  result = y == 0 ? infinity<T> : result;
  return y >= 0 ? (isAbove ? -result : result) : notANumber<T>;
}

template <typename T> TRITON_INLINE T inverseNormalDistribution(T x) {
  constexpr Pair<T> rootOf2 = isSingle<T> ? Pair<T>{T(0x1.6a09e6p+0), T(0x1.9fcef4p-26)}
                                          : Pair<T>{T(0x1.6a09e667f3bcdp+0), T(-0x1.bdd3413b26456p-54)};
  return -inverseComplement(2 * x, rootOf2);
}

} // namespace triton::device

using namespace triton::device;

TRITON_UNARY_FUNCTION(erfinv, inverseErrorFunction(x))
TRITON_UNARY_FUNCTION(erfcinv, inverseComplement(x, Pair<T>{1, 0}))
TRITON_UNARY_FUNCTION(ncdfinv, inverseNormalDistribution(x))
