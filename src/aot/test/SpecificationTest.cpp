#include "aot/Specification.h"
#include "aot/Errors.h"
#include "backends/nvidia/lowering/Capability.h"
#include "triton/bundle.h"

#include "gtest/gtest.h"

using namespace triton::aot;

static Request request(const std::string &signature, const std::string &grid = "n, 1, 1") {
  Request request;
  request.kernelName = "addk";
  request.signature = signature;
  request.grid = grid;
  request.numWarps = 4;
  request.parameters = {{"x"}, {"y"}, {"n"}, {"BLOCK", true}};
  return request;
}

/// The message of the error that reading the request ends in.
static std::string failure(const Request &request) {
  try {
    readSpecification(request);
  } catch (const Error &error) {
    return error.what();
  }
  return "none";
}

// The names are those that Triton 3.9 gave for the same arguments.
TEST(Specification, NamesAreTritons) {
  Specification result = readSpecification(request("*fp32:16, *fp32:16, i32:1, 64", "(n+63)/64,1,1"));
  EXPECT_EQ(result.functionName, "addk_f01625bd_0d1d2c");
  EXPECT_EQ(result.algorithm, "64x1_warps4xstages3");
  EXPECT_EQ(result.grid[0], "((1)+63)/64");
}

TEST(Specification, ConstantsAreWrittenAsPythonWritesThem) {
  Request given = request("*fp32, 0.5, -3, 1e-05");
  given.parameters = {{"x"}, {"a", true}, {"b", true}, {"c", true}};
  given.grid = "a, b, c";
  Specification result = readSpecification(given);
  EXPECT_EQ(result.algorithm, "0p5xm3x1em05_warps4xstages3");
  EXPECT_EQ(result.describedConstants, "a=0.5, b=-3, c=1e-05, num_warps=4, num_stages=3");
  EXPECT_EQ(result.grid[1], "(-3)");
  EXPECT_TRUE(result.functionName.ends_with("_")) << "no parameter has a hint";
}

TEST(Specification, IntegersOfAnyWidth) {
  Request given = request("*fp32, 99999999999999999999, 017, 0x10");
  given.parameters = {{"x"}, {"a", true}, {"b", true}, {"c", true}};
  given.grid = "1, 1, 1";
  EXPECT_EQ(readSpecification(given).algorithm, "99999999999999999999x17x16_warps4xstages3");
}

TEST(Specification, NamesOfParametersAreNamesOfC) {
  Request given = request("i32, i32, i32, i32, i32, i32, i32");
  given.parameters = {{"new"}, {"new_"}, {"stream"}, {"tt_x"}, {"_Bool"}, {"\xC3\xA9"}, {"n"}};
  std::vector<std::string> names;
  for (const Parameter &parameter : readSpecification(given).parameters)
    names.push_back(parameter.cName);
  EXPECT_EQ(names, (std::vector<std::string>{"new_", "new__", "stream_", "ptt_x", "p_Bool", "_xc3_xa9", "n"}));
}

TEST(Specification, ItemsByNameAndDefaults) {
  Request given = request("*fp32, n=i32:16, *fp16", "(n + BLOCK2) / 2, 1, 1");
  given.parameters = {{"x"}, {"n"}, {"y"}, {"BLOCK2", true, true}};
  EXPECT_NE(failure(given).find("`BLOCK2` has no number in the signature"), std::string::npos) << failure(given);
  given.signature += ", BLOCK2=8";
  Specification result = readSpecification(given);
  EXPECT_EQ(result.grid[0], "(n + (8)) / 2");
  EXPECT_TRUE(result.functionName.ends_with("_1d"));
  EXPECT_EQ(result.parameters[2].type.str(), "*fp16");
}

