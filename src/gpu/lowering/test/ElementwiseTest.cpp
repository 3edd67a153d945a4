#include "Harness.h"

#include <cmath>
#include <numeric>
#include <random>

namespace triton::gpu {

static std::vector<float> randomFloats(std::size_t n, float low = -4, float high = 4) {
  std::mt19937 generator(7);
  std::uniform_real_distribution<float> distribution(low, high);
  std::vector<float> values(n);
  for (float &value : values)
    value = distribution(generator);
  return values;
}

TEST(Elementwise, AddsVectorsUnderAMask) {
  LoweredKernel kernel = lower({R"(
tt.func public @kernel(%a: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f32> {tt.divisibility = 16 : i32},
                       %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %c256 = arith.constant 256 : i32
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %c256 : i32
  %range = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %starts = tt.splat %start : i32 -> tensor<256xi32>
  %i = arith.addi %starts, %range : tensor<256xi32>
  %limit = tt.splat %n : i32 -> tensor<256xi32>
  %mask = arith.cmpi slt, %i, %limit : tensor<256xi32>
  %zero = arith.constant dense<0.0> : tensor<256xf32>
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %bs = tt.splat %b : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %pa = tt.addptr %as, %i : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %pb = tt.addptr %bs, %i : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %po = tt.addptr %outs, %i : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %x = tt.load %pa, %mask, %zero : tensor<256x!tt.ptr<f32>>
  %y = tt.load %pb, %mask, %zero : tensor<256x!tt.ptr<f32>>
  %s = arith.addf %x, %y : tensor<256xf32>
  tt.store %po, %s, %mask : tensor<256x!tt.ptr<f32>>
  tt.return
}
)"});
  std::vector<float> a = randomFloats(1000), b = randomFloats(1000), out(1000, -1);
  std::reverse(b.begin(), b.end());
  run(kernel, {a, b, out, 1000}, 4);
  for (std::size_t i = 0; i < out.size(); ++i)
    ASSERT_EQ(out[i], a[i] + b[i]) << i;
}

/// A kernel that maps `size` elements of type `from` to those of type `to` with the lines of `body`, from %x to %y.
static KernelText mapKernel(const std::string &from, const std::string &to, const std::string &body,
                            unsigned size = 256) {
  std::string n = std::to_string(size);
  return {"tt.func public @kernel(%a: !tt.ptr<" + from + ">, %out: !tt.ptr<" + to + ">) {\n" + R"(
  %i = tt.make_range {end = )" +
          n + R"( : i32, start = 0 : i32} : tensor<)" + n + R"(xi32>
  %as = tt.splat %a : !tt.ptr<)" +
          from + "> -> tensor<" + n + "x!tt.ptr<" + from + R"(>>
  %outs = tt.splat %out : !tt.ptr<)" +
          to + "> -> tensor<" + n + "x!tt.ptr<" + to + R"(>>
  %pa = tt.addptr %as, %i : tensor<)" +
          n + "x!tt.ptr<" + from + ">>, tensor<" + n + R"(xi32>
  %po = tt.addptr %outs, %i : tensor<)" +
          n + "x!tt.ptr<" + to + ">>, tensor<" + n + R"(xi32>
  %x = tt.load %pa : tensor<)" +
          n + "x!tt.ptr<" + from + ">>\n" + body + R"(
  tt.store %po, %y : tensor<)" +
          n + "x!tt.ptr<" + to + R"(>>
  tt.return
})"};
}

TEST(Elementwise, ComputesFunctionsWithTheDocumentedAccuracy) {
  struct Case {
    const char *operation;
    double (*reference)(double);
    double tolerance;
  };
  const Case cases[] = {
      {"math.exp", [](double x) { return std::exp(x); }, 1e-6},
      {"math.log", [](double x) { return std::log(x); }, 3e-6},
      {"math.exp2", [](double x) { return std::exp2(x); }, 5e-7},
      {"math.sin", [](double x) { return std::sin(x); }, 5e-7},
      {"math.sqrt", [](double x) { return std::sqrt(x); }, 3e-7},
      {"math.erf", [](double x) { return std::erf(x); }, 5e-7},
      {"math.rsqrt", [](double x) { return 1 / std::sqrt(x); }, 3e-7},
      {"math.floor", [](double x) { return std::floor(x); }, 0},
      {"math.tanh", [](double x) { return std::tanh(x); }, 5e-7},
      {"math.cos", [](double x) { return std::cos(x); }, 5e-7},
      {"math.log2", [](double x) { return std::log2(x); }, 3e-6},
      {"math.ceil", [](double x) { return std::ceil(x); }, 0},
      {"tt.precise_sqrt", [](double x) { return double(std::sqrt(float(x))); }, 0},
  };
  for (const Case &test : cases) {
    std::vector<float> in = randomFloats(256, 0.5f, 8), out(256, -1);
    run(mapKernel("f32", "f32", std::string("  %y = ") + test.operation + " %x : tensor<256xf32>"), {in, out});
    for (std::size_t i = 0; i < out.size(); ++i)
      ASSERT_NEAR(out[i], test.reference(in[i]), test.tolerance * std::max(1.0, std::fabs(test.reference(in[i]))))
          << test.operation << " of " << in[i];
  }
}

