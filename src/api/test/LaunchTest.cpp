#include <triton/triton.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <new>
#include <numeric>

using triton::constant;

/// How often this thread has asked for memory.
static thread_local uint64_t allocations = 0;

void *operator new(size_t size) {
  ++allocations;
  if (void *memory = std::malloc(size))
    return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }

namespace {

const char *const kernels = R"(
import triton
import triton.language as tl

@triton.jit
def twice(x):
    return x * 2

@triton.jit
def scale(x, out, factor, n, BLOCK: tl.constexpr = 64):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n)
    tl.store(out + i, value * factor, mask=i < n)

@triton.jit
def apply(x, n, FUNCTION: tl.constexpr, MODE: tl.constexpr, DTYPE: tl.constexpr, EXTRA: tl.constexpr):
    i = tl.arange(0, 16)
    value = FUNCTION(tl.load(x + i, mask=i < n))
    if MODE == "negate":
        value = -value
    if EXTRA is not None:
        value += EXTRA
    tl.store(x + i, value.to(DTYPE), mask=i < n)

@triton.jit
def where_am_i(out):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    position = x + tl.num_programs(0) * (y + tl.num_programs(1) * z)
    tl.store(out + position, x + 10 * y + 100 * z)

@triton.jit
def shift(source, target, by):
    target.store([0, by], source.load([0, 0]))

@triton.jit
def nothing(a, b, c, d):
    pass
)";

triton::Kernel kernel(const char *name) {
  static const triton::Module module = triton::Module::fromString(kernels, "kernels.py");
  return module.kernel(name);
}

template <typename T> std::vector<T> ascending(int n) {
  std::vector<T> values(n);
  for (int i = 0; i < n; ++i)
    values[i] = T(float(i));
  return values;
}

template <typename T> void expectScaled(float factor) {
  std::vector<T> x = ascending<T>(100), out(100);
  kernel("scale").launch({.grid = 2}, x, out, factor, 100);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(float(out[i]), float(T(float(i) * factor))) << i;
}

} // namespace

TEST(ApiLaunch, ElementTypesComeFromThePointers) {
  expectScaled<float>(1.5f);
  expectScaled<double>(1.5f);
  expectScaled<triton::half>(0.5f);
  expectScaled<triton::bfloat16>(2.0f);
}

TEST(ApiLaunch, IntegersOfAllWidths) {
  std::vector<int8_t> narrow = ascending<int8_t>(100), narrowOut(100);
  kernel("scale").launch({.grid = 2}, narrow, narrowOut, 1, 100);
  EXPECT_EQ(narrowOut, narrow);
  std::vector<uint64_t> wide(64, 0x0123456789ABCDEFu), wideOut(64);
  kernel("scale").launch({.grid = 1}, wide, wideOut, 3, 64);
  EXPECT_EQ(wideOut[63], 3 * 0x0123456789ABCDEFu);
}

TEST(ApiLaunch, PointersSpansAndTypedPointersAreTheSame) {
  std::vector<float> x = ascending<float>(64), out(64);
  triton::Kernel scale = kernel("scale");
  scale.launch({}, x.data(), std::span<float>(out), 2.0f, 64);
  EXPECT_EQ(out[63], 126.0f);
  scale.launch({}, std::span<const float>(x), triton::pointer(out.data(), triton::dtype::float32), 3.0f, 64);
  EXPECT_EQ(out[63], 189.0f);
}

TEST(ApiLaunch, NamedArgumentsAndDefaults) {
  std::vector<float> x = ascending<float>(64), out(64);
  kernel("scale").launch({}, triton::argument("factor", 4.0f), x, out, triton::argument("n", 64));
  EXPECT_EQ(out[1], 4.0f);
  std::fill(out.begin(), out.end(), -1.0f);
  kernel("scale").launch({.grid = 2}, x, out, 1.0f, 64, constant("BLOCK", 16));
  EXPECT_EQ(out[31], 31.0f);
  EXPECT_EQ(out[32], -1.0f);
}

TEST(ApiLaunch, UnalignedPointersAndOddSizes) {
  std::vector<float> x = ascending<float>(70), out(70, -1.0f);
  kernel("scale").launch({}, x.data() + 1, out.data() + 3, 2.0f, 51);
  EXPECT_EQ(out[2], -1.0f);
  EXPECT_EQ(out[3], 2.0f);
  EXPECT_EQ(out[53], 102.0f);
  EXPECT_EQ(out[54], -1.0f);
}

