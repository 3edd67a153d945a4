#include <triton/triton.h>

#include <gtest/gtest.h>

#include <fstream>

using triton::constant;
using Kind = triton::Error::Kind;

namespace {

const char *const kernels = R"(import triton
import triton.language as tl

@triton.jit
def copy(source, target, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(target + i, tl.load(source + i, mask=i < n), mask=i < n)

@triton.jit
def wrong(x):
    y = tl.arange(0, 10)
    tl.store(x + y, y)

@triton.jit
def checked(x, limit: tl.int32):
    tl.device_assert(limit > 3, "limit is too small")
    tl.store(x, limit)
)";

triton::Kernel kernel(const char *name) { return triton::Module::fromString(kernels, "kernels.py").kernel(name); }

/// Expects that `body` throws an Error of this kind whose text holds all of these.
template <typename Body> void expectError(Kind kind, std::initializer_list<const char *> expected, Body body) {
  try {
    body();
    ADD_FAILURE() << "no error";
  } catch (const triton::Error &error) {
    EXPECT_EQ(int(error.kind()), int(kind)) << error.what();
    for (const char *part : expected)
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << part << " in\n" << error.what();
  }
}

} // namespace

TEST(ApiError, AWrongLaunchNamesTheArgument) {
  std::vector<float> x(32);
  auto size = constant("BLOCK", 32);
  triton::Kernel copy = kernel("copy");
  expectError(Kind::Launch, {"`n`", "copy(source, target, n, BLOCK: tl.constexpr)", "missing"},
              [&] { copy.launch({}, x, x, size); });
  expectError(Kind::Launch, {"`BLOCK`", "missing"}, [&] { copy.launch({}, x, x, 32); });
  expectError(Kind::Launch, {"no parameter `BLOK`", "did you mean `BLOCK`?"},
              [&] { copy.launch({}, x, x, 32, constant("BLOK", 32)); });
  expectError(Kind::Launch, {"takes 4 arguments", "6 were given"}, [&] { copy.launch({}, x, x, 32, 1, 2, size); });
  expectError(Kind::Launch, {"two values for parameter `n`"},
              [&] { copy.launch({}, x, x, triton::argument("n", 1), triton::argument("n", 2), size); });
  expectError(Kind::Launch, {"`limit`", "the float 0.5", "integer"}, [&] { kernel("checked").launch({}, x, 0.5); });
  expectError(Kind::Launch, {"`BLOCK`", "tl.constexpr", "pointer"}, [&] { copy.launch({}, x, x, 32, x); });
  expectError(Kind::Launch, {"`source`", "only a type"}, [&] { copy.launch({}, triton::type("*fp32"), x, 32, size); });
}

TEST(ApiError, AWrongGridNamesTheExtent) {
  std::vector<float> x(32);
  expectError(Kind::Launch, {"grid extent 1", "-3"},
              [&] { kernel("copy").launch({.grid = {1, -3}}, x, x, 32, constant("BLOCK", 32)); });
  expectError(Kind::Launch, {"grid extent 0", "2147483648"},
              [&] { kernel("copy").launch({.grid = int64_t(1) << 31}, x, x, 32, constant("BLOCK", 32)); });
}

TEST(ApiError, AWrongKernelShowsItsLine) {
  std::vector<int32_t> x(32);
  expectError(Kind::Compile, {"kernels.py:11:", "tl.arange(0, 10)", "^"}, [&] { kernel("wrong").launch({}, x); });
  try {
    kernel("wrong").launch({}, x);
  } catch (const triton::Error &error) {
    EXPECT_EQ(error.line(), 11u);
    EXPECT_GT(error.column(), 1u);
    EXPECT_EQ(error.message().find('\n'), std::string::npos);
  }
}

TEST(ApiError, AFailedAssertTellsMessageLineAndProgram) {
  std::vector<int32_t> x(1);
  kernel("checked").launch({}, x, 1); // without debug, asserts are not compiled
  EXPECT_EQ(x[0], 1);
  expectError(Kind::Run, {"limit is too small", "kernels.py:16", "program (0, 0, 0)"},
              [&] { kernel("checked").launch({.debug = true}, x, 2); });
  EXPECT_EQ(x[0], 1);
  kernel("checked").launch({.debug = true}, x, 9);
  EXPECT_EQ(x[0], 9);
}

TEST(ApiError, StatusInsteadOfException) {
  std::vector<float> x(32);
  triton::Status bad = kernel("copy").tryLaunch({}, x);
  ASSERT_FALSE(bad);
  EXPECT_EQ(int(bad.error()->kind()), int(Kind::Launch));
  triton::Status good = kernel("copy").tryLaunch({}, x, x, 32, constant("BLOCK", 32));
  EXPECT_TRUE(good);
  EXPECT_EQ(good.error(), nullptr);
}

TEST(ApiError, FilesThatAreNoKernels) {
  expectError(Kind::Source, {"/no/such/file.py"}, [] { triton::Module::load("/no/such/file.py"); });
  expectError(Kind::Source, {"bad.py:2"}, [] { triton::Module::fromString("x = 1\ndef f(:\n", "bad.py"); });
  expectError(Kind::Source, {"bad.py"},
              [] { triton::Module::fromString(std::string("a = '\xff\xfe'\0", 9), "bad.py"); });
  expectError(Kind::Source, {"add", "copy", "wrong"}, [] { kernel("add"); });
}

TEST(ApiError, UnknownProcessorsAreNamed) {
  std::vector<float> x(32);
  expectError(Kind::Compile, {"abacus"},
              [&] { kernel("copy").launch({.arch = "abacus"}, x, x, 32, constant("BLOCK", 32)); });
}
