// Roundings to integers, exact remainders, and functions of a number's bits.
#include "Arithmetic.h"

namespace triton::device {

/// Halves away from 0.
template <typename T> TRITON_INLINE T roundedAway(T x) {
  T whole = truncated(x);
  T step = absolute(x - whole) >= T(0.5) ? T(1) : T(0);
  return withSign(absolute(whole) + step, x);
}

/// Both numbers as integers times 2^exponent of the second.
template <typename T> struct Remainder {
  T rest;     ///< of |x|, from 0 to below |y|
  bool isOdd; ///< whether the quotient is odd
};

/// |x| mod |y| for finite numbers, y not 0. Each round takes that part of the quotient which one multiplication can
/// take back without an error.
template <typename T> TRITON_INLINE Remainder<T> remainderOfMagnitudes(T x, T y) {
  constexpr Int precision = Format<T>::precision;
  constexpr Int step = isSingle<T> ? 18 : 44;
  Split<T> dividend = split(absolute(x)), divisor = split(absolute(y));
  bool isSmaller = absolute(x) < absolute(y);
  T rest = scale(dividend.fraction, precision), unit = scale(divisor.fraction, precision);
  Int left = dividend.exponent - divisor.exponent;
  T inverse = 1 / unit;
  bool isOdd = false;
  // The rest is between -unit / 2 and unit / 2 after each round, so it stays an integer of T's precision.
  T quotient = nearest(rest * inverse);
  rest = fma(-quotient, unit, rest);
  isOdd = triton::device::isOdd(quotient);
  while (left > 0) {
    Int bits = left < step ? left : step;
    rest = scale(rest, bits);
    quotient = nearest(rest * inverse);
    rest = fma(-quotient, unit, rest);
    isOdd = triton::device::isOdd(quotient);
    left -= bits;
  }
  isOdd = isOdd != (rest < 0);
  rest = rest < 0 ? rest + unit : rest;
  T result = scale(rest, divisor.exponent - precision);
  return {isSmaller ? absolute(x) : result, !isSmaller && isOdd};
}

template <typename T> TRITON_INLINE bool hasNoRemainder(T x, T y) {
  return isNaN(x) || isNaN(y) || isInfinite(x) || y == 0;
}

template <typename T> TRITON_INLINE T truncatedRemainder(T x, T y) {
  if (hasNoRemainder(x, y))
    return notANumber<T>;
  return isInfinite(y) || x == 0 ? x : withSign(remainderOfMagnitudes(x, y).rest, x);
}

template <typename T> TRITON_INLINE T nearestRemainder(T x, T y) {
  if (hasNoRemainder(x, y))
    return notANumber<T>;
  if (isInfinite(y) || x == 0)
    return x;
  Remainder<T> remainder = remainderOfMagnitudes(x, y);
  // rest > y / 2, or equal and the quotient odd; y - rest is exact where it is compared.
  T other = absolute(y) - remainder.rest;
  bool isAbove = remainder.rest > other || (remainder.rest == other && remainder.isOdd);
  T rest = isAbove ? -other : remainder.rest;
  return isNegative(x) ? -rest : rest;
}

template <typename T> TRITON_INLINE T neighbour(T x, T y) {
  if (isNaN(x) || isNaN(y))
    return notANumber<T>;
  if (x == y)
    return y;
  if (x == 0)
    return withSign(fromBits<T>(1), y);
  return fromBits<T>((x < y) == (x > 0) ? bitsOf(x) + 1 : bitsOf(x) - 1);
}

template <typename T> TRITON_INLINE T positiveDifference(T x, T y) {
  T difference = x - y;
  return isNaN(x) || isNaN(y) ? notANumber<T> : x > y ? difference : T(0);
}

template <typename T> TRITON_INLINE T scaledBy(T x, T exponent) {
  T result = scale(x, toInteger(exponent, T(5000)));
  return isNaN(x) || isNaN(exponent) ? notANumber<T> : result;
}

} // namespace triton::device

using namespace triton::device;

TRITON_UNARY_FUNCTION(floor, floorOf(x))
TRITON_UNARY_FUNCTION(ceil, -floorOf(-x))
TRITON_UNARY_FUNCTION(trunc, truncated(x))
TRITON_UNARY_FUNCTION(rint, nearest(x))
TRITON_UNARY_FUNCTION(nearbyint, nearest(x))
TRITON_UNARY_FUNCTION(round, roundedAway(x))
TRITON_UNARY_FUNCTION(fabs, absolute(x))
TRITON_BINARY_FUNCTION(copysign, withSign(x, y))
TRITON_BINARY_FUNCTION(fmin, minimum(x, y))
TRITON_BINARY_FUNCTION(fmax, maximum(x, y))
TRITON_BINARY_FUNCTION(fmod, truncatedRemainder(x, y))
TRITON_BINARY_FUNCTION(remainder, nearestRemainder(x, y))
TRITON_BINARY_FUNCTION(nextafter, neighbour(x, y))
TRITON_BINARY_FUNCTION(fdim, positiveDifference(x, y))
TRITON_BINARY_FUNCTION(scalb, scaledBy(x, y))
TRITON_HALF_FUNCTION(floor)
TRITON_HALF_FUNCTION(ceil)
TRITON_HALF_FUNCTION(trunc)
TRITON_HALF_FUNCTION(rint)
TRITON_HALF_FUNCTION(nearbyint)
TRITON_HALF_FUNCTION(round)
TRITON_HALF_FUNCTION(fabs)

#define TRITON_HALF_OF_TWO(name)                                                                                       \
  extern "C" _Float16 __ocml_##name##_f16(_Float16 x, _Float16 y) {                                                    \
    return _Float16(__ocml_##name##_f32(float(x), float(y)));                                                          \
  }
TRITON_HALF_OF_TWO(copysign)
TRITON_HALF_OF_TWO(fmin)
TRITON_HALF_OF_TWO(fmax)
TRITON_HALF_OF_TWO(fmod)
TRITON_HALF_OF_TWO(remainder)
TRITON_HALF_OF_TWO(fdim)
#undef TRITON_HALF_OF_TWO

#define TRITON_OTHER_FUNCTIONS(T, suffix)                                                                              \
  extern "C" T __ocml_fma_##suffix(T x, T y, T z) { return fma(x, y, z); }                                             \
  extern "C" T __ocml_ldexp_##suffix(T x, Int n) { return scale(x, n); }                                               \
  extern "C" T __ocml_scalbn_##suffix(T x, Int n) { return scale(x, n); }                                              \
  extern "C" Int __ocml_isnan_##suffix(T x) { return isNaN(x); }                                                       \
  extern "C" Int __ocml_isinf_##suffix(T x) { return isInfinite(x); }                                                  \
  extern "C" Int __ocml_isfinite_##suffix(T x) { return absolute(x) < infinity<T>; }                                   \
  extern "C" Int __ocml_signbit_##suffix(T x) { return isNegative(x); }
TRITON_OTHER_FUNCTIONS(float, f32)
TRITON_OTHER_FUNCTIONS(double, f64)
#undef TRITON_OTHER_FUNCTIONS