TEST(ApiLaunch, ConstantsOfEveryKind) {
  std::vector<float> x(16, 3.0f);
  auto launch = [&](const triton::Kernel &function, const char *mode, auto extra) {
    kernel("apply").launch({}, x, 16, constant("FUNCTION", function), constant("MODE", mode),
                           constant("DTYPE", triton::dtype::float32), constant("EXTRA", extra));
  };
  launch(kernel("twice"), "negate", nullptr);
  EXPECT_EQ(x[15], -6.0f);
  launch(kernel("twice"), "", 0.5);
  EXPECT_EQ(x[15], -11.5f);
  launch(kernel("twice"), "", true);
  EXPECT_EQ(x[15], -22.0f);
}

TEST(ApiLaunch, ConstantsGivenAsDtypeConvert) {
  std::vector<int32_t> x(16, 7);
  kernel("apply").launch({}, x, 16, constant("FUNCTION", kernel("twice")), constant("MODE", ""),
                         constant("DTYPE", triton::dtype::int8), constant("EXTRA", 200));
  EXPECT_EQ(x[0], int8_t(214));
}

namespace {
triton::TensorDescriptor describe(std::vector<float> &values, int64_t rows, int64_t columns) {
  triton::TensorDescriptor descriptor;
  descriptor.base = triton::pointer(values.data(), triton::dtype::float32, values.size() * sizeof(float));
  descriptor.shape = {rows, columns};
  descriptor.strides = {columns, 1};
  descriptor.blockShape = {4, 8};
  return descriptor;
}
} // namespace

TEST(ApiLaunch, TensorDescriptors) {
  for (const char *target : {"cpu", "sim:cuda:90"}) {
    std::vector<float> x = ascending<float>(24), out(48, -1.0f);
    triton::TensorDescriptor source = describe(x, 3, 8), result = describe(out, 4, 12);
    source.padding = triton::TensorDescriptor::Padding::NaN;
    kernel("shift").launch({.target = target}, source, triton::argument("by", 6), triton::argument("target", result));
    for (int row = 0; row < 4; ++row)
      for (int column = 0; column < 12; ++column) {
        float got = out[row * 12 + column];
        if (column < 6)
          EXPECT_EQ(got, -1.0f);
        else if (row < 3)
          EXPECT_EQ(got, float(row * 8 + column - 6));
        else
          EXPECT_TRUE(std::isnan(got));
      }
  }
}

TEST(ApiLaunch, TensorDescriptorsAreChecked) {
  std::vector<float> x(32), out(32);
  triton::TensorDescriptor good = describe(x, 4, 8), wrong = describe(out, 4, 8);
  auto expect = [&](const char *message) {
    triton::Status status = kernel("shift").tryLaunch({}, good, wrong, 0);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error()->kind(), triton::Error::Kind::Launch);
    EXPECT_NE(std::string(status.error()->what()).find(message), std::string::npos) << status.error()->what();
  };
  wrong.blockShape = {4, 6};
  expect("argument `target` (a tensor descriptor): the block dimension 6 is not a power of two");
  wrong = describe(out, 4, 8);
  wrong.strides = {6, 1};
  expect("the stride 6 of dimension 0 must be a multiple of 16 bytes, which are 4 elements");
  wrong.strides = {8};
  expect("it has 2 extents and 1 strides for a block of 2 dimensions");
}

TEST(ApiLaunch, TensorDescriptorsAreTypesOfSignatures) {
  triton::CompiledKernel compiled =
      kernel("shift").compile({}, triton::type("tensordesc<fp16[4, 8]>"), triton::type("tensordesc<fp16[4,8]>"), 3);
  EXPECT_NE(compiled.artifact("source").find("!tt.tensordesc<tensor<4x8xf16>>"), std::string::npos);
}

TEST(ApiLaunch, GridsInThreeDimensions) {
  std::vector<int32_t> out(std::size_t(2) * 3 * 4, -1);
  kernel("where_am_i").launch({.grid = {2, 3, 4}}, out);
  for (int z = 0; z < 4; ++z)
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 2; ++x)
        EXPECT_EQ(out[x + 2 * (y + 3 * z)], x + 10 * y + 100 * z);
  std::fill(out.begin(), out.end(), -1);
  kernel("where_am_i").launch({.grid = {0, 3, 4}}, out);
  EXPECT_EQ(out, std::vector<int32_t>(24, -1));
}

