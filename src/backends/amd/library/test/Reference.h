// The functions that are tested: the exact function in extended precision, the range that is sampled densely besides
// all exponents, and the largest errors for f32 and f64 in units in the last place.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string_view>
#include <vector>

namespace triton::device {

template <typename T> struct Unary {
  static constexpr bool isDouble = sizeof(T) == 8;
  const char *name;
  T (*function)(T);
  long double (*exact)(long double);
  double low, high;

  /// Results smaller than this count as if they were this large. Below 0, the logarithm of the gamma function is a
  /// difference that vanishes at irrational places; so do Bessel functions, whose waves have the size of sqrt(1 / x).
  long double smallestResult(T x) const {
    std::string_view function = name;
    if (function == "lgamma")
      return x < 0 ? 1 : 0;
    bool isBessel = function.size() == 2 && (function[0] == 'j' || function[0] == 'y');
    return isBessel && std::fabs(x) > 0.5 ? std::sqrt(0.5L / std::fabs(x)) : 0;
  }
};
template <typename T> struct Binary {
  static constexpr bool isDouble = sizeof(T) == 8;
  const char *name;
  T (*function)(T, T);
  long double (*exact)(long double, long double);
  double low, high;
};

inline long double power10(long double x) { return exp10l(x); }
inline long double reciprocalRootReference(long double x) { return 1 / sqrtl(x); }
inline long double reciprocalCubeRootReference(long double x) { return 1 / cbrtl(x); }

/// Exact reductions keep the digits near multiples of 1/2.
inline long double sinePi(long double x) {
  if (!std::isfinite(x))
    return NAN;
  long double r = remainderl(x, 2);
  if (r == truncl(r))
    return copysignl(0, x);
  if (fabsl(r) > 0.5L)
    r = copysignl(1, r) - r;
  return sinl(M_PIl * r);
}
inline long double cosinePi(long double x) {
  if (!std::isfinite(x))
    return NAN;
  long double r = fabsl(remainderl(x, 2));
  return r == 0.5L ? 0 : r < 0.25L ? cosl(M_PIl * r) : sinl(M_PIl * (0.5L - r));
}
inline long double tangentPi(long double x) {
  if (!std::isfinite(x))
    return NAN;
  long double r = remainderl(x, 1);
  bool isOdd = remainderl(x, 2) != r;
  if (r == 0)
    return (std::signbit(x) != (isOdd && fabsl(remainderl(x, 2)) == 1)) ? -0.0L : 0.0L;
  if (fabsl(r) == 0.5L)
    return remainderl(x - 0.5L, 2) == 0 ? HUGE_VALL : -HUGE_VALL;
  return fabsl(r) < 0.25L ? tanl(M_PIl * r) : copysignl(1, r) / tanl(M_PIl * (0.5L - fabsl(r)));
}
inline long double lengthReference(long double x, long double y) { return hypotl(x, y); }
inline long double reciprocalLengthReference(long double x, long double y) { return 1 / hypotl(x, y); }
/// erfc of a quotient by the root of 2, whose rounding is corrected by the derivative.
inline long double normalReference(long double x) {
  long double a = -x * sqrtl(0.5L);
  long double rest = std::isfinite(x) ? fmal(-x, sqrtl(0.5L), -a) - x * (-2.5050e-20L * 0) : 0;
  long double slope = -2 / sqrtl(M_PIl) * expl(-a * a);
  return 0.5L * (erfcl(a) + slope * rest);
}

/// e^(x^2) erfc(x); the square is rounded, which is made good.
inline long double scaledErfc(long double x) {
  long double square = x * x;
  if (x > 100) {
    long double w = 1 / (2 * square);
    return (1 - w + 3 * w * w - 15 * w * w * w + 105 * w * w * w * w) / (x * sqrtl(M_PIl));
  }
  if (x < -30)
    return HUGE_VALL;
  long double rest = std::isfinite(x) ? fmal(x, x, -square) : 0;
  return expl(square) * (1 + rest) * erfcl(x);
}

/// The number whose erfc is y, for y <= 1/2: Newton's method on the logarithm.
inline long double inverseErfcTail(long double y) {
  long double x = sqrtl(-logl(y) * 0.9L);
  for (int i = 0; i < 30; ++i) {
    long double value = erfcl(x);
    long double step = logl(value / y) * value * sqrtl(M_PIl) / 2 * expl(x * x);
    x += step;
    if (fabsl(step) < 1e-17L * x)
      break;
  }
  return x;
}
inline long double inverseErf(long double x) {
  long double a = fabsl(x);
  if (!(a < 1))
    return a == 1 ? x * HUGE_VALL : NAN;
  if (a > 0.5L)
    return copysignl(inverseErfcTail(1 - a), x);
  long double y = a * sqrtl(M_PIl) / 2;
  for (int i = 0; i < 6; ++i)
    y -= (erfl(y) - a) * sqrtl(M_PIl) / 2 * expl(y * y);
  return copysignl(y, x);
}
inline long double inverseErfc(long double y) {
  if (!(y >= 0 && y <= 2))
    return NAN;
  if (y == 0 || y == 2)
    return (1 - y) * HUGE_VALL;
  return y < 0.5L ? inverseErfcTail(y) : y > 1.5L ? -inverseErfcTail(2 - y) : inverseErf(1 - y);
}
inline long double inverseNormal(long double p) { return p == 0.5L ? -0.0L : -sqrtl(2.0L) * inverseErfc(2 * p); }

inline long double firstKind0(long double x) { return std::isinf(x) ? 0 : j0l(x); }
inline long double firstKind1(long double x) { return std::isinf(x) ? copysignl(0, x) : j1l(x); }
inline long double secondKind0(long double x) { return x < 0 ? NAN : y0l(x); }
inline long double secondKind1(long double x) { return x < 0 ? NAN : y1l(x); }

#define TRITON_UNARY_ROWS                                                                                              \
  TRITON_ROW(exp, expl, -105, 90, 1, 1)                                                                                \
  TRITON_ROW(exp2, exp2l, -150, 129, 0.9, 0.9)                                                                         \
  TRITON_ROW(exp10, power10, -46, 39, 0.8, 0.8)                                                                        \
  TRITON_ROW(expm1, expm1l, -20, 90, 0.85, 0.85)                                                                       \
  TRITON_ROW(log, logl, 0, 4, 0.65, 0.65)                                                                              \
  TRITON_ROW(log2, log2l, 0, 4, 0.65, 0.65)                                                                            \
  TRITON_ROW(log10, log10l, 0, 4, 0.65, 0.65)                                                                          \
  TRITON_ROW(log1p, log1pl, -1, 4, 0.65, 0.65)                                                                         \
  TRITON_ROW(logb, logbl, -10, 10, 0, 0)                                                                               \
  TRITON_ROW(sqrt, sqrtl, 0, 4, 0.5, 0.501)                                                                            \
  TRITON_ROW(rsqrt, reciprocalRootReference, 0, 4, 0.6, 0.6)                                                           \
  TRITON_ROW(cbrt, cbrtl, -4, 4, 0.6, 0.6)                                                                             \
  TRITON_ROW(rcbrt, reciprocalCubeRootReference, -4, 4, 0.6, 0.6)                                                      \
  TRITON_ROW(sin, sinl, -7, 7, 0.8, 0.8)                                                                               \
  TRITON_ROW(cos, cosl, -7, 7, 0.8, 0.8)                                                                               \
  TRITON_ROW(tan, tanl, -7, 7, 0.9, 0.9)                                                                               \
  TRITON_ROW(sinpi, sinePi, -3, 3, 1, 1)                                                                               \
  TRITON_ROW(cospi, cosinePi, -3, 3, 0.8, 0.8)                                                                         \
  TRITON_ROW(tanpi, tangentPi, -3, 3, 1, 1)                                                                            \
  TRITON_ROW(asin, asinl, -1, 1, 0.8, 0.8)                                                                             \
  TRITON_ROW(acos, acosl, -1, 1, 0.8, 0.8)                                                                             \
  TRITON_ROW(atan, atanl, -4, 4, 0.8, 0.8)                                                                             \
  TRITON_ROW(sinh, sinhl, -10, 10, 0.8, 0.8)                                                                           \
  TRITON_ROW(cosh, coshl, -10, 10, 0.8, 0.8)                                                                           \
  TRITON_ROW(tanh, tanhl, -10, 10, 0.8, 0.8)                                                                           \
  TRITON_ROW(asinh, asinhl, -4, 4, 0.8, 0.8)                                                                           \
  TRITON_ROW(acosh, acoshl, 1, 4, 0.8, 0.8)                                                                            \
  TRITON_ROW(atanh, atanhl, -1, 1, 0.8, 0.8)                                                                           \
  TRITON_ROW(erf, erfl, -4, 4, 1, 0.9)                                                                                 \
  TRITON_ROW(erfc, erfcl, -4, 27, 1, 1)                                                                                \
  TRITON_ROW(ncdf, normalReference, -38, 9, 1, 1)                                                                      \
  TRITON_ROW(tgamma, tgammal, -40, 40, 1, 1)                                                                           \
  TRITON_ROW(lgamma, lgammal, 0, 40, 1.5, 1.5)                                                                         \
  TRITON_ROW(erfcx, scaledErfc, -9, 20, 1.5, 1.5)                                                                      \
  TRITON_ROW(erfinv, inverseErf, -1, 1, 1.5, 1.5)                                                                      \
  TRITON_ROW(erfcinv, inverseErfc, 0, 2, 1.5, 1.5)                                                                     \
  TRITON_ROW(ncdfinv, inverseNormal, 0, 1, 1.5, 1.5)                                                                   \
  TRITON_ROW(j0, firstKind0, -40, 40, 5, 5)                                                                            \
  TRITON_ROW(j1, firstKind1, -40, 40, 5, 5)                                                                            \
  TRITON_ROW(y0, secondKind0, 0, 40, 5, 5)                                                                             \
  TRITON_ROW(y1, secondKind1, 0, 40, 5, 5)                                                                             \
  TRITON_ROW(round, roundl, -99, 99, 0, 0)                                                                             \
  TRITON_ROW(rint, rintl, -99, 99, 0, 0)                                                                               \
  TRITON_ROW(floor, floorl, -99, 99, 0, 0)                                                                             \
  TRITON_ROW(ceil, ceill, -99, 99, 0, 0)

#define TRITON_BINARY_ROWS                                                                                             \
  TRITON_ROW(atan2, atan2l, -4, 4, 1.7, 1.3)                                                                           \
  TRITON_ROW(pow, powl, -9, 9, 0.8, 0.8)                                                                               \
  TRITON_ROW(hypot, lengthReference, -9, 9, 0.75, 0.75)                                                                \
  TRITON_ROW(rhypot, reciprocalLengthReference, -9, 9, 0.75, 0.75)                                                     \
  TRITON_ROW(fmod, fmodl, -99, 99, 0, 0)                                                                               \
  TRITON_ROW(remainder, remainderl, -99, 99, 0, 0)                                                                     \
  TRITON_ROW(fdim, fdiml, -99, 99, 0.5, 0.501)

#define TRITON_ROW(name, exact, low, high, bound32, bound64)                                                           \
  extern "C" float __ocml_##name##_f32(float);                                                                         \
  extern "C" double __ocml_##name##_f64(double);
TRITON_UNARY_ROWS
#undef TRITON_ROW
#define TRITON_ROW(name, exact, low, high, bound32, bound64)                                                           \
  extern "C" float __ocml_##name##_f32(float, float);                                                                  \
  extern "C" double __ocml_##name##_f64(double, double);
TRITON_BINARY_ROWS
#undef TRITON_ROW

/// Calls `body(row, bound)` for every function, in both precisions.
#define TRITON_ROW(name, exact, low, high, bound32, bound64)                                                           \
  body(TRITON_KIND<float>{#name, __ocml_##name##_f32, exact, low, high}, bound32);                                     \
  body(TRITON_KIND<double>{#name, __ocml_##name##_f64, exact, low, high}, bound64);
#define TRITON_KIND Unary
template <typename Body>
void forEachUnary(Body body){TRITON_UNARY_ROWS}
#undef TRITON_KIND
#define TRITON_KIND Binary
template <typename Body>
void forEachBinary(Body body) {
  TRITON_BINARY_ROWS
}
#undef TRITON_KIND
#undef TRITON_ROW

} // namespace triton::device
