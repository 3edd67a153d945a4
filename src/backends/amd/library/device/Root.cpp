// Square and cube roots, their reciprocals, and lengths of vectors.
#include "Arithmetic.h"
#include "Coefficients.h"

namespace triton::device {

TRITON_INLINE float reciprocalRoot(float x) {
  bool isSmall = x < 0x1p-100f, isLarge = x > 0x1p100f;
  float scaled = isSmall ? x * 0x1p24f : isLarge ? x * 0x1p-24f : x;
  float first = approximateReciprocalRoot(scaled);
  // One step of Newton's method, with the rounding of x first^2 taken into account.
  Pair<float> square = product(first, first);
  float error = fma(-scaled, square.lo, fma(-scaled, square.hi, 1.0f));
  float result = fma(0.5f * first, error, first);
  result = isSmall ? result * 0x1p12f : isLarge ? result * 0x1p-12f : result;
  return x > 0 && x < infinity<float> ? result : first;
}
TRITON_INLINE double reciprocalRoot(double x) {
  bool isSmall = x < 0x1p-900;
  double scaled = isSmall ? x * 0x1p108 : x;
  double y = root(scaled);
  double first = 1 / y;
  // 1 / (y + d) with d = (x - y^2) / 2y, and the remainder of 1 / y.
  double rest = fma(-first, y, 1.0) - fma(-y, y, scaled) * (0.5 * first) * first;
  double result = fma(first, rest, first);
  result = isSmall ? result * 0x1p54 : result;
  return x > 0 && x < infinity<double> ? result : first;
}

/// The cube root of x as a sum of two floats that are not normalized, times 2^exponent.
template <typename T> struct CubeRoot {
  T high, low;
  Int exponent;
};
template <typename T> TRITON_INLINE CubeRoot<T> cubeRootParts(T x) {
  Split<T> parts = split(x);
  // The exponent is made positive, so that the division truncates as it should.
  Int third = (parts.exponent + 3000) / 3;
  Int rest = parts.exponent + 3000 - 3 * third;
  T m = scale(parts.fraction, rest);
  T factor = rest == 0 ? T(1) : rest == 1 ? T(0x1.428a2f98d728bp+0) : T(0x1.965fea53d6e3dp+0);
  T y = polynomial(absolute(parts.fraction), Coefficients<T>::cubeRoot) * factor;
  y = withSign(y, x);
  if (!isSingle<T>) { // Halley's method triples the correct digits.
    T cube = y * y * y;
    y = y * (cube + 2 * m) / (2 * cube + m);
  }
  // Newton's method with an exact remainder doubles them.
  Pair<T> square = product(y, y);
  Pair<T> cube = product(square.hi, y);
  T remainder = (m - cube.hi) - fma(square.lo, y, cube.lo);
  return {y, quotient(remainder, 3 * square.hi), third - 1000};
}

template <typename T> TRITON_INLINE T cubeRoot(T x) {
  CubeRoot<T> parts = cubeRootParts(x);
  T result = scale(parts.high + parts.low, parts.exponent);
  return x == 0 || isInfinite(x) || isNaN(x) ? x : result;
}

template <typename T> TRITON_INLINE T reciprocalCubeRoot(T x) {
  CubeRoot<T> parts = cubeRootParts(x);
  T result = scale(rounded(Pair<T>{1, 0} / fastSum(parts.high, parts.low)), -parts.exponent);
  return x == 0 || isInfinite(x) || isNaN(x) ? 1 / x : result;
}

/// A sum of squares, of which the largest number has the exponent 0, times 2^(2 exponent).
template <typename T> struct SquareSum {
  Pair<T> sum;
  Int exponent;
  bool hasInfinity, hasNaN, isZero;
};
template <typename T, int count> TRITON_INLINE SquareSum<T> squareSum(const T (&numbers)[count]) {
  T largest = 0;
  SquareSum<T> result = {};
  for (T number : numbers) {
    result.hasInfinity = result.hasInfinity || isInfinite(number);
    result.hasNaN = result.hasNaN || isNaN(number);
    largest = maximum(largest, absolute(number));
  }
  result.isZero = largest == 0;
  result.exponent = split(largest).exponent;
  for (T number : numbers) {
    T scaled = scale(number, -result.exponent);
    result.sum = result.sum + product(scaled, scaled);
  }
  return result;
}

template <typename T, int count> TRITON_INLINE T length(const T (&numbers)[count]) {
  SquareSum<T> squares = squareSum(numbers);
  T result = scale(rounded(root(squares.sum)), squares.exponent);
  result = squares.isZero ? T(0) : result;
  result = squares.hasNaN ? notANumber<T> : result;
  return squares.hasInfinity ? infinity<T> : result;
}
template <typename T, int count> TRITON_INLINE T reciprocalLength(const T (&numbers)[count]) {
  SquareSum<T> squares = squareSum(numbers);
  T result = scale(rounded(Pair<T>{1, 0} / root(squares.sum)), -squares.exponent);
  result = squares.isZero ? infinity<T> : result;
  result = squares.hasNaN ? notANumber<T> : result;
  return squares.hasInfinity ? T(0) : result;
}

} // namespace triton::device

using namespace triton::device;

TRITON_UNARY_FUNCTION(sqrt, root(x))
TRITON_UNARY_FUNCTION(rsqrt, reciprocalRoot(x))
TRITON_UNARY_FUNCTION(cbrt, cubeRoot(x))
TRITON_UNARY_FUNCTION(rcbrt, reciprocalCubeRoot(x))
TRITON_HALF_FUNCTION(sqrt)
TRITON_HALF_FUNCTION(rsqrt)
TRITON_HALF_FUNCTION(cbrt)
TRITON_HALF_FUNCTION(rcbrt)
TRITON_BINARY_FUNCTION(hypot, length<T>({x, y}))
TRITON_BINARY_FUNCTION(rhypot, reciprocalLength<T>({x, y}))
extern "C" float __ocml_len3_f32(float x, float y, float z) { return length<float>({x, y, z}); }
extern "C" double __ocml_len3_f64(double x, double y, double z) { return length<double>({x, y, z}); }
extern "C" float __ocml_len4_f32(float x, float y, float z, float t) { return length<float>({x, y, z, t}); }
extern "C" double __ocml_len4_f64(double x, double y, double z, double t) { return length<double>({x, y, z, t}); }
extern "C" float __ocml_rlen3_f32(float x, float y, float z) { return reciprocalLength<float>({x, y, z}); }
extern "C" double __ocml_rlen3_f64(double x, double y, double z) { return reciprocalLength<double>({x, y, z}); }
extern "C" float __ocml_rlen4_f32(float x, float y, float z, float t) { return reciprocalLength<float>({x, y, z, t}); }
extern "C" double __ocml_rlen4_f64(double x, double y, double z, double t) {
  return reciprocalLength<double>({x, y, z, t});
}
