// What the functions of libdevice compute, on the host: in double for f32, in long double for f64, then rounded. That
// stays within the errors which NVIDIA documents for libdevice, but the last bits may differ from a GPU's. The
// simulator uses these where there is no libdevice, the processor's backend where it has neither instructions nor
// libmvec.
//
// `table.add(name, function)` takes a function without state by its name after `__nv_`; `table.addExact` one that moves
// the bits of a NaN as they are.
#pragma once

#include "numerics/SpecialFunctions.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

namespace triton::numerics {

/// Both precisions of a function: `name`f for f32, computed in double, and `name` for f64, computed in long double.
/// `expression` sees the operands in the type `Wide`.
#define TRITON_UNARY(name, expression)                                                                                 \
  table.add(name "f", [](float a) -> float {                                                                           \
    using Wide = double;                                                                                               \
    Wide x = a;                                                                                                        \
    return float(expression);                                                                                          \
  });                                                                                                                  \
  table.add(name, [](double a) -> double {                                                                             \
    using Wide = long double;                                                                                          \
    Wide x = a;                                                                                                        \
    return double(expression);                                                                                         \
  });
#define TRITON_BINARY(name, expression)                                                                                \
  table.add(name "f", [](float a, float b) -> float {                                                                  \
    using Wide = double;                                                                                               \
    Wide x = a, y = b;                                                                                                 \
    return float(expression);                                                                                          \
  });                                                                                                                  \
  table.add(name, [](double a, double b) -> double {                                                                   \
    using Wide = long double;                                                                                          \
    Wide x = a, y = b;                                                                                                 \
    return double(expression);                                                                                         \
  });

inline double powerOf10(double x) { return exp10(x); }
inline long double powerOf10(long double x) { return exp10l(x); }
// std::lgamma without the global variable for the sign.
inline double logarithmOfGamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);
}
inline long double logarithmOfGamma(long double x) {
  int sign = 0;
  return lgammal_r(x, &sign);
}

/// The Bessel functions. libdevice has them for orders from 0 on, and the second kind for arguments from 0 on.
template <typename Wide> Wide firstKind(int order, Wide x) {
  if (order < 0)
    return std::numeric_limits<Wide>::quiet_NaN();
  if constexpr (std::is_same_v<Wide, double>)
    return jn(order, x);
  else
    return jnl(order, x);
}
template <typename Wide> Wide secondKind(int order, Wide x) {
  if (order < 0 || x < 0)
    return std::numeric_limits<Wide>::quiet_NaN();
  if constexpr (std::is_same_v<Wide, double>)
    return yn(order, x);
  else
    return ynl(order, x);
}

template <typename Table> void addFunctionsOfOneNumber(Table &table) {
  TRITON_UNARY("round", std::round(x))
  TRITON_UNARY("rsqrt", 1 / std::sqrt(x))
  TRITON_UNARY("cbrt", std::cbrt(x))
  TRITON_UNARY("rcbrt", 1 / std::cbrt(x))
  TRITON_UNARY("exp", std::exp(x))
  TRITON_UNARY("exp2", std::exp2(x))
  TRITON_UNARY("exp10", powerOf10(x))
  TRITON_UNARY("expm1", std::expm1(x))
  TRITON_UNARY("log", std::log(x))
  TRITON_UNARY("log2", std::log2(x))
  TRITON_UNARY("log10", std::log10(x))
  TRITON_UNARY("log1p", std::log1p(x))
  TRITON_UNARY("logb", std::logb(x))
  TRITON_UNARY("sin", std::sin(x))
  TRITON_UNARY("cos", std::cos(x))
  TRITON_UNARY("tan", std::tan(x))
  TRITON_UNARY("sinpi", sinPi(x))
  TRITON_UNARY("cospi", cosPi(x))
  TRITON_UNARY("asin", std::asin(x))
  TRITON_UNARY("acos", std::acos(x))
  TRITON_UNARY("atan", std::atan(x))
  TRITON_UNARY("sinh", std::sinh(x))
  TRITON_UNARY("cosh", std::cosh(x))
  TRITON_UNARY("tanh", std::tanh(x))
  TRITON_UNARY("asinh", std::asinh(x))
  TRITON_UNARY("acosh", std::acosh(x))
  TRITON_UNARY("atanh", std::atanh(x))
  table.add("frsqrt_rn", [](float x) -> float { return float(1 / std::sqrt(double(x))); });
}