TEST(ApiLaunch, CompiledKernelsShowTheirStages) {
  triton::CompiledKernel compiled =
      kernel("scale").compile({.numWarps = 8}, triton::type("*fp32:16"), triton::type("*fp32"), 1.0f,
                              triton::type("i32"), constant("BLOCK", 32));
  EXPECT_EQ(compiled.name(), "scale");
  EXPECT_NE(compiled.artifact("ttir").find("tt.divisibility = 16"), std::string::npos);
  EXPECT_NE(compiled.artifact("asm").find("scale:"), std::string::npos);
  EXPECT_NE(compiled.metadata().find("\"num_warps\":8"), std::string::npos);
  EXPECT_EQ(compiled.artifactNames().front(), "source");
  EXPECT_THROW(compiled.artifact("cubin"), triton::Error);
}

TEST(ApiLaunch, OtherProcessorsCanBeCompiledFor) {
  triton::CompiledKernel compiled = kernel("scale").compile({.arch = "x86-64-v3"}, triton::type("*fp32"),
                                                            triton::type("*fp32"), 1.0f, triton::type("i32"));
  EXPECT_EQ(compiled.artifact("asm").find("zmm"), std::string::npos);
  std::vector<float> x = ascending<float>(64), out(64);
  kernel("scale").launch({.arch = "x86-64-v3"}, x, out, 2.0f, 64);
  EXPECT_EQ(out[5], 10.0f);
}

TEST(ApiLaunch, OptionsWithoutAMemberAreGivenByName) {
  std::vector<float> x(64), out(64);
  auto compile = [&](const char *registers) {
    return kernel("scale").compile({.target = "sim:cuda:90", .lineInfo = false, .extra = {{"maxnreg", registers}}}, x,
                                   out, 2.0f, 64);
  };
  EXPECT_NE(compile("64").metadata().find("\"maxnreg\":64"), std::string::npos);
  EXPECT_NO_THROW(compile("256")); // no limit, but what programs compute
  try {
    compile("300");
    FAIL() << "a thread has at most 255 registers";
  } catch (const triton::Error &error) {
    EXPECT_EQ(error.kind(), triton::Error::Kind::Compile);
    EXPECT_NE(std::string(error.what()).find("`maxnreg` is 300"), std::string::npos) << error.what();
  }
}

TEST(ApiLaunch, TheOccupancyCountsTheComputeUnitsThatAProgramMayHave) {
  auto expect = [&](const char *mode, const std::string &warps, const std::string &units) {
    triton::LaunchOptions options{.target = "hip:gfx1100", .explain = true, .extra = {{"wgp_cu_mode", mode}}};
    std::string text = kernel("scale")
                           .compile(options, triton::type("*fp32"), triton::type("*fp32"), 1.0f, triton::type("i32"))
                           .artifact("explain");
    EXPECT_NE(text.find("\"most_warps\": " + warps + ","), std::string::npos) << text;
    EXPECT_NE(text.find("\"multiprocessors\": " + units + ","), std::string::npos) << text;
  };
  expect("wgp", "64", "2");
  expect("cu", "32", "1");
}

TEST(ApiLaunch, OptionsSelectTheVariant) {
  std::vector<float> x = ascending<float>(64), out(64);
  triton::Kernel scale = kernel("scale");
  scale.launch({.target = "sim:cuda:90", .extra = {{"maxnreg", "64"}}}, x, out, 2.0f, 64);
  // If the options were not part of the key, this launch would find the variant of the previous one.
  EXPECT_THROW(scale.launch({.target = "sim:cuda:90", .extra = {{"maxnreg", "300"}}}, x, out, 2.0f, 64), triton::Error);
}

TEST(ApiLaunch, AWarmLaunchAllocatesNothing) {
  triton::Kernel nothing = kernel("nothing");
  std::vector<float> x(16);
  auto launch = [&] { nothing.launch({}, x, x, 16, 1.0f); };
  uint64_t before = allocations;
  launch();
  EXPECT_GT(allocations, before) << "the library's are counted, too";
  before = allocations;
  for (int i = 0; i < 1000; ++i)
    launch();
  EXPECT_EQ(allocations - before, 0u) << "in a thousand launches";
}
