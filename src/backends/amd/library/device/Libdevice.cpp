// The functions of tl.extra.libdevice under the names by which kernels for all targets call them, which are NVIDIA's.
// Only those are here that the language does not turn into operations of its own.
#include "Arithmetic.h"

using namespace triton::device;

// Those that differ only by name.
#define TRITON_SAME_UNARY(name, other)                                                                                 \
  extern "C" float __ocml_##other##_f32(float);                                                                        \
  extern "C" double __ocml_##other##_f64(double);                                                                      \
  extern "C" float __nv_##name##f(float x) { return __ocml_##other##_f32(x); }                                         \
  extern "C" double __nv_##name(double x) { return __ocml_##other##_f64(x); }
TRITON_SAME_UNARY(exp10, exp10)
TRITON_SAME_UNARY(logb, logb)
TRITON_SAME_UNARY(sinpi, sinpi)
TRITON_SAME_UNARY(cospi, cospi)
TRITON_SAME_UNARY(rcbrt, rcbrt)
TRITON_SAME_UNARY(erfcx, erfcx)
TRITON_SAME_UNARY(erfinv, erfinv)
TRITON_SAME_UNARY(erfcinv, erfcinv)
TRITON_SAME_UNARY(normcdf, ncdf)
TRITON_SAME_UNARY(normcdfinv, ncdfinv)
TRITON_SAME_UNARY(lgamma, lgamma)
TRITON_SAME_UNARY(tgamma, tgamma)
TRITON_SAME_UNARY(j0, j0)
TRITON_SAME_UNARY(j1, j1)
TRITON_SAME_UNARY(y0, y0)
TRITON_SAME_UNARY(y1, y1)
TRITON_SAME_UNARY(cyl_bessel_i0, i0)
TRITON_SAME_UNARY(cyl_bessel_i1, i1)
#undef TRITON_SAME_UNARY

#define TRITON_SAME(name, other, T, suffix, parameters, arguments)                                                     \
  extern "C" T __ocml_##other##_##suffix parameters;                                                                   \
  extern "C" T __nv_##name parameters { return __ocml_##other##_##suffix arguments; }
