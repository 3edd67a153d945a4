// What the functions are written with: a format's facts, single operations, and numbers as sums of two floats.
//
// The sums follow Joldes, Muller and Popescu, "Tight and rigorous error bounds for basic building blocks of double-word
// arithmetic" (2017). Nothing here relies on an instruction's own approximation except `reciprocal` and
// `reciprocalRoot`, whose results are corrected, so that all GPUs compute the same bits.
#pragma once

namespace triton::device {

using Int = int;
using Unsigned = unsigned;
using Long = long long;
using UnsignedLong = unsigned long long;

/// What every function is: inlined into those of the library, which are extern "C".
#define TRITON_INLINE [[gnu::always_inline]] static inline

template <typename T> struct Format;
template <> struct Format<float> {
  using Bits = Unsigned;
  static constexpr Int precision = 24;
  static constexpr Int bias = 127;
  static constexpr Bits infinity = 0x7f800000u;
  static constexpr Bits quiet = 0x7fc00000u;
};
template <> struct Format<double> {
  using Bits = UnsignedLong;
  static constexpr Int precision = 53;
  static constexpr Int bias = 1023;
  static constexpr Bits infinity = 0x7ff0000000000000u;
  static constexpr Bits quiet = 0x7ff8000000000000u;
};

template <typename T> using Bits = Format<T>::Bits;
template <typename T> inline constexpr bool isSingle = sizeof(T) == 4;
template <typename T> inline constexpr T infinity = __builtin_bit_cast(T, Format<T>::infinity);
template <typename T> inline constexpr T notANumber = __builtin_bit_cast(T, Format<T>::quiet);
template <typename T> inline constexpr Bits<T> signMask = Bits<T>(1) << (8 * sizeof(T) - 1);

template <typename T> TRITON_INLINE Bits<T> bitsOf(T x) { return __builtin_bit_cast(Bits<T>, x); }
template <typename T> TRITON_INLINE T fromBits(Bits<T> x) { return __builtin_bit_cast(T, x); }

//===--- Single operations --------------------------------------------------------------------------------------===//

#define TRITON_BUILTIN_UNARY(name, builtin)                                                                            \
  TRITON_INLINE float name(float x) { return builtin##f(x); }                                                          \
  TRITON_INLINE double name(double x) { return builtin(x); }
#define TRITON_BUILTIN_BINARY(name, builtin)                                                                           \
  TRITON_INLINE float name(float x, float y) { return builtin##f(x, y); }                                              \
  TRITON_INLINE double name(double x, double y) { return builtin(x, y); }
TRITON_BUILTIN_UNARY(absolute, __builtin_fabs)
TRITON_BUILTIN_UNARY(nearest, __builtin_rint)
TRITON_BUILTIN_UNARY(truncated, __builtin_trunc)
TRITON_BUILTIN_UNARY(floorOf, __builtin_floor)
TRITON_BUILTIN_UNARY(root, __builtin_sqrt)
TRITON_BUILTIN_BINARY(minimum, __builtin_fmin)
TRITON_BUILTIN_BINARY(maximum, __builtin_fmax)
TRITON_BUILTIN_BINARY(withSign, __builtin_copysign)
#undef TRITON_BUILTIN_UNARY
#undef TRITON_BUILTIN_BINARY

TRITON_INLINE float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
TRITON_INLINE double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
TRITON_INLINE float scale(float x, Int exponent) { return __builtin_ldexpf(x, exponent); }
TRITON_INLINE double scale(double x, Int exponent) { return __builtin_ldexp(x, exponent); }

template <typename T> TRITON_INLINE bool isNaN(T x) { return x != x; }
template <typename T> TRITON_INLINE bool isInfinite(T x) { return absolute(x) == infinity<T>; }
template <typename T> TRITON_INLINE bool isNegative(T x) { return bitsOf(x) >> (8 * sizeof(T) - 1); }
template <typename T> TRITON_INLINE bool isInteger(T x) { return truncated(x) == x; }
template <typename T> TRITON_INLINE bool isOdd(T x) { return isInteger(x) && !isInteger(x * T(0.5)); }

/// A number that may be NaN or infinite, between bounds, as an integer.
template <typename T> TRITON_INLINE Int toInteger(T x, T bound) { return Int(minimum(maximum(x, -bound), bound)); }

/// x = fraction * 2^exponent with |fraction| in [0.5, 1); x is finite and not 0.
template <typename T> struct Split {
  T fraction;
  Int exponent;
};
template <typename T> TRITON_INLINE Split<T> split(T x) {
  constexpr Int precision = Format<T>::precision;
  bool isSmall = (bitsOf(x) & Format<T>::infinity) == 0;
  Bits<T> bits = bitsOf(isSmall ? x * T(Bits<T>(1) << precision) : x);
  Int exponent = Int(bits >> (precision - 1)) & (2 * Format<T>::bias + 1);
  Bits<T> rest = (bits & ~Format<T>::infinity) | (Bits<T>(Format<T>::bias - 1) << (precision - 1));
  return {fromBits<T>(rest), exponent - (Format<T>::bias - 1) - (isSmall ? precision : 0)};
}

#ifdef TRITON_HOST_TEST
float approximateReciprocal(float x);
float approximateReciprocalRoot(float x);
#else
TRITON_INLINE float approximateReciprocal(float x) { return __builtin_amdgcn_rcpf(x); }
TRITON_INLINE float approximateReciprocalRoot(float x) { return __builtin_amdgcn_rsqf(x); }
#endif

/// x / y within a hair of the nearest number, where y and its reciprocal are normal, and so is x or it is 0. The
/// instructions that divide correctly in all other cases are three times as many.
TRITON_INLINE float quotient(float x, float y) {
  float inverse = approximateReciprocal(y);
  inverse = fma(fma(-y, inverse, 1.0f), inverse, inverse);
  float result = x * inverse;
  return fma(fma(-y, result, x), inverse, result);
}
TRITON_INLINE double quotient(double x, double y) { return x / y; }

template <typename T, int count> TRITON_INLINE T polynomial(T x, const T (&coefficients)[count], int first = 0) {
  T result = coefficients[count - 1];
#pragma clang loop unroll(full)
  for (int i = count - 2; i >= first; --i)
    result = fma(result, x, coefficients[i]);
  return result;
}

//===--- Sums of two floats -------------------------------------------------------------------------------------===//

/// hi + lo, where |lo| is at most half a unit in the last place of hi unless a comment says otherwise.
template <typename T> struct Pair {
  T hi, lo;
};

/// For |x| >= |y|, or x = 0.
template <typename T> TRITON_INLINE Pair<T> fastSum(T x, T y) {
  T sum = x + y;
  return {sum, y - (sum - x)};
}
template <typename T> TRITON_INLINE Pair<T> sum(T x, T y) {
  T sum = x + y;
  T other = sum - x;
  return {sum, (x - (sum - other)) + (y - other)};
}
template <typename T> TRITON_INLINE Pair<T> product(T x, T y) {
  T product = x * y;
  return {product, fma(x, y, -product)};
}
template <typename T> TRITON_INLINE Pair<T> operator-(Pair<T> x) { return {-x.hi, -x.lo}; }
template <typename T> TRITON_INLINE Pair<T> operator+(Pair<T> x, T y) {
  Pair<T> s = sum(x.hi, y);
  return fastSum(s.hi, s.lo + x.lo);
}
template <typename T> TRITON_INLINE Pair<T> operator+(Pair<T> x, Pair<T> y) {
  Pair<T> high = sum(x.hi, y.hi), low = sum(x.lo, y.lo);
  high = fastSum(high.hi, high.lo + low.hi);
  return fastSum(high.hi, high.lo + low.lo);
}
template <typename T> TRITON_INLINE Pair<T> operator-(Pair<T> x, Pair<T> y) { return x + -y; }
template <typename T> TRITON_INLINE Pair<T> operator*(Pair<T> x, T y) {
  Pair<T> p = product(x.hi, y);
  return fastSum(p.hi, fma(x.lo, y, p.lo));
}
template <typename T> TRITON_INLINE Pair<T> operator*(Pair<T> x, Pair<T> y) {
  Pair<T> p = product(x.hi, y.hi);
  return fastSum(p.hi, p.lo + fma(x.hi, y.lo, x.lo * y.hi));
}
/// The quotient may be exact only where `quotient` is.
template <typename T> TRITON_INLINE Pair<T> operator/(Pair<T> x, Pair<T> y) {
  T first = quotient(x.hi, y.hi);
  T rest = (fma(-first, y.hi, x.hi) + x.lo) - first * y.lo;
  return fastSum(first, quotient(rest, y.hi));
}
template <typename T> TRITON_INLINE Pair<T> root(Pair<T> x) {
  T first = root(x.hi);
  T rest = fma(-first, first, x.hi) + x.lo;
  return x.hi == 0 ? x : fastSum(first, rest / (first + first));
}
template <typename T> TRITON_INLINE Pair<T> scale(Pair<T> x, Int exponent) {
  return {scale(x.hi, exponent), scale(x.lo, exponent)};
}
template <typename T> TRITON_INLINE T rounded(Pair<T> x) { return x.hi + x.lo; }

//===--- Constants ----------------------------------------------------------------------------------------------===//

template <typename T> struct Constants;
template <> struct Constants<float> {
  static constexpr Pair<float> log2{0x1.62e43p-1f, -0x1.05c61p-29f};
  static constexpr Pair<float> log2OfE{0x1.715476p+0f, 0x1.4ae0cp-26f};
  static constexpr Pair<float> log10OfE{0x1.bcb7b2p-2f, -0x1.5b235ep-27f};
  static constexpr Pair<float> log10{0x1.26bb1cp+1f, -0x1.12aabap-25f};
  static constexpr Pair<float> pi{0x1.921fb6p+1f, -0x1.777a5cp-24f};
  static constexpr Pair<float> halfPi{0x1.921fb6p+0f, -0x1.777a5cp-25f};
  static constexpr Pair<float> quarterPi{0x1.921fb6p-1f, -0x1.777a5cp-26f};
};
template <> struct Constants<double> {
  static constexpr Pair<double> log2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
  static constexpr Pair<double> log2OfE{0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};
  static constexpr Pair<double> log10OfE{0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};
  static constexpr Pair<double> log10{0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53};
  static constexpr Pair<double> pi{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
  static constexpr Pair<double> halfPi{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
  static constexpr Pair<double> quarterPi{0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55};
};

} // namespace triton::device

/// Defines a function in both precisions: `expression` sees the operands as `x`, `y` or `z` of type T.
#define TRITON_UNARY_FUNCTION(name, expression)                                                                        \
  extern "C" float __ocml_##name##_f32(float x) {                                                                      \
    using T = float;                                                                                                   \
    return T(expression);                                                                                              \
  }                                                                                                                    \
  extern "C" double __ocml_##name##_f64(double x) {                                                                    \
    using T = double;                                                                                                  \
    return T(expression);                                                                                              \
  }
#define TRITON_BINARY_FUNCTION(name, expression)                                                                       \
  extern "C" float __ocml_##name##_f32(float x, float y) {                                                             \
    using T = float;                                                                                                   \
    return T(expression);                                                                                              \
  }                                                                                                                    \
  extern "C" double __ocml_##name##_f64(double x, double y) {                                                          \
    using T = double;                                                                                                  \
    return T(expression);                                                                                              \
  }
/// The function of half-precision numbers by that of single-precision ones.
#define TRITON_HALF_FUNCTION(name)                                                                                     \
  extern "C" _Float16 __ocml_##name##_f16(_Float16 x) { return _Float16(__ocml_##name##_f32(float(x))); }
