// exp, exp2, exp10, expm1.
#include "Exponential.h"

namespace triton::device {

template <typename T> TRITON_INLINE T exponential2(T x) {
  x = clamp(x, ExponentialConstants<T>::bound);
  Whole<T> k = wholeProduct(x, T(1));
  T r = x - k.number;
  return scale(fma(r, polynomial(r, Coefficients<T>::exponential2), T(1)), k.integer);
}

template <typename T> TRITON_INLINE T exponential10(T x) {
  x = clamp(x, ExponentialConstants<T>::bound);
  constexpr Pair<T> log10Of2 = ExponentialConstants<T>::log10Of2;
  Whole<T> k = wholeProduct(x, ExponentialConstants<T>::log2Of10);
  Pair<T> r = sum(fma(-k.number, log10Of2.hi, x), -k.number * log10Of2.lo);
  Pair<T> tail = smallExponentialMinusOne(r * Constants<T>::log10);
  return scale(T(1) + (tail.hi + tail.lo), k.integer);
}

template <typename T> TRITON_INLINE T exponentialMinusOne(T x) {
  T result = rounded(exponentialMinusOne(Pair<T>{x, 0}));
  result = x > (isSingle<T> ? T(89) : T(710)) ? infinity<T> : result;
  return absolute(x) < T(0x1p-60) || x == 0 ? x : result;
}

} // namespace triton::device

using namespace triton::device;

TRITON_UNARY_FUNCTION(exp, exponential(x))
TRITON_UNARY_FUNCTION(exp2, exponential2(x))
TRITON_UNARY_FUNCTION(exp10, exponential10(x))
TRITON_UNARY_FUNCTION(expm1, exponentialMinusOne(x))
TRITON_HALF_FUNCTION(exp)
TRITON_HALF_FUNCTION(exp2)
TRITON_HALF_FUNCTION(exp10)
TRITON_HALF_FUNCTION(expm1)
