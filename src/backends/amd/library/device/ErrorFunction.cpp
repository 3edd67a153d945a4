// erf, erfc, erfcx and the normal distribution.
#include "ErrorFunction.h"

namespace triton::device {

/// Below them, erf is computed from its power series, and erfc from erf.
template <typename T> inline constexpr T smallForErf = T(0.875);
template <typename T> inline constexpr T smallForErfc = T(0.5);

/// The parts of the result are not normalized.
template <typename T> TRITON_INLINE Pair<T> errorFunctionNearZero(Pair<T> x) {
  return {x.hi, fma(x.hi, polynomial(x.hi * x.hi, Coefficients<T>::errorFunction), x.lo)};
}
/// erfc for |x| below `smallForErfc`.
template <typename T> TRITON_INLINE Pair<T> complementNearZero(Pair<T> x) {
  Pair<T> function = errorFunctionNearZero(x);
  Pair<T> high = fastSum(T(1), -function.hi);
  return {high.hi, high.lo - function.lo};
}

/// Beyond it, erfc is 0.
template <typename T> inline constexpr T farTail = isSingle<T> ? T(11) : T(28);

template <typename T> TRITON_INLINE T errorFunction(T x) {
  Pair<T> small = errorFunctionNearZero(Pair<T>{x, 0});
  T a = minimum(absolute(x), farTail<T>);
  Pair<T> rest = {a, 0};
  Scaled<T> tail = complement(rest, product(a, a));
  Pair<T> scaled = scale(tail.mantissa, tail.exponent);
  Pair<T> high = fastSum(T(1), -scaled.hi);
  T large = high.hi + (high.lo - scaled.lo);
  T result = withSign(absolute(x) < smallForErf<T> ? small.hi + small.lo : large, x);
  return isNaN(x) ? x : result;
}

/// erfc of a pair whose square is given.
template <typename T> TRITON_INLINE T complementaryErrorFunction(Pair<T> x, Pair<T> square) {
  bool isNegative = x.hi < 0;
  bool isFar = absolute(x.hi) > farTail<T>;
  Pair<T> a = isNegative ? -x : x;
  a = {isFar ? farTail<T> : a.hi, isFar ? T(0) : a.lo};
  square = {isFar ? farTail<T> * farTail<T> : square.hi, isFar ? T(0) : square.lo};
  Scaled<T> tail = complement(a, square);
  T positive = rounded(tail);
  Pair<T> high = fastSum(T(2), -scale(tail.mantissa.hi, tail.exponent));
  T negative = high.hi + (high.lo - scale(tail.mantissa.lo, tail.exponent));
  T result = isNegative ? negative : positive;
  result = absolute(x.hi) < smallForErfc<T> ? rounded(complementNearZero(x)) : result;
  return isNaN(x.hi) ? x.hi : result;
}

template <typename T> TRITON_INLINE T complementaryErrorFunction(T x) {
  return complementaryErrorFunction(Pair<T>{x, 0}, product(x, x));
}

template <typename T> TRITON_INLINE T scaledComplementaryErrorFunction(T x) {
  constexpr T largest = isSingle<T> ? T(0x1p40) : T(0x1p100); // beyond it, the reciprocal alone
  T a = minimum(absolute(x), largest);
  Pair<T> tail = scaledErrorFunction(Pair<T>{a, 0});
  Pair<T> square = product(a, a);
  Scaled<T> power = scaledExponential(square);
  Pair<T> twice = scale(power.mantissa, power.exponent + 1);
  T negative = isInfinite(twice.hi) ? twice.hi : rounded(twice - tail);
  T positive = x > largest ? T(0x1.20dd750429b6dp-1) / x : rounded(tail);
  T middle = rounded(complementNearZero(Pair<T>{x, 0}) * power.mantissa);
  T result = absolute(x) < smallForErfc<T> ? scale(middle, power.exponent) : x < 0 ? negative : positive;
  return isNaN(x) ? x : result;
}

template <typename T> TRITON_INLINE T normalDistribution(T x) {
  constexpr Pair<T> rootOfHalf = isSingle<T> ? Pair<T>{T(0x1.6a09e6p-1), T(0x1.9fcef4p-27)}
                                             : Pair<T>{T(0x1.6a09e667f3bcdp-1), T(-0x1.bdd3413b26456p-55)};
  constexpr T bound = isSingle<T> ? T(20) : T(50);
  T bounded = clamp(x, bound);
  Pair<T> square = product(bounded * T(0.5), bounded);
  Pair<T> argument = rootOfHalf * -bounded;
  bool isNegative = argument.hi < 0;
  Scaled<T> tail = complement(isNegative ? -argument : argument, square);
  T positive = scale(rounded(tail.mantissa), tail.exponent - 1);
  Pair<T> half = scale(tail.mantissa, tail.exponent - 1);
  Pair<T> high = fastSum(T(1), -half.hi);
  T result = isNegative ? high.hi + (high.lo - half.lo) : positive;
  result = absolute(argument.hi) < smallForErfc<T> ? T(0.5) * rounded(complementNearZero(argument)) : result;
  return isNaN(x) ? x : result;
}

} // namespace triton::device

using namespace triton::device;

TRITON_UNARY_FUNCTION(erf, errorFunction(x))
TRITON_UNARY_FUNCTION(erfc, complementaryErrorFunction(x))
TRITON_UNARY_FUNCTION(erfcx, scaledComplementaryErrorFunction(x))
TRITON_UNARY_FUNCTION(ncdf, normalDistribution(x))
TRITON_HALF_FUNCTION(erf)
TRITON_HALF_FUNCTION(erfc)
TRITON_HALF_FUNCTION(erfcx)
