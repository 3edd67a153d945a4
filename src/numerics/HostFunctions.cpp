#include "numerics/HostFunctions.h"
#include "numerics/DirectedRounding.h"
#include "numerics/LibdeviceFunctions.h"

#include "llvm/ADT/StringMap.h"

#include <algorithm>
#include <string>

namespace triton::numerics {
namespace {

template <typename Number> constexpr Scalar scalarOf() {
  if constexpr (std::is_integral_v<Number>)
    return sizeof(Number) == 8 ? Scalar::Int64 : Scalar::Int32;
  else
    return std::is_same_v<Number, double> ? Scalar::Float64 : Scalar::Float32;
}

template <typename Result, typename... Operands> HostFunction describe(Result (*function)(Operands...)) {
  return {reinterpret_cast<void *>(function), scalarOf<Result>(), {scalarOf<Operands>()...}};
}

class Table {
public:
  Table();
  const HostFunction *find(llvm::StringRef name) const {
    auto found = functions.find(name);
    return found == functions.end() ? nullptr : &found->second;
  }

  template <typename Function> void add(std::string_view name, Function function) {
    functions.try_emplace(name, describe(+function));
  }
  template <typename Function> void addExact(std::string_view name, Function function) { add(name, function); }

private:
  void addInstructions();
  void addIntegerInstructions();
  template <int mode> void addRounded(std::string_view suffix);
  template <typename Value, int mode> void addRoundedArithmetic(std::string_view type, std::string_view suffix);
  template <typename From, int mode> void addToIntegers(std::string_view from, std::string_view suffix);
  template <typename From, typename To, int mode> void addToFloat(std::string_view types, std::string_view suffix);

