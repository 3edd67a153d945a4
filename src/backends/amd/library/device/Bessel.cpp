// Bessel functions of the first and second kind, and modified ones.
//
// Below 8 there are polynomials for intervals of length 2; from there on, Hankel's asymptotic forms are used. Between
// zeros the error is relative to the size of the waves, not to the result.
#include "Logarithm.h"
#include "Trigonometry.h"

namespace triton::device {

template <typename T> inline constexpr T largeForBessel = T(8);

/// For 0 <= x < 8.
template <typename T, int count> TRITON_INLINE T piecewise(T x, const T (&pieces)[4][count]) {
  T result = 0;
#pragma clang loop unroll(full)
  for (int i = 0; i < 4; ++i) {
    T value = polynomial(x - T(2 * i + 1), pieces[i]);
    result = x >= T(2 * i) ? value : result;
  }
  return result;
}

/// sqrt(1 / (pi x)) times sums of sine and cosine, from which both kinds follow.
template <typename T> struct Waves {
  T sum, difference; ///< sin x + cos x, sin x - cos x
  T amplitude;
};
template <typename T> TRITON_INLINE Waves<T> waves(T x) {
  Angle<T> angle = reduceAngle(x);
  Pair<T> s = sineOfRest(angle.rest), c = cosineOfRest(angle.rest);
  s = fastSum(s.hi, s.lo);
  c = fastSum(c.hi, c.lo);
  Pair<T> sine = angle.quadrant & 1 ? c : s, cosine = angle.quadrant & 1 ? -s : c;
  T sign = angle.quadrant & 2 ? T(-1) : T(1);
  return {sign * rounded(sine + cosine), sign * rounded(sine - cosine), T(0x1.20dd750429b6dp-1) / root(x)};
}

template <typename T> TRITON_INLINE T logarithmTerm(T x) {
  return T(0x1.45f306dc9c883p-1) * rounded(logarithm(logarithmand(x)));
}

template <typename T> TRITON_INLINE T besselJ0(T x) {
  using Table = Coefficients<T>;
  T a = absolute(x);
  T far = maximum(a, largeForBessel<T>), w = 1 / (far * far);
  Waves<T> wave = waves(far);
  T large = wave.amplitude *
            fma(polynomial(w, Table::hankelP0), wave.sum, -polynomial(w, Table::hankelQ0) / far * wave.difference);
  T result = a < largeForBessel<T> ? piecewise(a, Table::besselJ0) : large;
  return isNaN(x) ? x : isInfinite(x) ? T(0) : result;
}
template <typename T> TRITON_INLINE T besselJ1(T x) {
  using Table = Coefficients<T>;
  T a = absolute(x);
  T far = maximum(a, largeForBessel<T>), w = 1 / (far * far);
  Waves<T> wave = waves(far);
  T large = wave.amplitude *
            fma(polynomial(w, Table::hankelP1), wave.difference, polynomial(w, Table::hankelQ1) / far * wave.sum);
  T result = a < largeForBessel<T> ? a * piecewise(a, Table::besselJ1) : large;
  result = isNegative(x) ? -result : result;
  return isNaN(x) ? x : isInfinite(x) ? withSign(T(0), x) : result;
}

/// What functions of the second kind are outside of the positive numbers.
template <typename T> TRITON_INLINE T withSecondKindLimits(T x, T result) {
  result = x == infinity<T> ? T(0) : x == 0 ? -infinity<T> : result;
  return x >= 0 ? result : notANumber<T>;
}
template <typename T> TRITON_INLINE T besselY0(T x) {
  using Table = Coefficients<T>;
  T far = maximum(x, largeForBessel<T>), w = 1 / (far * far);
  Waves<T> wave = waves(far);
  T large = wave.amplitude *
            fma(polynomial(w, Table::hankelP0), wave.difference, polynomial(w, Table::hankelQ0) / far * wave.sum);
  T small = fma(logarithmTerm(x), piecewise(x, Table::besselJ0), piecewise(x, Table::besselY0));
  return withSecondKindLimits(x, x < largeForBessel<T> ? small : large);
}
template <typename T> TRITON_INLINE T besselY1(T x) {
  using Table = Coefficients<T>;
  T far = maximum(x, largeForBessel<T>), w = 1 / (far * far);
  Waves<T> wave = waves(far);
  T large = wave.amplitude *
            fma(polynomial(w, Table::hankelQ1) / far, wave.difference, -polynomial(w, Table::hankelP1) * wave.sum);
  T factor = fma(logarithmTerm(x), piecewise(x, Table::besselJ1), piecewise(x, Table::besselY1));
  T small = fma(x, factor, -T(0x1.45f306dc9c883p-1) / x);
  return withSecondKindLimits(x, x < largeForBessel<T> ? small : large);
}

/// e^x / sqrt(x) times a polynomial of 1 / x, with half of the exponent at a time so that it does not overflow early.
template <typename T, int count> TRITON_INLINE T grown(T x, const T (&coefficients)[count]) {
  Scaled<T> power = scaledExponential(Pair<T>{x, 0});
  T factor = polynomial(1 / x, coefficients) / root(x);
  return scale(rounded(power.mantissa) * factor, power.exponent);
}
template <typename T> TRITON_INLINE T modifiedBessel0(T x) {
  constexpr T most = isSingle<T> ? T(100) : T(800);
  T a = absolute(x);
  T bounded = minimum(a, most);
  T large = grown(maximum(bounded, largeForBessel<T>), Coefficients<T>::modifiedBesselFar0);
  T result = a < largeForBessel<T> ? polynomial(a * a, Coefficients<T>::modifiedBessel0) : large;
  return isNaN(x) ? x : result;
}
template <typename T> TRITON_INLINE T modifiedBessel1(T x) {
  constexpr T most = isSingle<T> ? T(100) : T(800);
  T a = absolute(x);
  T bounded = minimum(a, most);
  T large = grown(maximum(bounded, largeForBessel<T>), Coefficients<T>::modifiedBesselFar1);
  T result = a < largeForBessel<T> ? a * polynomial(a * a, Coefficients<T>::modifiedBessel1) : large;
  return isNaN(x) ? x : withSign(result, x);
}

/// Up to the argument, orders follow from lower ones; beyond it, only downwards, from an order so high that the
/// function vanishes there.
template <typename T> TRITON_INLINE T besselOfOrder(Int order, T x) {
  Int n = order < 0 ? -order : order;
  T a = absolute(x);
  T result = besselJ0(a), next = besselJ1(a);
  if (T(n) <= a) {
    for (Int k = 1; k < n; ++k) {
      T higher = 2 * T(k) / a * next - result;
      result = next;
      next = higher;
    }
    result = n == 0 ? result : next;
  } else if (n > 0) {
    T zero = result, one = next;
    bool usesZero = absolute(zero) > absolute(one);
    T above = 0, here = T(0x1p-60), wanted = 0;
    for (Int k = n + 40 + n / 2; k > 0; --k) {
      T below = 2 * T(k) / a * here - above;
      above = here;
      here = below;
      wanted = k == n ? above : wanted;
      bool isLarge = absolute(here) > T(0x1p60);
      T factor = isLarge ? T(0x1p-60) : T(1);
      above *= factor;
      here *= factor;
      wanted *= factor;
    }
    result = usesZero ? wanted / here * zero : wanted / above * one;
    result = a == 0 ? T(0) : result;
  }
  bool isNegated = (n & 1) && (order < 0) != (x < 0);
  return isNegated ? -result : result;
}

template <typename T> TRITON_INLINE T secondKindOfOrder(Int order, T x) {
  Int n = order < 0 ? -order : order;
  T result = besselY0(x), next = besselY1(x);
  for (Int k = 1; k < n; ++k) {
    T higher = isInfinite(next) ? next : 2 * T(k) / x * next - result;
    result = next;
    next = higher;
  }
  result = n == 0 ? result : next;
  return order < 0 && (n & 1) ? -result : result;
}

} // namespace triton::device

using namespace triton::device;

TRITON_UNARY_FUNCTION(j0, besselJ0(x))
TRITON_UNARY_FUNCTION(j1, besselJ1(x))
TRITON_UNARY_FUNCTION(y0, besselY0(x))
TRITON_UNARY_FUNCTION(y1, besselY1(x))
TRITON_UNARY_FUNCTION(i0, modifiedBessel0(x))
TRITON_UNARY_FUNCTION(i1, modifiedBessel1(x))
extern "C" float __nv_jnf(Int n, float x) { return besselOfOrder(n, x); }
extern "C" double __nv_jn(Int n, double x) { return besselOfOrder(n, x); }
extern "C" float __nv_ynf(Int n, float x) { return secondKindOfOrder(n, x); }
extern "C" double __nv_yn(Int n, double x) { return secondKindOfOrder(n, x); }
