// Operations and conversions of tl.extra.libdevice with a rounding in their names. AMD's GPUs keep the rounding in a
// register of the wave, so the result to nearest is moved where it lies on the wrong side of the exact one.
#include "Arithmetic.h"

namespace triton::device {

enum class Direction { Nearest, Zero, Down, Up };

/// The neighbour of `nearest` in the direction, if the exact result is on that side; `error`, of which only the sign
/// matters, is the exact result minus `nearest`. Results that overflow go back to the largest number.
template <Direction direction, typename T> TRITON_INLINE T moved(T nearest, T error) {
  bool goesUp = direction == Direction::Up || (direction == Direction::Zero && isNegative(nearest));
  bool goesDown = direction == Direction::Down || (direction == Direction::Zero && !isNegative(nearest));
  if (goesUp && error > 0)
    return nearest == 0 ? (direction == Direction::Zero ? nearest : fromBits<T>(1))
                        : fromBits<T>(nearest > 0 ? bitsOf(nearest) + 1 : bitsOf(nearest) - 1);
  if (goesDown && error < 0)
    return nearest == 0 ? (direction == Direction::Zero ? nearest : -fromBits<T>(1))
                        : fromBits<T>(nearest > 0 ? bitsOf(nearest) - 1 : bitsOf(nearest) + 1);
  return nearest;
}

/// An exact sum of two doubles as an f32, not to nearest.
template <Direction direction> TRITON_INLINE float single(Pair<double> x) {
  float nearest = float(x.hi);
  double difference = x.hi - double(nearest);
  double error = difference == 0 ? x.lo : difference;
  return moved<direction>(nearest, float(error > 0) - float(error < 0));
}

template <Direction direction, typename T> TRITON_INLINE T withZeroOfSum(T result, bool isCancelled) {
  return direction == Direction::Down && isCancelled && result == 0 ? -T(0) : result;
}

//===--- f32, in f64 --------------------------------------------------------------------------------------------===//

template <Direction direction> TRITON_INLINE float add(float x, float y) {
  return withZeroOfSum<direction>(single<direction>(sum(double(x), double(y))), isNegative(x) != isNegative(y));
}
template <Direction direction> TRITON_INLINE float multiply(float x, float y) {
  return single<direction>({double(x) * double(y), 0});
}
template <Direction direction> TRITON_INLINE float divide(float x, float y) {
  double quotient = double(x) / double(y);
  double rest = fma(-quotient, double(y), double(x));
  return single<direction>({quotient, y < 0 ? -rest : rest});
}
template <Direction direction> TRITON_INLINE float squareRoot(float x) {
  double result = root(double(x));
  return single<direction>({result, fma(-result, result, double(x))});
}
template <Direction direction> TRITON_INLINE float multiplyAdd(float x, float y, float z) {
  double product = double(x) * double(y);
  return withZeroOfSum<direction>(single<direction>(sum(product, double(z))), isNegative(product) != isNegative(z));
}

//===--- f64 ----------------------------------------------------------------------------------------------------===//

/// `exact` is the result without the limits of the exponent, times 2^-exponent.
template <Direction direction> TRITON_INLINE double moved(double nearest, Pair<double> exact, Int exponent) {
  Pair<double> difference = exact + -scale(nearest, -exponent);
  double error = isInfinite(nearest) ? -nearest : difference.hi;
  return moved<direction>(nearest, error);
}
TRITON_INLINE bool isFinite(double x) { return absolute(x) < infinity<double>; }

template <Direction direction> TRITON_INLINE double add(double x, double y) {
  Pair<double> s = sum(x, y);
  double error = isInfinite(s.hi) ? -s.hi : s.lo;
  double result = isFinite(x) && isFinite(y) ? moved<direction>(s.hi, error) : s.hi;
  return withZeroOfSum<direction>(result, isNegative(x) != isNegative(y));
}
template <Direction direction> TRITON_INLINE double multiply(double x, double y) {
  double nearest = x * y;
  Split<double> left = split(x), right = split(y);
  bool isExact = !isFinite(x) || !isFinite(y) || x == 0 || y == 0;
  double result = moved<direction>(nearest, product(left.fraction, right.fraction), left.exponent + right.exponent);
  return isExact ? nearest : result;
}
template <Direction direction> TRITON_INLINE double divide(double x, double y) {
  double nearest = x / y;
  Split<double> left = split(x), right = split(y);
  double scaled = scale(nearest, right.exponent - left.exponent);
  double rest = fma(-scaled, right.fraction, left.fraction);
  double error = isInfinite(nearest) ? -nearest : y < 0 ? -rest : rest;
  bool isExact = !isFinite(x) || !isFinite(y) || x == 0 || y == 0;
  return isExact ? nearest : moved<direction>(nearest, error);
}
template <Direction direction> TRITON_INLINE double squareRoot(double x) {
  double nearest = root(x);
  Split<double> parts = split(x);
  Int odd = parts.exponent & 1;
  double scaled = scale(nearest, -((parts.exponent - odd) / 2));
  double result = moved<direction>(nearest, fma(-scaled, scaled, scale(parts.fraction, odd)));
  return x > 0 && isFinite(x) ? result : nearest;
}
/// The exact product and summand, scaled so that no part of them underflows or overflows; a product far below the
/// summand counts only by its sign.
struct ScaledTerms {
  Pair<double> product;
  double summand;
  Int exponent; ///< of the scale
};
TRITON_INLINE ScaledTerms scaledTerms(double x, double y, double z) {
  Split<double> left = split(x), right = split(y);
  Int exponent = left.exponent + right.exponent;
  bool isTiny = exponent < -800 && absolute(z) < 0x1p200, isHuge = exponent > 900 && absolute(z) > 0x1p500;
  Int scaling = isTiny ? 700 : isHuge ? -100 : 0;
  Int power = exponent + scaling < -900 ? -900 : exponent + scaling;
  Pair<double> exact = scale(product(left.fraction, right.fraction), power);
  bool isZero = x == 0 || y == 0;
  return {{isZero ? 0 : exact.hi, isZero ? 0 : exact.lo}, scale(z, scaling), scaling};
}

/// The sign of the error follows Boldo and Muller, "Exact and approximated error of the FMA" (2011).
template <Direction direction> TRITON_INLINE double multiplyAdd(double x, double y, double z) {
  double nearest = fma(x, y, z);
  ScaledTerms terms = scaledTerms(x, y, z);
  Pair<double> low = sum(terms.summand, terms.product.lo), high = sum(terms.product.hi, low.hi);
  Pair<double> rest = sum((high.hi - scale(nearest, terms.exponent)) + high.lo, low.lo);
  double error = isInfinite(nearest) ? -nearest : rest.hi;
  bool isExact = !isFinite(x) || !isFinite(y) || !isFinite(z);
  double result = isExact ? nearest : moved<direction>(nearest, error);
  return withZeroOfSum<direction>(result, (isNegative(x) != isNegative(y)) != isNegative(z));
}

//===--- Conversions --------------------------------------------------------------------------------------------===//

template <Direction direction, typename T> TRITON_INLINE T whole(T x) {
  return direction == Direction::Nearest ? nearest(x)
         : direction == Direction::Zero  ? truncated(x)
         : direction == Direction::Down  ? floorOf(x)
                                         : -floorOf(-x);
}

/// Beyond the type's range, its nearest number; of NaN, 0.
template <Direction direction, typename Integer, typename T> TRITON_INLINE Integer integer(T x) {
  constexpr bool isSigned = Integer(-1) < Integer(0);
  constexpr Int bits = 8 * sizeof(Integer) - isSigned;
  constexpr Integer most = Integer(~UnsignedLong(0) >> (64 - bits));
  constexpr T limit = T(UnsignedLong(1) << (bits - 1)) * 2;
  T rounded = whole<direction>(x);
  bool isAbove = rounded >= limit, isBelow = rounded < (isSigned ? -limit : T(0));
  T inside = isAbove || isBelow || isNaN(x) ? T(0) : rounded;
  return isAbove ? most : isBelow ? (isSigned ? Integer(-most - 1) : Integer(0)) : Integer(inside);
}

TRITON_INLINE Pair<double> exactly(Long x) {
  return sum(double(Int(x >> 32)) * 0x1p32, double(Unsigned(UnsignedLong(x))));
}
TRITON_INLINE Pair<double> exactly(UnsignedLong x) {
  return sum(double(Unsigned(x >> 32)) * 0x1p32, double(Unsigned(x)));
}
TRITON_INLINE Pair<double> exactly(Int x) { return {double(x), 0}; }
TRITON_INLINE Pair<double> exactly(Unsigned x) { return {double(x), 0}; }

template <Direction direction, typename Integer> TRITON_INLINE double twofold(Integer x) {
  Pair<double> exact = exactly(x);
  return moved<direction>(exact.hi, exact.lo);
}

} // namespace triton::device