#define TRITON_SAME_IN_BOTH(name, other, parameters, arguments)                                                        \
  TRITON_SAME(name##f, other, float, f32, parameters(float), arguments)                                                \
  TRITON_SAME(name, other, double, f64, parameters(double), arguments)
#define TRITON_TWO(T) (T x, T y)
#define TRITON_THREE(T) (T x, T y, T z)
#define TRITON_FOUR(T) (T x, T y, T z, T t)
#define TRITON_SCALED(T) (T x, Int n)
TRITON_SAME_IN_BOTH(nextafter, nextafter, TRITON_TWO, (x, y))
TRITON_SAME_IN_BOTH(hypot, hypot, TRITON_TWO, (x, y))
TRITON_SAME_IN_BOTH(rhypot, rhypot, TRITON_TWO, (x, y))
TRITON_SAME_IN_BOTH(fmod, fmod, TRITON_TWO, (x, y))
TRITON_SAME_IN_BOTH(remainder, remainder, TRITON_TWO, (x, y))
TRITON_SAME_IN_BOTH(fdim, fdim, TRITON_TWO, (x, y))
TRITON_SAME_IN_BOTH(norm3d, len3, TRITON_THREE, (x, y, z))
TRITON_SAME_IN_BOTH(rnorm3d, rlen3, TRITON_THREE, (x, y, z))
TRITON_SAME_IN_BOTH(norm4d, len4, TRITON_FOUR, (x, y, z, t))
TRITON_SAME_IN_BOTH(rnorm4d, rlen4, TRITON_FOUR, (x, y, z, t))
TRITON_SAME_IN_BOTH(ldexp, ldexp, TRITON_SCALED, (x, n))
TRITON_SAME_IN_BOTH(scalbn, scalbn, TRITON_SCALED, (x, n))
TRITON_SAME(fast_exp10f, exp10, float, f32, (float x), (x))
#undef TRITON_SAME_IN_BOTH
#undef TRITON_SAME

extern "C" Int __ocml_ilogb_f32(float);
extern "C" Int __ocml_ilogb_f64(double);
extern "C" float __ocml_rsqrt_f32(float);
extern "C" Int __nv_ilogbf(float x) { return __ocml_ilogb_f32(x); }
extern "C" Int __nv_ilogb(double x) { return __ocml_ilogb_f64(x); }
extern "C" float __nv_frsqrt_rn(float x) { return __ocml_rsqrt_f32(x); }
extern "C" float __nv_saturatef(float x) { return minimum(maximum(x, 0.0f), 1.0f); }
extern "C" double __nv_rcp64h(double x) { return fromBits<double>(bitsOf(1 / x) & 0xffffffff00000000); }

//===--- Integers -----------------------------------------------------------------------------------------------===//

extern "C" Int __nv_ffs(Int x) { return __builtin_ffs(x); }
extern "C" Int __nv_ffsll(Long x) { return __builtin_ffsll(x); }
extern "C" Int __nv_brev(Int x) { return Int(__builtin_bitreverse32(Unsigned(x))); }
extern "C" Long __nv_brevll(Long x) { return Long(__builtin_bitreverse64(UnsignedLong(x))); }
extern "C" Int __nv_sad(Int x, Int y, Unsigned z) {
  return Int((x > y ? Unsigned(x) - Unsigned(y) : Unsigned(y) - Unsigned(x)) + z);
}
extern "C" Unsigned __nv_usad(Unsigned x, Unsigned y, Unsigned z) { return (x > y ? x - y : y - x) + z; }
extern "C" Int __nv_mul24(Int x, Int y) {
  return Int(Unsigned(Int(Unsigned(x) << 8) >> 8) * Unsigned(Int(Unsigned(y) << 8) >> 8));
}
extern "C" Unsigned __nv_umul24(Unsigned x, Unsigned y) { return (x & 0xffffff) * (y & 0xffffff); }
extern "C" Int __nv_hadd(Int x, Int y) { return Int((Long(x) + y) >> 1); }
extern "C" Int __nv_rhadd(Int x, Int y) { return Int((Long(x) + y + 1) >> 1); }
extern "C" Unsigned __nv_uhadd(Unsigned x, Unsigned y) { return Unsigned((UnsignedLong(x) + y) >> 1); }
extern "C" Unsigned __nv_urhadd(Unsigned x, Unsigned y) { return Unsigned((UnsignedLong(x) + y + 1) >> 1); }
extern "C" Int __nv_mulhi(Int x, Int y) { return Int((Long(x) * y) >> 32); }
extern "C" Unsigned __nv_umulhi(Unsigned x, Unsigned y) { return Unsigned((UnsignedLong(x) * y) >> 32); }

TRITON_INLINE UnsignedLong multiplyHigh(UnsignedLong x, UnsignedLong y) {
  return UnsignedLong((static_cast<unsigned __int128>(x) * y) >> 64);
}
extern "C" UnsignedLong __nv_umul64hi(UnsignedLong x, UnsignedLong y) { return multiplyHigh(x, y); }
extern "C" Long __nv_mul64hi(Long x, Long y) {
  UnsignedLong high = multiplyHigh(UnsignedLong(x), UnsignedLong(y));
  return Long(high - (x < 0 ? UnsignedLong(y) : 0) - (y < 0 ? UnsignedLong(x) : 0));
}

/// Each of the lower four digits of the selector names a byte of y:x.
extern "C" Int __nv_byte_perm(Int x, Int y, Int selector) {
  UnsignedLong bytes = (UnsignedLong(Unsigned(y)) << 32) | Unsigned(x);
  Unsigned result = 0;
#pragma clang loop unroll(full)
  for (int i = 0; i < 4; ++i)
    result |= (Unsigned(bytes >> (8 * ((selector >> (4 * i)) & 7))) & 255) << (8 * i);
  return Int(result);
}
