// Vector math against the C library in long double: the largest error in units of the last place, special values, and
// every vector length that code generation produces.
#include "TestKernel.h"

#include "backends/cpu/emitters/ExternFunctions.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"

#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <cstring>
#include <random>

namespace triton::cpu::test {
namespace {

namespace math = mlir::math;

using Emit = mlir::Value (*)(mlir::OpBuilder &, mlir::Location, mlir::ValueRange);
using TypeMaker = mlir::Type (*)(mlir::MLIRContext *);
using Reference = long double (*)(long double);

template <typename Op> mlir::Value emitUnary(mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange operands) {
  return Op::create(builder, loc, operands[0]);
}

struct Function {
  const char *name;
  Emit emit;
  Reference reference;
  double low, high; ///< arguments are drawn from here
  double ulps32, ulps64;
};

const Function functions[] = {
    {"exp", emitUnary<math::ExpOp>, std::exp, -110, 95, 1, 1},
    {"exp2", emitUnary<math::Exp2Op>, std::exp2, -155, 130, 1, 1},
    {"log", emitUnary<math::LogOp>, std::log, 0, 1e6, 4, 4},
    {"log2", emitUnary<math::Log2Op>, std::log2, 0, 1e6, 4, 4},
    {"log10", emitUnary<math::Log10Op>, std::log10, 0, 1e6, 4, 4},
    {"log1p", emitUnary<math::Log1pOp>, std::log1p, -1, 100, 4, 4},
    {"expm1", emitUnary<math::ExpM1Op>, std::expm1, -20, 80, 4, 4},
    {"sin", emitUnary<math::SinOp>, std::sin, -1000, 1000, 4, 4},
    {"cos", emitUnary<math::CosOp>, std::cos, -1000, 1000, 4, 4},
    {"tan", emitUnary<math::TanOp>, std::tan, -100, 100, 4, 4},
    {"asin", emitUnary<math::AsinOp>, std::asin, -1, 1, 4, 4},
    {"acos", emitUnary<math::AcosOp>, std::acos, -1, 1, 4, 4},
    {"atan", emitUnary<math::AtanOp>, std::atan, -100, 100, 4, 4},
    {"sinh", emitUnary<math::SinhOp>, std::sinh, -80, 80, 4, 4},
    {"cosh", emitUnary<math::CoshOp>, std::cosh, -80, 80, 4, 4},
    {"tanh", emitUnary<math::TanhOp>, std::tanh, -10, 10, 4, 4},
    {"asinh", emitUnary<math::AsinhOp>, std::asinh, -1000, 1000, 4, 4},
    {"acosh", emitUnary<math::AcoshOp>, std::acosh, 1, 1000, 4, 4},
    {"atanh", emitUnary<math::AtanhOp>, std::atanh, -1, 1, 4, 4},
    {"erf", emitUnary<math::ErfOp>, std::erf, -5, 5, 4, 4},
    {"erfc", emitUnary<math::ErfcOp>, std::erfc, -5, 9, 4, 4},
    {"cbrt", emitUnary<math::CbrtOp>, std::cbrt, -1e6, 1e6, 4, 4},
    {"sqrt", emitUnary<math::SqrtOp>, std::sqrt, 0, 1e6, 0.5, 0.5},
    {"rsqrt", emitUnary<math::RsqrtOp>, [](long double x) { return 1 / std::sqrt(x); }, 0, 1e6, 2, 2},
    {"floor", emitUnary<math::FloorOp>, std::floor, -100, 100, 0, 0},
    {"ceil", emitUnary<math::CeilOp>, std::ceil, -100, 100, 0, 0},
    {"trunc", emitUnary<math::TruncOp>, std::trunc, -100, 100, 0, 0},
    {"round", emitUnary<math::RoundOp>, std::round, -100, 100, 0, 0},
    {"abs", emitUnary<math::AbsFOp>, std::fabs, -100, 100, 0, 0},
};

/// |value - exact| in units of the last place of T at `exact`.
template <typename T> double errorInUlps(T value, long double exact) {
  if (std::isnan(exact))
    return std::isnan(value) ? 0 : INFINITY;
  T nearest = T(exact);
  if (value == nearest)
    return double(std::fabs(exact - value) == 0 || std::isinf(value) ? 0 : 0.5);
  if (std::isinf(value) || std::isinf(nearest) || std::isnan(value))
    return INFINITY;
  int exponent = std::max(std::ilogb(nearest == 0 ? std::numeric_limits<T>::min() : nearest),
                          std::ilogb(std::numeric_limits<T>::min()));
  long double unit = std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits + 1);
  return double(std::fabs(exact - value) / unit);
}

template <typename T> mlir::Type elementType(mlir::MLIRContext *context) {
  return sizeof(T) == 8 ? mlir::Type(mlir::Float64Type::get(context)) : mlir::Type(mlir::Float32Type::get(context));
}

template <typename T>
void checkFunction(const Function &function, const char *arch, unsigned lanes, std::size_t count) {
  // Without fused multiply-add, each step of a polynomial rounds twice.
  double tolerance =
      (sizeof(T) == 8 ? function.ulps64 : function.ulps32) * (llvm::cantFail(describeTarget(arch)).hasFma ? 1 : 1.2);
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(function.low, function.high);
  std::vector<T> input(count), output(count, T(-12345));
  for (T &value : input)
    value = T(uniform(random));
  const T specials[] = {0, T(-0.0), 1, -1, T(INFINITY), T(-INFINITY), T(NAN), std::numeric_limits<T>::denorm_min()};
  std::copy(std::begin(specials), std::end(specials), input.begin());
  TestKernel kernel = makeElementwiseKernel(count, lanes, arch, {elementType<T>, elementType<T>}, function.emit);
  ASSERT_TRUE(bool(kernel));
  kernel(output.data(), input.data());
  double worst = 0;
  T where = 0;
  for (std::size_t i = 0; i < count; ++i) {
    double error = errorInUlps(output[i], function.reference((long double)input[i]));
    if (!(error <= worst))
      worst = error, where = input[i];
  }
  EXPECT_LE(worst, tolerance) << function.name << (sizeof(T) == 8 ? " f64" : " f32") << " x" << lanes << " on `" << arch
                              << "`, at " << where;
}

TEST(Math, SinglePrecisionVectors) {
  for (const Function &function : functions)
    checkFunction<float>(function, "", 16, 1 << 16);
}
TEST(Math, DoublePrecisionVectors) {
  for (const Function &function : functions)
    checkFunction<double>(function, "", 8, 1 << 16);
}
TEST(Math, EveryVectorLength) {
  for (const Function &function : functions)
    for (unsigned lanes : {1, 2, 4, 8, 32, 64})
      checkFunction<float>(function, "", lanes, 128);
}
TEST(Math, ProcessorsWithLess) {
  for (const char *arch : {"x86-64", "x86-64-v2", "x86-64-v3"})
    for (const Function &function : functions) {
      checkFunction<float>(function, arch, 8, 1 << 12);
      checkFunction<double>(function, arch, 4, 1 << 12);
    }
}

TEST(Math, ExponentialOfEveryMagnitude) {
  // Steps through all bit patterns between the smallest subnormal and infinity, both signs.
  constexpr std::size_t count = 1 << 18;
  std::vector<float> input(count), output(count);
  for (std::size_t i = 0; i < count; ++i) {
    uint32_t code = uint32_t(i) * 16381u;
    std::memcpy(&input[i], &code, 4);
  }
  for (const Function &function : {functions[0], functions[1]}) {
    TestKernel kernel = makeElementwiseKernel(count, 16, "", {elementType<float>, elementType<float>}, function.emit);
    kernel(output.data(), input.data());
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_LE(errorInUlps(output[i], function.reference((long double)input[i])), 1)
          << function.name << " " << input[i];
  }
}

TEST(Math, FunctionsOfTwoOperands) {
  constexpr std::size_t count = 4096;
  std::mt19937_64 random(11);
  std::uniform_real_distribution<float> uniform(-20, 20);
  std::vector<float> x(count), y(count), output(count);
  for (std::size_t i = 0; i < count; ++i)
    x[i] = uniform(random), y[i] = uniform(random);
  x[0] = 0, y[0] = 0, x[1] = -0.0f, y[1] = -1, x[2] = INFINITY, y[2] = 2;
  struct Case {
    const char *name;
    Emit emit;
    long double (*reference)(long double, long double);
    double ulps;
  } cases[] = {
      {"pow",
       [](mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange v) -> mlir::Value {
         return math::PowFOp::create(b, loc, v[0], v[1]);
       },
       std::pow, 2},
      {"atan2",
       [](mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange v) -> mlir::Value {
         return math::Atan2Op::create(b, loc, v[0], v[1]);
       },
       std::atan2, 4},
      {"fmod",
       [](mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange v) -> mlir::Value {
         return mlir::arith::RemFOp::create(b, loc, v[0], v[1]);
       },
       std::fmod, 0},
  };
  for (const Case &test : cases) {
    TestKernel kernel =
        makeElementwiseKernel(count, 16, "", {elementType<float>, elementType<float>, elementType<float>}, test.emit);
    kernel(output.data(), x.data(), y.data());
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_LE(errorInUlps(output[i], test.reference(x[i], y[i])), test.ulps)
          << test.name << " " << x[i] << " " << y[i];
  }
}

TEST(Math, HalfPrecisionIsComputedInSingle) {
  std::vector<uint16_t> input(64), output(64);
  for (unsigned i = 0; i < 64; ++i)
    input[i] = 0x3c00 + 8 * i;
  TestKernel kernel = makeElementwiseKernel(64, 16, "", {typeOf<mlir::Float16Type>, typeOf<mlir::Float16Type>},
                                            emitUnary<math::TanhOp>);
  kernel(output.data(), input.data());
  for (unsigned i = 0; i < 64; ++i) {
    _Float16 value, result;
    std::memcpy(&value, &input[i], 2);
    std::memcpy(&result, &output[i], 2);
    EXPECT_EQ(float(result), float(_Float16(std::tanh(float(value)))));
  }
}

/// Applies the function that libdevice calls `symbol` to one vector.
template <typename Out, typename In>
std::vector<Out> callExtern(const char *symbol, const std::vector<In> &input, TypeMaker out, TypeMaker in) {
  const TargetDescription &target = llvm::cantFail(describeTarget(""));
  std::vector<Out> output(input.size());
  TestKernel kernel = makeElementwiseKernel(
      input.size(), input.size(), "", {out, in}, [&](mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange v) {
        mlir::Value result = emitExternFunction(builder, loc, symbol, v, out(builder.getContext()), target);
        EXPECT_TRUE(result) << symbol;
        return result ? result : mlir::Value(v[0]);
      });
  kernel(output.data(), input.data());
  return output;
}

TEST(Math, FunctionsByTheirSymbolInLibdevice) {
  TypeMaker f32 = typeOf<mlir::Float32Type>, f64 = typeOf<mlir::Float64Type>, i32 = integerOf<32>, i64 = integerOf<64>;
  std::vector<float> singles = {0.5f, -1.5f, 2.25f, -0.0f};
  for (auto [symbol, reference] :
       std::initializer_list<std::pair<const char *, float (*)(float)>>{{"__nv_tanhf", std::tanh},
                                                                        {"__nv_fast_expf", std::exp},
                                                                        {"__nv_floorf", std::floor},
                                                                        {"__nv_rintf", std::nearbyint},
                                                                        {"__nv_frcp_rn", [](float x) { return 1 / x; }},
                                                                        {"erff", std::erf},
                                                                        {"__nv_lgammaf", std::lgamma},
                                                                        {"__nv_fabsf", std::fabs}}) {
    std::vector<float> got = callExtern<float>(symbol, singles, f32, f32);
    for (std::size_t i = 0; i < singles.size(); ++i)
      EXPECT_LE(errorInUlps(got[i], reference(singles[i])), 4) << symbol << " " << singles[i];
  }
  EXPECT_EQ(callExtern<double>("__nv_cospi", std::vector<double>{0, 1, 1000001, 0.5}, f64, f64)[2], -1);
  EXPECT_EQ(callExtern<int32_t>("__nv_float2int_rd", singles, i32, f32), (std::vector<int32_t>{0, -2, 2, 0}));
  EXPECT_EQ(callExtern<int32_t>("__nv_float2int_ru", singles, i32, f32), (std::vector<int32_t>{1, -1, 3, 0}));
  EXPECT_EQ(callExtern<int32_t>("__nv_signbitf", singles, i32, f32), (std::vector<int32_t>{0, 1, 0, 1}));
  std::vector<int32_t> integers = {0, 1, -8, 1 << 20};
  EXPECT_EQ(callExtern<int32_t>("__nv_ffs", integers, i32, i32), (std::vector<int32_t>{0, 1, 4, 21}));
  EXPECT_EQ(callExtern<int32_t>("__nv_clz", integers, i32, i32), (std::vector<int32_t>{32, 31, 0, 11}));
  EXPECT_EQ(callExtern<int32_t>("__nv_brev", integers, i32, i32)[1], INT32_MIN);
  EXPECT_EQ(callExtern<int32_t>("__nv_popcll", std::vector<int64_t>{-1, 0, 5, 1}, i32, i64),
            (std::vector<int32_t>{64, 0, 2, 1}));
}

TEST(Math, UnknownSymbolsAndOtherTypesAreRefused) {
  auto context = makeContext();
  mlir::Builder builder(context.get());
  mlir::Type f32 = builder.getF32Type(), f64 = builder.getF64Type(), i1 = builder.getI1Type();
  for (const char *symbol : {"__nv_frobnicatef", "", "tanh_rx", "_", "__nv_tanh", "__nv_powf", "__nv_float2int_rn"})
    EXPECT_FALSE(isExternFunction(symbol, f32, f32)) << symbol;
  EXPECT_FALSE(isExternFunction("__nv_tanhf", {}, f32));
  EXPECT_TRUE(isExternFunction("__nv_tanhf", f32, f32));
  EXPECT_TRUE(isExternFunction("tanh", f64, f64));
  EXPECT_TRUE(isExternFunction("__nv_isnanf", f32, i1));
  EXPECT_TRUE(isExternFunction("__nv_powif", {f32, builder.getI32Type()}, f32));
}

} // namespace
} // namespace triton::cpu::test