using namespace triton::device;

// NVIDIA's names, by which the language calls them, and those of OCML.
#define TRITON_ROUNDED_IN(T, prefix, fused, format, suffix, ending, direction)                                         \
  extern "C" T __nv_##prefix##add_##suffix(T x, T y) { return add<Direction::direction>(x, y); }                       \
  extern "C" T __nv_##prefix##sub_##suffix(T x, T y) { return add<Direction::direction>(x, -y); }                      \
  extern "C" T __nv_##prefix##mul_##suffix(T x, T y) { return multiply<Direction::direction>(x, y); }                  \
  extern "C" T __nv_##prefix##div_##suffix(T x, T y) { return divide<Direction::direction>(x, y); }                    \
  extern "C" T __nv_##prefix##rcp_##suffix(T x) { return divide<Direction::direction>(T(1), x); }                      \
  extern "C" T __nv_##prefix##sqrt_##suffix(T x) { return squareRoot<Direction::direction>(x); }                       \
  extern "C" T __nv_##fused##_##suffix(T x, T y, T z) { return multiplyAdd<Direction::direction>(x, y, z); }           \
  extern "C" T __ocml_add_##ending##_##format(T x, T y) { return add<Direction::direction>(x, y); }                    \
  extern "C" T __ocml_sub_##ending##_##format(T x, T y) { return add<Direction::direction>(x, -y); }                   \
  extern "C" T __ocml_mul_##ending##_##format(T x, T y) { return multiply<Direction::direction>(x, y); }               \
  extern "C" T __ocml_div_##ending##_##format(T x, T y) { return divide<Direction::direction>(x, y); }                 \
  extern "C" T __ocml_sqrt_##ending##_##format(T x) { return squareRoot<Direction::direction>(x); }                    \
  extern "C" T __ocml_fma_##ending##_##format(T x, T y, T z) { return multiplyAdd<Direction::direction>(x, y, z); }