template <typename Table> void addSpecialFunctions(Table &table) {
  TRITON_UNARY("erf", std::erf(x))
  TRITON_UNARY("erfc", std::erfc(x))
  TRITON_UNARY("erfcx", scaledErfc(x))
  TRITON_UNARY("erfinv", inverseErf(x))
  TRITON_UNARY("erfcinv", inverseErfc(x))
  TRITON_UNARY("normcdf", normalDistribution(x))
  TRITON_UNARY("normcdfinv", inverseNormalDistribution(x))
  TRITON_UNARY("lgamma", logarithmOfGamma(x))
  TRITON_UNARY("tgamma", std::tgamma(x))
  TRITON_UNARY("j0", firstKind(0, x))
  TRITON_UNARY("j1", firstKind(1, x))
  TRITON_UNARY("y0", secondKind(0, x))
  TRITON_UNARY("y1", secondKind(1, x))
  TRITON_UNARY("cyl_bessel_i0", modifiedBessel<0>(x))
  TRITON_UNARY("cyl_bessel_i1", modifiedBessel<1>(x))
  table.add("jnf", [](int32_t n, float x) -> float { return float(firstKind(n, double(x))); });
  table.add("jn", [](int32_t n, double x) -> double { return double(firstKind(n, static_cast<long double>(x))); });
  table.add("ynf", [](int32_t n, float x) -> float { return float(secondKind(n, double(x))); });
  table.add("yn", [](int32_t n, double x) -> double { return double(secondKind(n, static_cast<long double>(x))); });
}

template <typename Table> void addFunctionsOfSeveralNumbers(Table &table) {
  TRITON_BINARY("atan2", std::atan2(x, y))
  TRITON_BINARY("pow", std::pow(x, y))
  TRITON_BINARY("fmod", std::fmod(x, y))
  TRITON_BINARY("remainder", std::remainder(x, y))
  TRITON_BINARY("fdim", std::fdim(x, y))
  TRITON_BINARY("hypot", (length<Wide>(x, y)))
  TRITON_BINARY("rhypot", (1 / length<Wide>(x, y)))
  TRITON_BINARY("fmin", std::fmin(x, y))
  TRITON_BINARY("fmax", std::fmax(x, y))
  table.addExact("copysignf", [](float x, float y) -> float { return std::copysign(x, y); });
  table.addExact("copysign", [](double x, double y) -> double { return std::copysign(x, y); });
  table.add("nextafterf", [](float x, float y) -> float { return std::nextafter(x, y); });
  table.add("nextafter", [](double x, double y) -> double { return std::nextafter(x, y); });
  table.add("norm3df", [](float x, float y, float z) -> float { return float(length<double>(x, y, z)); });
  table.add("norm3d", [](double x, double y, double z) -> double { return double(length<long double>(x, y, z)); });
  table.add("rnorm3df", [](float x, float y, float z) -> float { return float(1 / length<double>(x, y, z)); });
  table.add("rnorm3d", [](double x, double y, double z) -> double { return double(1 / length<long double>(x, y, z)); });
  table.add("norm4df", [](float x, float y, float z, float t) -> float { return float(length<double>(x, y, z, t)); });
  table.add("norm4d",
            [](double x, double y, double z, double t) -> double { return double(length<long double>(x, y, z, t)); });
  table.add("rnorm4df",
            [](float x, float y, float z, float t) -> float { return float(1 / length<double>(x, y, z, t)); });
  table.add("rnorm4d", [](double x, double y, double z, double t) -> double {
    return double(1 / length<long double>(x, y, z, t));
  });
  table.add("powif", [](float x, int32_t n) -> float { return float(std::pow(double(x), n)); });
  table.add("powi", [](double x, int32_t n) -> double {
    return double(std::pow(static_cast<long double>(x), static_cast<long double>(n)));
  });
  for (std::string_view name : {"ldexpf", "scalbnf"})
    table.add(name, [](float x, int32_t n) -> float { return std::ldexp(x, n); });
  for (std::string_view name : {"ldexp", "scalbn"})
    table.add(name, [](double x, int32_t n) -> double { return std::ldexp(x, n); });
}

/// On a GPU, the results of these have fewer correct digits.
template <typename Table> void addFastFunctions(Table &table) {
  table.add("fast_sinf", [](float x) -> float { return float(std::sin(double(x))); });
  table.add("fast_cosf", [](float x) -> float { return float(std::cos(double(x))); });
  table.add("fast_tanf", [](float x) -> float { return float(std::tan(double(x))); });
  table.add("fast_tanhf", [](float x) -> float { return float(std::tanh(double(x))); });
  table.add("fast_expf", [](float x) -> float { return float(std::exp(double(x))); });
  table.add("fast_exp10f", [](float x) -> float { return float(powerOf10(double(x))); });
  table.add("fast_logf", [](float x) -> float { return float(std::log(double(x))); });
  table.add("fast_log2f", [](float x) -> float { return float(std::log2(double(x))); });
  table.add("fast_log10f", [](float x) -> float { return float(std::log10(double(x))); });
  // Computed by logarithms, so that numbers below zero have no power.
  table.add("fast_powf", [](float x, float y) -> float { return float(std::exp2(y * std::log2(double(x)))); });
}

template <typename Number> int32_t exponentOf(Number x) {
  if (x != x || x == 0)
    return INT32_MIN;
  return std::isinf(x) ? INT32_MAX : std::ilogb(x);
}

