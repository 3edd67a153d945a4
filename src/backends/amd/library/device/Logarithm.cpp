// log, log2, log10, log1p, and the parts of a number's representation.
#include "Logarithm.h"

namespace triton::device {

template <typename T> TRITON_INLINE T naturalLogarithm(T x) {
  return withLogarithmLimits(x, rounded(logarithm(logarithmand(x))));
}

template <typename T> TRITON_INLINE T logarithm2(T x) {
  Logarithmand<T> argument = logarithmand(x);
  Pair<T> fraction = logarithmOfFraction(argument.fraction) * Constants<T>::log2OfE;
  Pair<T> high = fastSum(T(argument.exponent), fraction.hi);
  return withLogarithmLimits(x, high.hi + (high.lo + fraction.lo));
}

template <typename T> TRITON_INLINE T logarithm10(T x) {
  return withLogarithmLimits(x, rounded(logarithm(logarithmand(x)) * Constants<T>::log10OfE));
}

template <typename T> TRITON_INLINE T logarithmOfOnePlus(T x) {
  T result = rounded(logarithm(logarithmandOfOnePlus(Pair<T>{x, 0})));
  result = withLogarithmLimits(1 + x, result);
  return absolute(x) < T(0x1p-60) || x == 0 ? x : result;
}

template <typename T> TRITON_INLINE Int integerExponent(T x) {
  Int exponent = split(x).exponent - 1;
  exponent = x == 0 || isNaN(x) ? -0x7fffffff - 1 : exponent;
  return isInfinite(x) ? 0x7fffffff : exponent;
}

template <typename T> TRITON_INLINE T exponentOf(T x) {
  T exponent = T(split(x).exponent - 1);
  exponent = isInfinite(x) || isNaN(x) ? absolute(x) : exponent;
  return x == 0 ? -infinity<T> : exponent;
}

} // namespace triton::device

using namespace triton::device;

TRITON_UNARY_FUNCTION(log, naturalLogarithm(x))
TRITON_UNARY_FUNCTION(log2, logarithm2(x))
TRITON_UNARY_FUNCTION(log10, logarithm10(x))
TRITON_UNARY_FUNCTION(log1p, logarithmOfOnePlus(x))
TRITON_UNARY_FUNCTION(logb, exponentOf(x))
TRITON_HALF_FUNCTION(log)
TRITON_HALF_FUNCTION(log2)
TRITON_HALF_FUNCTION(log10)
TRITON_HALF_FUNCTION(log1p)
TRITON_HALF_FUNCTION(logb)
extern "C" Int __ocml_ilogb_f32(float x) { return integerExponent(x); }
extern "C" Int __ocml_ilogb_f64(double x) { return integerExponent(x); }