#define TRITON_ROUNDED(suffix, ending, direction)                                                                      \
  TRITON_ROUNDED_IN(float, f, fmaf, f32, suffix, ending, direction)                                                    \
  TRITON_ROUNDED_IN(double, d, fma, f64, suffix, ending, direction)
TRITON_ROUNDED(rz, rtz, Zero)
TRITON_ROUNDED(rd, rtn, Down)
TRITON_ROUNDED(ru, rtp, Up)
#undef TRITON_ROUNDED
#undef TRITON_ROUNDED_IN

// To nearest, they are the operations themselves.
extern "C" float __nv_fadd_rn(float x, float y) { return x + y; }
extern "C" float __nv_fsub_rn(float x, float y) { return x - y; }
extern "C" float __nv_fmul_rn(float x, float y) { return x * y; }
extern "C" float __nv_fdiv_rn(float x, float y) { return x / y; }
extern "C" float __nv_frcp_rn(float x) { return 1 / x; }
extern "C" float __nv_fmaf_rn(float x, float y, float z) { return fma(x, y, z); }
extern "C" double __nv_dadd_rn(double x, double y) { return x + y; }
extern "C" double __nv_dsub_rn(double x, double y) { return x - y; }
extern "C" double __nv_dmul_rn(double x, double y) { return x * y; }
extern "C" double __nv_ddiv_rn(double x, double y) { return x / y; }
extern "C" double __nv_drcp_rn(double x) { return 1 / x; }
extern "C" double __nv_fma_rn(double x, double y, double z) { return fma(x, y, z); }

