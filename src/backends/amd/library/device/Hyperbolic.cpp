// sinh, cosh, tanh.
#include "Exponential.h"

namespace triton::device {

/// e^|x| / 2 and e^-|x| / 2, both times 2^-exponent.
template <typename T> struct HalfExponentials {
  Pair<T> large, small;
  Int exponent;
};
template <typename T> TRITON_INLINE HalfExponentials<T> halfExponentials(T x) {
  Scaled<T> power = scaledExponential(Pair<T>{absolute(x), 0});
  Pair<T> inverse = Pair<T>{1, 0} / power.mantissa;
  return {power.mantissa, scale(inverse, -2 * power.exponent), power.exponent - 1};
}

template <typename T> TRITON_INLINE T hyperbolicSine(T x) {
  T z = x * x;
  T small = fma(z * x, polynomial(z, Coefficients<T>::hyperbolicSine), x);
  HalfExponentials<T> halves = halfExponentials(x);
  T large = scale(rounded(halves.large - halves.small), halves.exponent);
  return absolute(x) < 1 ? small : withSign(large, x);
}

template <typename T> TRITON_INLINE T hyperbolicCosine(T x) {
  HalfExponentials<T> halves = halfExponentials(x);
  return scale(rounded(halves.large + halves.small), halves.exponent);
}

template <typename T> TRITON_INLINE T hyperbolicTangent(T x) {
  T z = x * x;
  T small = fma(z * x, polynomial(z, Coefficients<T>::hyperbolicTangent), x);
  T bounded = minimum(absolute(x), isSingle<T> ? T(12) : T(24)); // from there on the result is 1
  // (e^2x - 1) / (e^2x + 1) = 1 - 2 / (e^2x + 1)
  Scaled<T> power = scaledExponential(Pair<T>{2 * bounded, 0});
  Pair<T> fraction = Pair<T>{2, 0} / (scale(power.mantissa, power.exponent) + T(1));
  Pair<T> high = fastSum(T(1), -fraction.hi);
  T large = high.hi + (high.lo - fraction.lo);
  T result = withSign(absolute(x) < T(0.55) ? small : large, x);
  return isNaN(x) ? x : result;
}

} // namespace triton::device

using namespace triton::device;

TRITON_UNARY_FUNCTION(sinh, hyperbolicSine(x))
TRITON_UNARY_FUNCTION(cosh, hyperbolicCosine(x))
TRITON_UNARY_FUNCTION(tanh, hyperbolicTangent(x))
TRITON_HALF_FUNCTION(sinh)
TRITON_HALF_FUNCTION(cosh)
TRITON_HALF_FUNCTION(tanh)