TEST(Elementwise, ComputesDoublesByTheLibrary) {
  struct Case {
    const char *operation;
    double (*reference)(double);
  };
  const Case cases[] = {
      {"math.exp", [](double x) { return std::exp(x); }}, {"math.log", [](double x) { return std::log(x); }},
      {"math.sin", [](double x) { return std::sin(x); }}, {"math.sqrt", [](double x) { return std::sqrt(x); }},
      {"math.erf", [](double x) { return std::erf(x); }}, {"math.rsqrt", [](double x) { return 1 / std::sqrt(x); }},
  };
  for (const Case &test : cases) {
    std::vector<float> seeds = randomFloats(256, 0.5f, 8);
    std::vector<double> in(seeds.begin(), seeds.end()), out(256, -1);
    run(mapKernel("f64", "f64", std::string("  %y = ") + test.operation + " %x : tensor<256xf64>"), {in, out});
    for (std::size_t i = 0; i < out.size(); ++i)
      ASSERT_NEAR(out[i], test.reference(in[i]), 1e-15 * std::max(1.0, std::fabs(test.reference(in[i]))) * 4)
          << test.operation << " of " << in[i];
  }
}

/// The value of an e4m3 code.
static float decodeE4M3(uint8_t code) {
  int exponent = code >> 3 & 15, fraction = code & 7;
  float magnitude = exponent == 15 && fraction == 7 ? NAN
                    : exponent == 0                 ? std::ldexp(float(fraction), -9)
                                                    : std::ldexp(float(8 + fraction), exponent - 10);
  return code & 0x80 ? -magnitude : magnitude;
}

TEST(Elementwise, ConvertsEveryEightBitNumberThereAndBack) {
  std::vector<uint8_t> codes(256), back(256);
  std::iota(codes.begin(), codes.end(), uint8_t(0));
  std::vector<float> wide(256, -1);
  run(mapKernel("f8E4M3FN", "f32", "  %y = tt.fp_to_fp %x : tensor<256xf8E4M3FN> -> tensor<256xf32>"), {codes, wide});
  for (unsigned code = 0; code < 256; ++code)
    if (std::isnan(decodeE4M3(uint8_t(code))))
      ASSERT_TRUE(std::isnan(wide[code])) << code;
    else
      ASSERT_EQ(wide[code], decodeE4M3(uint8_t(code))) << code;
  run(mapKernel("f32", "f8E4M3FN", "  %y = tt.fp_to_fp %x, rounding = rtne : tensor<256xf32> -> tensor<256xf8E4M3FN>"),
      {wide, back});
  for (unsigned code = 0; code < 256; ++code)
    if ((code & 0x7f) != 0x7f)
      ASSERT_EQ(back[code], codes[code]);
}

TEST(Elementwise, RoundsToEightBitsToNearestEven) {
  std::vector<float> in = randomFloats(256, -500, 500);
  for (unsigned i = 0; i < 128; ++i)
    in[i] = std::ldexp(in[i], -12); // subnormal numbers too
  std::vector<uint8_t> out(256);
  run(mapKernel("f32", "f8E4M3FN", "  %y = tt.fp_to_fp %x, rounding = rtne : tensor<256xf32> -> tensor<256xf8E4M3FN>"),
      {in, out});
  for (unsigned i = 0; i < 256; ++i) {
    float best = INFINITY;
    for (unsigned code = 0; code < 256; ++code)
      if (float value = decodeE4M3(uint8_t(code)); !std::isnan(value))
        best = std::min(best, std::fabs(value - in[i]));
    ASSERT_EQ(std::fabs(decodeE4M3(out[i]) - in[i]), best) << in[i];
  }
}

TEST(Elementwise, LoopsCarryTensors) {
  std::vector<float> in = randomFloats(256), out(256);
  run(mapKernel("f32", "f32", R"(
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c5 = arith.constant 5 : i32
  %y = scf.for %k = %c0 to %c5 step %c1 iter_args(%sum = %x) -> (tensor<256xf32>) : i32 {
    %next = arith.addf %sum, %x : tensor<256xf32>
    scf.yield %next : tensor<256xf32>
  })"),
      {in, out});
  for (unsigned i = 0; i < 256; ++i)
    ASSERT_NEAR(out[i], 6 * in[i], 1e-5);
}

TEST(Elementwise, OneThreadStoresAScalar) {
  std::vector<int32_t> out(4, -1);
  run({R"(
tt.func public @kernel(%out: !tt.ptr<i32>, %n: i32) {
  %pid = tt.get_program_id x : i32
  %p = tt.addptr %out, %pid : !tt.ptr<i32>, i32
  %v = arith.addi %pid, %n : i32
  tt.store %p, %v : !tt.ptr<i32>
  tt.return
})"},
      {out, 10}, 4);
  EXPECT_EQ(out, (std::vector<int32_t>{10, 11, 12, 13}));
}

} // namespace triton::gpu
