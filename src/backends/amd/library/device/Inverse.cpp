// asin, acos, atan, atan2 and the inverse hyperbolic functions.
#include "Logarithm.h"

namespace triton::device {

//===--- Angles -------------------------------------------------------------------------------------------------===//

/// The angle of (x, y) for non-negative numbers, one of which is in [1, 2) and the other not larger.
template <typename T> TRITON_INLINE Pair<T> firstQuadrantAngle(T y, T x) {
  T small = minimum(x, y), large = maximum(x, y);
  bool isSteep = y > x;
  bool isMiddle = small > T(0.41421356) * large;
  Pair<T> difference = sum(small, -large), whole = sum(small, large);
  Pair<T> numerator = isMiddle ? difference : Pair<T>{small, 0};
  Pair<T> denominator = isMiddle ? whole : Pair<T>{large, 0};
  T ratio = quotient(numerator.hi, denominator.hi);
  T rest = (fma(-ratio, denominator.hi, numerator.hi) + numerator.lo) - ratio * denominator.lo;
  T z = ratio * ratio;
  T low = fma(z * ratio, polynomial(z, Coefficients<T>::arcTangent), quotient(rest, denominator.hi) * (1 - z));
  Pair<T> base = isMiddle ? Constants<T>::quarterPi : Pair<T>{0, 0};
  Pair<T> high = fastSum(base.hi, ratio);
  Pair<T> angle = fastSum(high.hi, high.lo + (base.lo + low));
  return isSteep ? Constants<T>::halfPi - angle : angle;
}

template <typename T> TRITON_INLINE T angleOf(T y, T x) {
  T height = absolute(y), width = absolute(x);
  // Infinite numbers are compared as 1 and finite ones beside them as 0.
  bool isEndless = isInfinite(height) || isInfinite(width);
  height = isEndless ? T(isInfinite(height)) : height;
  width = isEndless ? T(isInfinite(width)) : width;
  Int exponent = split(maximum(height, width)).exponent - 1;
  Pair<T> angle = firstQuadrantAngle(scale(height, -exponent), scale(width, -exponent));
  bool isZero = height == 0 && width == 0;
  angle.hi = isZero ? T(0) : angle.hi;
  angle.lo = isZero ? T(0) : angle.lo;
  T result = rounded(isNegative(x) ? Constants<T>::pi - angle : angle);
  return isNaN(x) || isNaN(y) ? notANumber<T> : withSign(result, y);
}

/// asin(s) of a square root s of z <= 1/4.
template <typename T> TRITON_INLINE Pair<T> arcSineOf(Pair<T> s, T z) {
  return {s.hi, fma(s.hi * z, polynomial(z, Coefficients<T>::arcSine), s.lo)};
}

/// asin(sqrt((1 - |x|) / 2)), from which both functions follow for large x.
template <typename T> TRITON_INLINE Pair<T> halfComplement(T x) {
  T z = fma(absolute(x), T(-0.5), T(0.5));
  return arcSineOf(root(Pair<T>{z, 0}), z);
}

template <typename T> TRITON_INLINE T arcSine(T x) {
  Pair<T> small = arcSineOf(Pair<T>{x, 0}, x * x);
  Pair<T> half = halfComplement(x);
  Pair<T> high = fastSum(Constants<T>::halfPi.hi, -2 * half.hi);
  T large = high.hi + (high.lo + fma(T(-2), half.lo, Constants<T>::halfPi.lo));
  return withSign(absolute(x) <= T(0.5) ? small.hi + small.lo : large, x);
}

template <typename T> TRITON_INLINE T arcCosine(T x) {
  Pair<T> small = arcSineOf(Pair<T>{x, 0}, x * x);
  Pair<T> middle = fastSum(Constants<T>::halfPi.hi, -small.hi);
  T nearHalfPi = middle.hi + (middle.lo + (Constants<T>::halfPi.lo - small.lo));
  Pair<T> half = halfComplement(x);
  Pair<T> high = fastSum(Constants<T>::pi.hi, -2 * half.hi);
  T nearPi = high.hi + (high.lo + fma(T(-2), half.lo, Constants<T>::pi.lo));
  T large = x < 0 ? nearPi : 2 * (half.hi + half.lo);
  return absolute(x) <= T(0.5) ? nearHalfPi : large;
}

//===--- Inverse hyperbolic functions ---------------------------------------------------------------------------===//

/// Above it, 1 does not matter beside a square.
template <typename T> inline constexpr T hugeRoot = isSingle<T> ? T(0x1p30) : T(0x1p60);

/// log(2x) for huge x.
template <typename T> TRITON_INLINE T logarithmOfDouble(T x) {
  Logarithmand<T> argument = logarithmand(x);
  argument.exponent += 1;
  return rounded(logarithm(argument));
}

/// log(1 + a + a^2 / (1 + sqrt(1 + a^2)))
template <typename T> TRITON_INLINE T areaHyperbolicSine(T x) {
  T a = minimum(absolute(x), hugeRoot<T>);
  Pair<T> square = product(a, a);
  Pair<T> divisor = root(square + T(1)) + T(1);
  Pair<T> argument = square / divisor + a;
  T result = rounded(logarithm(logarithmandOfOnePlus(argument)));
  result = absolute(x) >= hugeRoot<T> ? logarithmOfDouble(absolute(x)) : result;
  result = absolute(x) < T(0x1p-40) || isInfinite(x) || isNaN(x) ? absolute(x) : result;
  return withSign(result, x);
}

/// log(1 + t + sqrt(t (t + 2))) with t = x - 1
template <typename T> TRITON_INLINE T areaHyperbolicCosine(T x) {
  Pair<T> t = sum(minimum(x, hugeRoot<T>), T(-1));
  Pair<T> argument = t + root(t * (t + T(2)));
  T result = rounded(logarithm(logarithmandOfOnePlus(argument)));
  result = x >= hugeRoot<T> ? logarithmOfDouble(x) : result;
  result = x == infinity<T> ? x : result;
  return x >= 1 ? result : notANumber<T>;
}

/// log(1 + 2a / (1 - a)) / 2
template <typename T> TRITON_INLINE T areaHyperbolicTangent(T x) {
  T a = absolute(x);
  Pair<T> argument = Pair<T>{2 * a, 0} / sum(T(1), -a);
  T result = T(0.5) * rounded(logarithm(logarithmandOfOnePlus(argument)));
  result = a < T(0x1p-40) ? a : result;
  result = a == 1 ? infinity<T> : result;
  return a <= 1 ? withSign(result, x) : notANumber<T>;
}

} // namespace triton::device

using namespace triton::device;

TRITON_UNARY_FUNCTION(asin, arcSine(x))
TRITON_UNARY_FUNCTION(acos, arcCosine(x))
TRITON_UNARY_FUNCTION(atan, angleOf(x, T(1)))
TRITON_UNARY_FUNCTION(asinh, areaHyperbolicSine(x))
TRITON_UNARY_FUNCTION(acosh, areaHyperbolicCosine(x))
TRITON_UNARY_FUNCTION(atanh, areaHyperbolicTangent(x))
TRITON_BINARY_FUNCTION(atan2, angleOf(x, y))
TRITON_HALF_FUNCTION(asin)
TRITON_HALF_FUNCTION(acos)
TRITON_HALF_FUNCTION(atan)
TRITON_HALF_FUNCTION(asinh)
TRITON_HALF_FUNCTION(acosh)
TRITON_HALF_FUNCTION(atanh)
extern "C" _Float16 __ocml_atan2_f16(_Float16 y, _Float16 x) { return _Float16(angleOf(float(y), float(x))); }