/// Rounds halves away from zero. A value outside of the type's range becomes its nearest number.
inline int64_t roundToInteger(double x) {
  double rounded = std::round(x);
  if (rounded != rounded || rounded < -0x1p63)
    return INT64_MIN;
  return rounded >= 0x1p63 ? INT64_MAX : int64_t(rounded);
}

template <typename Table> void addPredicates(Table &table) {
  table.add("isnanf", [](float x) -> int32_t { return std::isnan(x); });
  table.add("isnand", [](double x) -> int32_t { return std::isnan(x); });
  table.add("isinff", [](float x) -> int32_t { return std::isinf(x); });
  table.add("isinfd", [](double x) -> int32_t { return std::isinf(x); });
  table.add("finitef", [](float x) -> int32_t { return std::isfinite(x); });
  table.add("isfinited", [](double x) -> int32_t { return std::isfinite(x); });
  table.add("signbitf", [](float x) -> int32_t { return std::signbit(x); });
  table.add("signbitd", [](double x) -> int32_t { return std::signbit(x); });
  table.add("ilogbf", [](float x) -> int32_t { return exponentOf(x); });
  table.add("ilogb", [](double x) -> int32_t { return exponentOf(x); });
  table.add("llroundf", [](float x) -> int64_t { return roundToInteger(x); });
  table.add("llround", [](double x) -> int64_t { return roundToInteger(x); });
}

template <typename Number> Number reverseBits(Number x) {
  Number reversed = 0;
  for (unsigned bit = 0; bit < 8 * sizeof(Number); ++bit)
    reversed |= ((x >> bit) & 1) << (8 * sizeof(Number) - 1 - bit);
  return reversed;
}

template <typename Table> void addIntegerFunctions(Table &table) {
  table.add("abs", [](uint32_t x) -> uint32_t { return int32_t(x) < 0 ? -x : x; });
  table.add("llabs", [](uint64_t x) -> uint64_t { return int64_t(x) < 0 ? -x : x; });
  table.add("clz", [](uint32_t x) -> int32_t { return std::countl_zero(x); });
  table.add("clzll", [](uint64_t x) -> int32_t { return std::countl_zero(x); });
  table.add("popc", [](uint32_t x) -> int32_t { return std::popcount(x); });
  table.add("popcll", [](uint64_t x) -> int32_t { return std::popcount(x); });
  table.add("ffs", [](uint32_t x) -> int32_t { return x ? std::countr_zero(x) + 1 : 0; });
  table.add("ffsll", [](uint64_t x) -> int32_t { return x ? std::countr_zero(x) + 1 : 0; });
  table.add("brev", [](uint32_t x) -> uint32_t { return reverseBits(x); });
  table.add("brevll", [](uint64_t x) -> uint64_t { return reverseBits(x); });
  // Multiplies the lower 24 bits of both.
  table.add("mul24", [](uint32_t x, uint32_t y) -> uint32_t {
    return uint32_t((int64_t(int32_t(x << 8)) >> 8) * (int64_t(int32_t(y << 8)) >> 8));
  });
  table.add("umul24", [](uint32_t x, uint32_t y) -> uint32_t { return (x & 0xffffff) * (y & 0xffffff); });
  table.add("hadd", [](int32_t x, int32_t y) -> int32_t { return int32_t((int64_t(x) + y) >> 1); });
  table.add("uhadd", [](uint32_t x, uint32_t y) -> uint32_t { return uint32_t((uint64_t(x) + y) >> 1); });
  table.add("rhadd", [](int32_t x, int32_t y) -> int32_t { return int32_t((int64_t(x) + y + 1) >> 1); });
  table.add("urhadd", [](uint32_t x, uint32_t y) -> uint32_t { return uint32_t((uint64_t(x) + y + 1) >> 1); });
  for (std::string_view name : {"int_as_float", "float_as_int", "uint_as_float", "float_as_uint"})
    table.add(name, [](uint32_t x) -> uint32_t { return x; });
  for (std::string_view name : {"longlong_as_double", "double_as_longlong"})
    table.add(name, [](uint64_t x) -> uint64_t { return x; });
  table.add("byte_perm", [](uint32_t x, uint32_t y, uint32_t selector) -> uint32_t {
    uint64_t bytes = uint64_t(y) << 32 | x;
    uint32_t result = 0;
    for (unsigned i = 0; i < 4; ++i)
      result |= uint32_t(uint8_t(bytes >> 8 * ((selector >> 4 * i) & 7))) << 8 * i;
    return result;
  });
  table.add("hiloint2double",
            [](uint32_t high, uint32_t low) -> double { return std::bit_cast<double>(uint64_t(high) << 32 | low); });
}

#undef TRITON_UNARY
#undef TRITON_BINARY

/// Adds all functions except those that are a single instruction on NVIDIA's GPUs.
template <typename Table> void addLibdeviceFunctions(Table &table) {
  addFunctionsOfOneNumber(table);
  addSpecialFunctions(table);
  addFunctionsOfSeveralNumbers(table);
  addFastFunctions(table);
  addPredicates(table);
  addIntegerFunctions(table);
}

} // namespace triton::numerics
