// What the functions of libdevice compute, on the host, for machines without libdevice: in double for f32, in long
// double for f64, then rounded. That stays within the errors which NVIDIA documents for libdevice, but the last bits
// may differ from a GPU's.
#include "simulator/core/Numerics.h"
#include "simulator/core/Warp.h"
#include "simulator/nvptx/Handlers.h"
#include "simulator/nvptx/LibdeviceMath.h"

#include "llvm/ADT/StringMap.h"

#include <bit>
#include <tuple>
#include <utility>

namespace triton::simulator::nvptx {

namespace {

//===--- From functions of scalars to handlers ------------------------------------------------------------------===//

/// Applies a stateless `Function` to the operands of each lane.
template <typename Function, typename Result, typename... Operands> struct PerLaneOf {
  static void execute(Warp &warp, const DecodedInstruction &instruction) {
    call(warp, *static_cast<const OperandList *>(instruction.detail), std::index_sequence_for<Operands...>());
  }
  static LibdeviceFunction describe() { return {&execute, sizeof(Result), {sizeof(Operands)...}}; }

private:
  template <std::size_t... i>
  static void call(Warp &warp, const OperandList &list, std::index_sequence<i...> /*indices*/) {
    std::tuple<const Operands *...> operands{warp.read<Operands>(list.inputs[i])...};
    warp.forEachLane<Result>(list.outputs.front(),
                             [&](unsigned lane) -> Result { return Function()(std::get<i>(operands)[lane]...); });
  }
};

template <typename Function, typename Result, typename... Operands>
PerLaneOf<Function, Result, Operands...> perLane(Result (Function::*)(Operands...) const);

class Table {
public:
  Table();
  const LibdeviceFunction *find(llvm::StringRef name) const {
    auto found = functions.find(name);
    return found == functions.end() ? nullptr : &found->second;
  }

private:
  template <typename Function> void add(llvm::StringRef name, Function /*function*/) {
    functions.try_emplace(name, decltype(perLane(&Function::operator()))::describe());
  }
  void addFunctionsOfOneNumber();
  void addSpecialFunctions();
  void addFunctionsOfSeveralNumbers();
  void addFastFunctions();
  void addPredicates();
  void addIntegerFunctions();

  llvm::StringMap<LibdeviceFunction> functions;
};

/// Both precisions of a function: `name`f for f32, computed in double, and `name` for f64, computed in long double.
/// `expression` sees the operands in the type `Wide`.
#define TRITON_UNARY(name, expression)                                                                                 \
  add(name "f", [](float a) -> float {                                                                                 \
    using Wide = double;                                                                                               \
    Wide x = a;                                                                                                        \
    return canonical(float(expression));                                                                               \
  });                                                                                                                  \
  add(name, [](double a) -> double {                                                                                   \
    using Wide = long double;                                                                                          \
    Wide x = a;                                                                                                        \
    return double(expression);                                                                                         \
  });
#define TRITON_BINARY(name, expression)                                                                                \
  add(name "f", [](float a, float b) -> float {                                                                        \
    using Wide = double;                                                                                               \
    Wide x = a, y = b;                                                                                                 \
    return canonical(float(expression));                                                                               \
  });                                                                                                                  \
  add(name, [](double a, double b) -> double {                                                                         \
    using Wide = long double;                                                                                          \
    Wide x = a, y = b;                                                                                                 \
    return double(expression);                                                                                         \
  });

//===--- The functions ------------------------------------------------------------------------------------------===//

double powerOf10(double x) { return exp10(x); }
long double powerOf10(long double x) { return exp10l(x); }
// Without the global variable for the sign.
double logarithmOfGamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);
}
long double logarithmOfGamma(long double x) {
  int sign = 0;
  return lgammal_r(x, &sign);
}

/// The Bessel functions, which libdevice has for orders from 0 on, the second kind for arguments from 0 on.
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

void Table::addFunctionsOfOneNumber() {
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
  add("frsqrt_rn", [](float x) -> float { return canonical(float(1 / std::sqrt(double(x)))); });
}

void Table::addSpecialFunctions() {
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
  add("jnf", [](int32_t n, float x) -> float { return canonical(float(firstKind(n, double(x)))); });
  add("jn", [](int32_t n, double x) -> double { return double(firstKind(n, static_cast<long double>(x))); });
  add("ynf", [](int32_t n, float x) -> float { return canonical(float(secondKind(n, double(x)))); });
  add("yn", [](int32_t n, double x) -> double { return double(secondKind(n, static_cast<long double>(x))); });
}

