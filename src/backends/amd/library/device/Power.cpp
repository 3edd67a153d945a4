// pow, and its forms for integer exponents and non-negative bases.
#include "Logarithm.h"

namespace triton::device {

/// |x|^y for finite x other than 0.
template <typename T> TRITON_INLINE T powerOfMagnitude(T x, Pair<T> y) {
  // Beyond the bound, the power of any base other than 1 overflows or underflows; of 1, the logarithm is 0.
  constexpr T bound = isSingle<T> ? T(0x1p36) : T(0x1p70);
  bool isBeyond = !(absolute(y.hi) < bound);
  y = {clamp(y.hi, bound), isBeyond ? T(0) : y.lo};
  return rounded(scaledExponential(preciseLogarithm(absolute(x)) * y));
}

/// The power where the base is 0 or infinite, without its sign.
template <typename T> TRITON_INLINE T powerOfLimit(T x, T y) { return (x == 0) == (y < 0) ? infinity<T> : T(0); }

/// `y` is rounded for the cases that do not depend on its last bits.
template <typename T> TRITON_INLINE T power(T x, Pair<T> y, bool isWhole, bool isOddPower) {
  T result = powerOfMagnitude(x, y);
  result = x == 0 || isInfinite(x) ? powerOfLimit(x, y.hi) : result;
  if (isInfinite(y.hi))
    result = absolute(x) == 1 ? T(1) : (absolute(x) > 1) == (y.hi > 0) ? infinity<T> : T(0);
  result = isOddPower ? withSign(result, x) : result;
  result = x < 0 && !isInfinite(x) && !isWhole ? notANumber<T> : result;
  result = isNaN(x) || isNaN(y.hi) ? notANumber<T> : result;
  return x == 1 || y.hi == 0 ? T(1) : result;
}

template <typename T> TRITON_INLINE T power(T x, T y) { return power(x, Pair<T>{y, 0}, isInteger(y), isOdd(y)); }

TRITON_INLINE Pair<float> pairOf(Int n, float) {
  float high = float(n);
  return {high, float(Int(Long(n) - Long(high)))};
}
TRITON_INLINE Pair<double> pairOf(Int n, double) { return {double(n), 0}; }

template <typename T> TRITON_INLINE T integerPower(T x, Int n) { return power(x, pairOf(n, T()), true, n & 1); }

template <typename T> TRITON_INLINE T powerOfPositive(T x, T y) {
  T result = power(x, y);
  bool isUndefined =
      x < 0 || ((x == 0 || isInfinite(x)) && y == 0) || (x == 1 && isInfinite(y)) || isNaN(x) || isNaN(y);
  return isUndefined ? notANumber<T> : (x == 0 ? absolute(result) : result);
}

} // namespace triton::device

using namespace triton::device;

TRITON_BINARY_FUNCTION(pow, power(x, y))
TRITON_BINARY_FUNCTION(powr, powerOfPositive(x, y))
extern "C" float __ocml_pown_f32(float x, Int n) { return integerPower(x, n); }
extern "C" double __ocml_pown_f64(double x, Int n) { return integerPower(x, n); }
extern "C" _Float16 __ocml_pow_f16(_Float16 x, _Float16 y) { return _Float16(power(float(x), float(y))); }
extern "C" _Float16 __ocml_pown_f16(_Float16 x, Int n) { return _Float16(integerPower(float(x), n)); }
