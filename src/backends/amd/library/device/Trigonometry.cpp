// sin, cos, tan of radians and of half turns.
#include "Trigonometry.h"

namespace triton::device {

/// The sign of 0 and all digits of small numbers, which the reduction loses.
template <typename T> TRITON_INLINE T withSmall(T x, T result) {
  constexpr T small = isSingle<T> ? T(0x1p-13) : T(0x1p-28);
  return absolute(x) < small ? withSign(fma(x * x, x * T(-0x1.555556p-3), x), x) : result;
}

template <typename T> TRITON_INLINE T sineOfHalfTurns(T x) {
  T result = sine(reduceHalfTurns(x));
  result = isInteger(x) ? withSign(T(0), x) : result;
  return isInfinite(x) || isNaN(x) ? notANumber<T> : result;
}
template <typename T> TRITON_INLINE T cosineOfHalfTurns(T x) {
  T result = cosine(reduceHalfTurns(x));
  result = isInteger(x - T(0.5)) && !isInteger(x) ? T(0) : result;
  return isInfinite(x) || isNaN(x) ? notANumber<T> : result;
}
template <typename T> TRITON_INLINE T tangentOfHalfTurns(T x) {
  T result = tangent(reduceHalfTurns(x));
  T zero = withSign(T(0), x);
  result = isInteger(x) ? (isOdd(x) ? -zero : zero) : result;
  T half = x - T(0.5);
  result = isInteger(half) && !isInteger(x) ? (isOdd(half) ? -infinity<T> : infinity<T>) : result;
  return isInfinite(x) || isNaN(x) ? notANumber<T> : result;
}

template <typename T> TRITON_INLINE T tangentOf(T x) {
  T result = tangent(reduceAngle(x));
  constexpr T small = isSingle<T> ? T(0x1p-13) : T(0x1p-28);
  return absolute(x) < small ? fma(x * x, x * T(0x1.555556p-2), x) : result;
}

} // namespace triton::device

using namespace triton::device;

TRITON_UNARY_FUNCTION(sin, withSmall(x, sine(reduceAngle(x))))
TRITON_UNARY_FUNCTION(cos, cosine(reduceAngle(x)))
TRITON_UNARY_FUNCTION(tan, tangentOf(x))
TRITON_UNARY_FUNCTION(sinpi, sineOfHalfTurns(x))
TRITON_UNARY_FUNCTION(cospi, cosineOfHalfTurns(x))
TRITON_UNARY_FUNCTION(tanpi, tangentOfHalfTurns(x))
TRITON_HALF_FUNCTION(sin)
TRITON_HALF_FUNCTION(cos)
TRITON_HALF_FUNCTION(tan)
TRITON_HALF_FUNCTION(sinpi)
TRITON_HALF_FUNCTION(cospi)
TRITON_HALF_FUNCTION(tanpi)