void Table::addFunctionsOfSeveralNumbers() {
  TRITON_BINARY("atan2", std::atan2(x, y))
  TRITON_BINARY("pow", std::pow(x, y))
  TRITON_BINARY("fmod", std::fmod(x, y))
  TRITON_BINARY("remainder", std::remainder(x, y))
  TRITON_BINARY("fdim", std::fdim(x, y))
  TRITON_BINARY("hypot", (length<Wide>(x, y)))
  TRITON_BINARY("rhypot", (1 / length<Wide>(x, y)))
  TRITON_BINARY("fmin", std::fmin(x, y))
  TRITON_BINARY("fmax", std::fmax(x, y))
  add("copysignf", [](float x, float y) -> float { return std::copysign(x, y); });
  add("copysign", [](double x, double y) -> double { return std::copysign(x, y); });
  add("nextafterf", [](float x, float y) -> float { return canonical(std::nextafter(x, y)); });
  add("nextafter", [](double x, double y) -> double { return std::nextafter(x, y); });
  add("norm3df", [](float x, float y, float z) -> float { return canonical(float(length<double>(x, y, z))); });
  add("norm3d", [](double x, double y, double z) -> double { return double(length<long double>(x, y, z)); });
  add("rnorm3df", [](float x, float y, float z) -> float { return canonical(float(1 / length<double>(x, y, z))); });
  add("rnorm3d", [](double x, double y, double z) -> double { return double(1 / length<long double>(x, y, z)); });
  add("norm4df",
      [](float x, float y, float z, float t) -> float { return canonical(float(length<double>(x, y, z, t))); });
  add("norm4d",
      [](double x, double y, double z, double t) -> double { return double(length<long double>(x, y, z, t)); });
  add("rnorm4df",
      [](float x, float y, float z, float t) -> float { return canonical(float(1 / length<double>(x, y, z, t))); });
  add("rnorm4d",
      [](double x, double y, double z, double t) -> double { return double(1 / length<long double>(x, y, z, t)); });
  add("powif", [](float x, int32_t n) -> float { return canonical(float(std::pow(double(x), n))); });
  add("powi", [](double x, int32_t n) -> double {
    return double(std::pow(static_cast<long double>(x), static_cast<long double>(n)));
  });
  for (llvm::StringRef name : {"ldexpf", "scalbnf"})
    add(name, [](float x, int32_t n) -> float { return canonical(std::ldexp(x, n)); });
  for (llvm::StringRef name : {"ldexp", "scalbn"})
    add(name, [](double x, int32_t n) -> double { return std::ldexp(x, n); });
}

/// These answer with fewer right digits on a GPU.
void Table::addFastFunctions() {
  add("fast_sinf", [](float x) -> float { return canonical(float(std::sin(double(x)))); });
  add("fast_cosf", [](float x) -> float { return canonical(float(std::cos(double(x)))); });
  add("fast_tanf", [](float x) -> float { return canonical(float(std::tan(double(x)))); });
  add("fast_tanhf", [](float x) -> float { return canonical(float(std::tanh(double(x)))); });
  add("fast_expf", [](float x) -> float { return canonical(float(std::exp(double(x)))); });
  add("fast_exp10f", [](float x) -> float { return canonical(float(powerOf10(double(x)))); });
  add("fast_logf", [](float x) -> float { return canonical(float(std::log(double(x)))); });
  add("fast_log2f", [](float x) -> float { return canonical(float(std::log2(double(x)))); });
  add("fast_log10f", [](float x) -> float { return canonical(float(std::log10(double(x)))); });
  // By logarithms: numbers below zero have no power.
  add("fast_powf", [](float x, float y) -> float { return canonical(float(std::exp2(y * std::log2(double(x))))); });
}

template <typename Number> int32_t exponentOf(Number x) {
  if (x != x || x == 0)
    return INT32_MIN;
  return std::isinf(x) ? INT32_MAX : std::ilogb(x);
}

/// Halves away from zero, and the nearest number of the type for what it cannot hold.
int64_t roundToInteger(double x) {
  double rounded = std::round(x);
  if (rounded != rounded || rounded < -0x1p63)
    return INT64_MIN;
  return rounded >= 0x1p63 ? INT64_MAX : int64_t(rounded);
}

