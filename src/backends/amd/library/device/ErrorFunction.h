// The complementary error function as a scaled sum of two floats, which its own family and the inverses share.
#pragma once

#include "Exponential.h"

namespace triton::device {

/// (1 + 2x) e^(x^2) erfc(x) for x >= 0, which is nearly constant, so that the rounding of the variable does not
/// matter except near 0. The variable of its series follows Shepherd and
/// Laframboise, "Chebyshev approximation of (1 + 2x) exp(x^2) erfc x in 0 <= x < inf" (1981).
template <typename T> TRITON_INLINE Pair<T> scaledComplement(Pair<T> x) {
  using Table = Coefficients<T>;
  T t = quotient(x.hi - 4, x.hi + 4);
  Pair<T> p = product(t, polynomial(t, Table::scaledErrorFunction, 1));
  Pair<T> first = fastSum(Table::scaledErrorFunction[0], p.hi);
  return fastSum(first.hi, first.lo + (p.lo + Table::scaledErrorFunctionRest[0]));
}

/// e^(x^2) erfc(x) for x >= 0.
template <typename T> TRITON_INLINE Pair<T> scaledErrorFunction(Pair<T> x) {
  return scaledComplement(x) / (Pair<T>{2 * x.hi, 2 * x.lo} + T(1));
}

/// erfc(x) for x >= 0, where `square` is x^2.
template <typename T> TRITON_INLINE Scaled<T> complement(Pair<T> x, Pair<T> square) {
  Scaled<T> power = scaledExponential(-square);
  return {power.mantissa * scaledErrorFunction(x), power.exponent};
}

} // namespace triton::device