TEST(Specification, MistakesNameTheArgument) {
  auto expect = [](const std::string &signature, const std::string &grid, const std::string &message) {
    std::string found = failure(request(signature, grid));
    EXPECT_NE(found.find(message), std::string::npos) << found;
  };
  expect("*fp32, *fp32, i32", "n, 1, 1", "argument `BLOCK`: the signature has 3 items and none for this parameter");
  expect("*fp32, *fp32, i32, 64, 1", "n, 1, 1", "has 5 items, but the kernel `addk(x, y, n, BLOCK)` has 4 parameters");
  expect("*fp32, *fp32, i32, i32", "n, 1, 1", "argument `BLOCK`: it is a `tl.constexpr` and needs a constant");
  expect("*fp32, float33, i32, 64", "n, 1, 1", "argument `y`: `float33` is neither a type nor a constant");
  expect("*fp32, , i32, 64", "n, 1, 1", "argument `y`: its item in the signature is empty");
  expect("*fp32:8, *fp32, i32, 64", "n, 1, 1", "argument `x`: there is no hint `8`");
  expect("*fp32:, *fp32, i32, 64", "n, 1, 1", "argument `x`: `*fp32:`: a hint must follow the colon");
  expect("*fp32:1, *fp32, i32, 64", "n, 1, 1", "argument `x`: the hint 1 is for integers");
  expect("*fp32, *fp32, fp32:16, 64", "1, 1, 1", "argument `n`: the hint 16 is for pointers and integers");
  expect("*fp32, *fp32, i32, 64:16", "n, 1, 1", "argument `BLOCK`: `64:16`: a constant has no hint");
  expect("*fp32, *fp32, fp8e5, 64", "1, 1, 1", "argument `n`: numbers of type `fp8e5` are not passed by value");
  expect("tensordesc<fp16[64]>, *fp32, i32, 64", "n, 1, 1", "argument `x`: ahead-of-time compiled kernels take no");
  expect("*fp32, *fp32, i32, m=64", "n, 1, 1", "the signature names `m`, which is not a parameter");
  expect("*fp32, *fp32, i32, n=i32, 64", "n, 1, 1", "has 5 items");
  expect("*fp32, *fp32, n=i32, n=i32, 64", "n, 1, 1", "argument `n`: the signature has two items for it");
  expect("*fp32, *fp32, i32, 64", "n, 1", "grid: `n, 1` has 2 expressions");
  expect("*fp32, *fp32, i32, 64", "n, 1, 1, 1", "has 4 expressions");
  expect("*fp32, *fp32, i32, 64", "n, , 1", "grid: ``: this is not an expression of C");
  expect("*fp32, *fp32, i32, 64", "n, (1, 1", "grid: `n, (1, 1` has 2 expressions");
  expect("*fp32, *fp32, i32, 64", "m, 1, 1", "grid: `m`: `m` is not a parameter of the kernel");
  expect("*fp32, *fp32, i32, 64", "x, 1, 1", "grid: `x`: `x` is a pointer");
}

TEST(Specification, NamesAndCounts) {
  Request given = request("*fp32, *fp32, i32, 64");
  given.outName = "9lives";
  EXPECT_NE(failure(given).find("the out name `9lives` is not an identifier"), std::string::npos);
  given.outName = "lives";
  EXPECT_TRUE(readSpecification(given).functionName.starts_with("lives_"));
  given.numWarps = 3;
  EXPECT_NE(failure(given).find("num_warps is 3"), std::string::npos);
}

TEST(Specification, GridsAreExpressionsOfC) {
  for (const char *grid : {"(n + 63) / 64", "-n", "n > 0 ? n : 1", "(int64_t)n * 2", "sizeof(int) + 0x10u", "~(n - -1)",
                           "(unsigned long)(n) << 3 | n % 2", "1.5", "n != 0 && !(n == 2)", "(((n)))"})
    EXPECT_EQ(failure(request("*fp32, *fp32, i32, 64", std::string(grid) + ", 1, 1")), "none") << grid;
  const std::pair<const char *, const char *> wrong[] = {
      {"n +", "grid: `n +`: an operand is missing at the end"},
      {"* n", "grid: `* n`: an operand is missing before `*`"},
      {"n BLOCK", "grid: `n BLOCK`: `BLOCK` cannot follow `n`"},
      {"n (n)", "grid: `n (n)`: `(` cannot follow `n`"},
      {"n)", "grid: `n)`: `)` cannot follow `n`"},
      {"n // 64", "grid: `n // 64`: `//` begins a comment in C; `/` divides integers"},
      {"n ** 2", "grid: `n ** 2`: C has no operator `**`"},
      {"n--n", "grid: `n--n`: `--` changes a variable in C; put a space between"},
      {"n = 2", "grid: `n = 2`: `=` cannot follow `n`"},
      {"n ? 1", "grid: `n ? 1`: `:` is missing"},
      {"(n, 1)", "grid: `(n, 1)`: `)` is missing"},
      {"(int)", "grid: `(int)`: an operand is missing at the end"},
      {"", "grid: ``: this is not an expression of C"},
  };
  for (auto [grid, message] : wrong)
    EXPECT_EQ(failure(request("*fp32, *fp32, i32, 64", std::string(grid) + ", 1, 1")), message);
}

TEST(Bundle, ReadersAndTheBackendAgreeWhichCodeIsForOneArchitecture) {
  for (unsigned capability : {75, 80, 86, 89, 90, 100, 103, 120})
    EXPECT_EQ(triton::nvidia::isForOneArchitecture(capability), int(capability) >= TRITON_BUNDLE_EXACT_CAPABILITY);
}