void Table::addPredicates() {
  add("isnanf", [](float x) -> int32_t { return std::isnan(x); });
  add("isnand", [](double x) -> int32_t { return std::isnan(x); });
  add("isinff", [](float x) -> int32_t { return std::isinf(x); });
  add("isinfd", [](double x) -> int32_t { return std::isinf(x); });
  add("finitef", [](float x) -> int32_t { return std::isfinite(x); });
  add("isfinited", [](double x) -> int32_t { return std::isfinite(x); });
  add("signbitf", [](float x) -> int32_t { return std::signbit(x); });
  add("signbitd", [](double x) -> int32_t { return std::signbit(x); });
  add("ilogbf", [](float x) -> int32_t { return exponentOf(x); });
  add("ilogb", [](double x) -> int32_t { return exponentOf(x); });
  add("llroundf", [](float x) -> int64_t { return roundToInteger(x); });
  add("llround", [](double x) -> int64_t { return roundToInteger(x); });
}

template <typename Number> Number reverseBits(Number x) {
  Number reversed = 0;
  for (unsigned bit = 0; bit < 8 * sizeof(Number); ++bit)
    reversed |= ((x >> bit) & 1) << (8 * sizeof(Number) - 1 - bit);
  return reversed;
}

void Table::addIntegerFunctions() {
  add("abs", [](uint32_t x) -> uint32_t { return int32_t(x) < 0 ? -x : x; });
  add("llabs", [](uint64_t x) -> uint64_t { return int64_t(x) < 0 ? -x : x; });
  add("clz", [](uint32_t x) -> int32_t { return std::countl_zero(x); });
  add("clzll", [](uint64_t x) -> int32_t { return std::countl_zero(x); });
  add("popc", [](uint32_t x) -> int32_t { return std::popcount(x); });
  add("popcll", [](uint64_t x) -> int32_t { return std::popcount(x); });
  add("ffs", [](uint32_t x) -> int32_t { return x ? std::countr_zero(x) + 1 : 0; });
  add("ffsll", [](uint64_t x) -> int32_t { return x ? std::countr_zero(x) + 1 : 0; });
  add("brev", [](uint32_t x) -> uint32_t { return reverseBits(x); });
  add("brevll", [](uint64_t x) -> uint64_t { return reverseBits(x); });
  // The lower 24 bits of each.
  add("mul24", [](uint32_t x, uint32_t y) -> uint32_t {
    return uint32_t((int64_t(int32_t(x << 8)) >> 8) * (int64_t(int32_t(y << 8)) >> 8));
  });
  add("umul24", [](uint32_t x, uint32_t y) -> uint32_t { return (x & 0xffffff) * (y & 0xffffff); });
  add("hadd", [](int32_t x, int32_t y) -> int32_t { return int32_t((int64_t(x) + y) >> 1); });
  add("uhadd", [](uint32_t x, uint32_t y) -> uint32_t { return uint32_t((uint64_t(x) + y) >> 1); });
  add("rhadd", [](int32_t x, int32_t y) -> int32_t { return int32_t((int64_t(x) + y + 1) >> 1); });
  add("urhadd", [](uint32_t x, uint32_t y) -> uint32_t { return uint32_t((uint64_t(x) + y + 1) >> 1); });
  for (llvm::StringRef name : {"int_as_float", "float_as_int", "uint_as_float", "float_as_uint"})
    add(name, [](uint32_t x) -> uint32_t { return x; });
  for (llvm::StringRef name : {"longlong_as_double", "double_as_longlong"})
    add(name, [](uint64_t x) -> uint64_t { return x; });
  add("byte_perm", [](uint32_t x, uint32_t y, uint32_t selector) -> uint32_t {
    uint64_t bytes = uint64_t(y) << 32 | x;
    uint32_t result = 0;
    for (unsigned i = 0; i < 4; ++i)
      result |= uint32_t(uint8_t(bytes >> 8 * ((selector >> 4 * i) & 7))) << 8 * i;
    return result;
  });
  add("hiloint2double",
      [](uint32_t high, uint32_t low) -> double { return bitCast<double>(uint64_t(high) << 32 | low); });
}

#undef TRITON_UNARY
#undef TRITON_BINARY

Table::Table() {
  addFunctionsOfOneNumber();
  addSpecialFunctions();
  addFunctionsOfSeveralNumbers();
  addFastFunctions();
  addPredicates();
  addIntegerFunctions();
}

} // namespace

const LibdeviceFunction *findLibdeviceFunction(llvm::StringRef name) {
  static const Table table;
  return table.find(name);
}

} // namespace triton::simulator::nvptx