#define TRITON_TO_INTEGERS(T, name, suffix, direction)                                                                 \
  extern "C" Int __nv_##name##2int_##suffix(T x) { return integer<Direction::direction, Int>(x); }                     \
  extern "C" Unsigned __nv_##name##2uint_##suffix(T x) { return integer<Direction::direction, Unsigned>(x); }          \
  extern "C" Long __nv_##name##2ll_##suffix(T x) { return integer<Direction::direction, Long>(x); }                    \
  extern "C" UnsignedLong __nv_##name##2ull_##suffix(T x) { return integer<Direction::direction, UnsignedLong>(x); }
#define TRITON_FROM_INTEGERS(suffix, direction)                                                                        \
  extern "C" float __nv_double2float_##suffix(double x) { return single<Direction::direction>({x, 0}); }               \
  extern "C" float __nv_int2float_##suffix(Int x) { return single<Direction::direction>(exactly(x)); }                 \
  extern "C" float __nv_uint2float_##suffix(Unsigned x) { return single<Direction::direction>(exactly(x)); }           \
  extern "C" float __nv_ll2float_##suffix(Long x) { return single<Direction::direction>(exactly(x)); }                 \
  extern "C" float __nv_ull2float_##suffix(UnsignedLong x) { return single<Direction::direction>(exactly(x)); }        \
  extern "C" double __nv_ll2double_##suffix(Long x) { return twofold<Direction::direction>(x); }                       \
  extern "C" double __nv_ull2double_##suffix(UnsignedLong x) { return twofold<Direction::direction>(x); }
TRITON_FROM_INTEGERS(rz, Zero)
TRITON_FROM_INTEGERS(rd, Down)
TRITON_FROM_INTEGERS(ru, Up)
#undef TRITON_FROM_INTEGERS
TRITON_TO_INTEGERS(float, float, rn, Nearest)
TRITON_TO_INTEGERS(float, float, rz, Zero)
TRITON_TO_INTEGERS(float, float, rd, Down)
TRITON_TO_INTEGERS(float, float, ru, Up)
TRITON_TO_INTEGERS(double, double, rn, Nearest)
TRITON_TO_INTEGERS(double, double, rz, Zero)
TRITON_TO_INTEGERS(double, double, rd, Down)
TRITON_TO_INTEGERS(double, double, ru, Up)
#undef TRITON_TO_INTEGERS

extern "C" float __nv_double2float_rn(double x) { return float(x); }
extern "C" float __nv_int2float_rn(Int x) { return float(x); }
extern "C" float __nv_uint2float_rn(Unsigned x) { return float(x); }
extern "C" float __nv_ll2float_rn(Long x) { return float(x); }
extern "C" float __nv_ull2float_rn(UnsignedLong x) { return float(x); }
extern "C" double __nv_ll2double_rn(Long x) { return double(x); }
extern "C" double __nv_ull2double_rn(UnsignedLong x) { return double(x); }
extern "C" double __nv_int2double_rn(Int x) { return x; }
extern "C" double __nv_uint2double_rn(Unsigned x) { return x; }
extern "C" Long __nv_llrintf(float x) { return integer<Direction::Nearest, Long>(x); }
extern "C" Long __nv_llrint(double x) { return integer<Direction::Nearest, Long>(x); }
extern "C" float __ocml_round_f32(float);
extern "C" double __ocml_round_f64(double);
extern "C" Long __nv_llroundf(float x) { return integer<Direction::Zero, Long>(__ocml_round_f32(x)); }
extern "C" Long __nv_llround(double x) { return integer<Direction::Zero, Long>(__ocml_round_f64(x)); }
extern "C" double __nv_hiloint2double(Int high, Int low) {
  return fromBits<double>((UnsignedLong(Unsigned(high)) << 32) | Unsigned(low));
}
extern "C" Int __nv_double2loint(double x) { return Int(Unsigned(bitsOf(x))); }
extern "C" Int __nv_double2hiint(double x) { return Int(bitsOf(x) >> 32); }
