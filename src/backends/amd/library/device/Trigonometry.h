// Sines and cosines of reduced angles as sums of two floats.
#pragma once

#include "Coefficients.h"
#include "Reduction.h"

namespace triton::device {

/// The parts of the result are not normalized.
template <typename T> TRITON_INLINE Pair<T> sineOfRest(Pair<T> x) {
  T z = x.hi * x.hi;
  T cubic = z * x.hi * polynomial(z, Coefficients<T>::sine);
  return {x.hi, cubic + fma(z * T(-0.5), x.lo, x.lo)};
}
template <typename T> TRITON_INLINE Pair<T> cosineOfRest(Pair<T> x) {
  Pair<T> square = product(x.hi, x.hi);
  Pair<T> first = fastSum(T(1), square.hi * T(-0.5));
  T quartic = square.hi * square.hi * polynomial(square.hi, Coefficients<T>::cosine);
  return {first.hi, quartic + (first.lo + fma(square.lo, T(-0.5), -x.hi * x.lo))};
}

template <typename T> TRITON_INLINE T sine(Angle<T> x) {
  Pair<T> s = sineOfRest(x.rest), c = cosineOfRest(x.rest);
  T result = x.quadrant & 1 ? c.hi + c.lo : s.hi + s.lo;
  return x.quadrant & 2 ? -result : result;
}
template <typename T> TRITON_INLINE T cosine(Angle<T> x) {
  x.quadrant += 1;
  return sine(x);
}
template <typename T> TRITON_INLINE T tangent(Angle<T> x) {
  Pair<T> s = sineOfRest(x.rest), c = cosineOfRest(x.rest);
  bool isOdd = x.quadrant & 1;
  s = fastSum(s.hi, s.lo);
  c = fastSum(c.hi, c.lo);
  return rounded((isOdd ? -c : s) / (isOdd ? s : c));
}

} // namespace triton::device