  llvm::StringMap<HostFunction> functions;
};

//===--- Directed rounding --------------------------------------------------------------------------------------===//

/// The volatile result keeps the computation before the point at which the rounding mode ends.
template <Operation operation, int mode, typename Value> Value rounded(Value a, Value b, Value c) {
  RoundingMode rounding(mode);
  volatile Value result = compute<operation, Value>(a, b, c);
  return result;
}
template <typename From, typename To, int mode> To convertRounded(From from) {
  RoundingMode rounding(mode);
  volatile To result = convert<From, To>(from);
  return result;
}

template <typename Value, int mode> void Table::addRoundedArithmetic(std::string_view type, std::string_view suffix) {
  auto named = [&](std::string_view operation) { return std::string(type).append(operation).append(suffix); };
  add(named("add"), [](Value a, Value b) -> Value { return rounded<Operation::Add, mode>(a, b, b); });
  add(named("sub"), [](Value a, Value b) -> Value { return rounded<Operation::Subtract, mode>(a, b, b); });
  add(named("mul"), [](Value a, Value b) -> Value { return rounded<Operation::Multiply, mode>(a, b, b); });
  add(named("div"), [](Value a, Value b) -> Value { return rounded<Operation::Divide, mode>(a, b, b); });
  add(named("rcp"), [](Value a) -> Value { return rounded<Operation::Reciprocal, mode>(a, a, a); });
  add(named("sqrt"), [](Value a) -> Value { return rounded<Operation::SquareRoot, mode>(a, a, a); });
  std::string fma = std::string(std::is_same_v<Value, double> ? "fma" : "fmaf").append(suffix);
  add(fma, [](Value a, Value b, Value c) -> Value { return rounded<Operation::Fma, mode>(a, b, c); });
}

/// Rounds to an integer in the given direction. A value outside of the type's range becomes its nearest number. NaN
/// becomes zero if neither type has more than 32 bits, else the top bit, as on GPUs.
template <typename From, typename To, int mode> To toInteger(From value) {
  if (value != value)
    return sizeof(To) == 4 && sizeof(From) == 4 ? To(0) : To(uint64_t(1) << (8 * sizeof(To) - 1));
  double whole = mode == FE_TONEAREST  ? std::rint(double(value))
                 : mode == FE_DOWNWARD ? std::floor(double(value))
                 : mode == FE_UPWARD   ? std::ceil(double(value))
                                       : std::trunc(double(value));
  if (whole < double(std::numeric_limits<To>::min()))
    return std::numeric_limits<To>::min();
  if (whole >= std::ldexp(1.0, int(8 * sizeof(To)) - std::numeric_limits<To>::is_signed))
    return std::numeric_limits<To>::max();
  return To(whole);
}

template <typename From, int mode> void Table::addToIntegers(std::string_view from, std::string_view suffix) {
  auto named = [&](std::string_view to) { return std::string(from).append("2").append(to).append(suffix); };
  add(named("int"), [](From x) -> int32_t { return toInteger<From, int32_t, mode>(x); });
  add(named("uint"), [](From x) -> uint32_t { return toInteger<From, uint32_t, mode>(x); });
  add(named("ll"), [](From x) -> int64_t { return toInteger<From, int64_t, mode>(x); });
  add(named("ull"), [](From x) -> uint64_t { return toInteger<From, uint64_t, mode>(x); });
}

template <typename From, typename To, int mode>
void Table::addToFloat(std::string_view types, std::string_view suffix) {
  add(std::string(types).append(suffix), [](From x) -> To { return convertRounded<From, To, mode>(x); });
}

template <int mode> void Table::addRounded(std::string_view suffix) {
  addRoundedArithmetic<float, mode>("f", suffix);
  addRoundedArithmetic<double, mode>("d", suffix);
  addToIntegers<float, mode>("float", suffix);
  addToIntegers<double, mode>("double", suffix);
  addToFloat<int32_t, float, mode>("int2float", suffix);
  addToFloat<uint32_t, float, mode>("uint2float", suffix);
  addToFloat<int64_t, float, mode>("ll2float", suffix);
  addToFloat<uint64_t, float, mode>("ull2float", suffix);
  addToFloat<int32_t, double, mode>("int2double", suffix);
  addToFloat<uint32_t, double, mode>("uint2double", suffix);
  addToFloat<int64_t, double, mode>("ll2double", suffix);
  addToFloat<uint64_t, double, mode>("ull2double", suffix);
  addToFloat<double, float, mode>("double2float", suffix);
}

//===--- Functions that are one instruction of NVIDIA's ---------------------------------------------------------===//

#define TRITON_BOTH(name, expression)                                                                                  \
  add(name "f", [](float x) -> float { return expression; });                                                          \
  add(name, [](double x) -> double { return expression; });

/// The upper word of 1/x, where subnormal numbers are zero.
double upperWordOfReciprocal(double x) {
  auto flushed = [](double value) { return std::fabs(value) < 0x1p-1022 ? std::copysign(0.0, value) : value; };
  double reciprocal = flushed(1 / flushed(x));
  return reciprocal != reciprocal ? reciprocal : std::bit_cast<double>(std::bit_cast<uint64_t>(reciprocal) >> 32 << 32);
}

void Table::addInstructions() {
  TRITON_BOTH("floor", std::floor(x))
  TRITON_BOTH("ceil", std::ceil(x))
  TRITON_BOTH("trunc", std::trunc(x))
  TRITON_BOTH("rint", std::rint(x))
  TRITON_BOTH("nearbyint", std::rint(x))
  TRITON_BOTH("fabs", std::fabs(x))
  TRITON_BOTH("sqrt", std::sqrt(x))
  add("fmaf", [](float x, float y, float z) -> float { return std::fma(x, y, z); });
  add("fma", [](double x, double y, double z) -> double { return std::fma(x, y, z); });
  add("saturatef", [](float x) -> float { return x > 0 ? std::fmin(x, 1.0F) : 0.0F; });
  add("fast_fdividef", [](float x, float y) -> float { return x / y; });
  add("rcp64h", [](double x) -> double { return upperWordOfReciprocal(x); });
  add("llrintf", [](float x) -> int64_t { return toInteger<float, int64_t, FE_TONEAREST>(x); });
  add("llrint", [](double x) -> int64_t { return toInteger<double, int64_t, FE_TONEAREST>(x); });
}

#undef TRITON_BOTH

void Table::addIntegerInstructions() {
  using Wide = __int128;
  using UnsignedWide = unsigned __int128;
  add("mulhi", [](int32_t x, int32_t y) -> int32_t { return int32_t(int64_t(x) * y >> 32); });
  add("umulhi", [](uint32_t x, uint32_t y) -> uint32_t { return uint32_t(uint64_t(x) * y >> 32); });
  add("mul64hi", [](int64_t x, int64_t y) -> int64_t { return int64_t(Wide(x) * y >> 64); });
  add("umul64hi", [](uint64_t x, uint64_t y) -> uint64_t { return uint64_t(UnsignedWide(x) * y >> 64); });
  add("min", [](int32_t x, int32_t y) -> int32_t { return std::min(x, y); });
  add("max", [](int32_t x, int32_t y) -> int32_t { return std::max(x, y); });
  add("umin", [](uint32_t x, uint32_t y) -> uint32_t { return std::min(x, y); });
  add("umax", [](uint32_t x, uint32_t y) -> uint32_t { return std::max(x, y); });
  add("llmin", [](int64_t x, int64_t y) -> int64_t { return std::min(x, y); });
  add("llmax", [](int64_t x, int64_t y) -> int64_t { return std::max(x, y); });
  add("ullmin", [](uint64_t x, uint64_t y) -> uint64_t { return std::min(x, y); });
  add("ullmax", [](uint64_t x, uint64_t y) -> uint64_t { return std::max(x, y); });
  add("sad", [](int32_t x, int32_t y, uint32_t z) -> uint32_t {
    return z + (x > y ? uint32_t(x) - uint32_t(y) : uint32_t(y) - uint32_t(x));
  });
  add("usad", [](uint32_t x, uint32_t y, uint32_t z) -> uint32_t { return z + (x > y ? x - y : y - x); });
  add("double2loint", [](double x) -> uint32_t { return uint32_t(std::bit_cast<uint64_t>(x)); });
  add("double2hiint", [](double x) -> uint32_t { return uint32_t(std::bit_cast<uint64_t>(x) >> 32); });
}

Table::Table() {
  addLibdeviceFunctions(*this);
  addInstructions();
  addIntegerInstructions();
  addRounded<FE_TONEAREST>("_rn");
  addRounded<FE_TOWARDZERO>("_rz");
  addRounded<FE_DOWNWARD>("_rd");
  addRounded<FE_UPWARD>("_ru");
}

} // namespace

const HostFunction *findHostFunction(llvm::StringRef symbol) {
  static const Table table;
  return symbol.consume_front("__nv_") ? table.find(symbol) : nullptr;
}

} // namespace triton::numerics
