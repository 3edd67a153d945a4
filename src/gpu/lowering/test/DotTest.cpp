// Compares matrix products with sums on the host. Operands come from registers or through shared memory.
#include "Harness.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>
#include <random>

namespace triton::gpu {

/// Lines that give `%name` the offsets row * COLS + col of a ROWS x COLS tensor in layout #LAYOUT.
static std::string offsets(const std::string &name, unsigned rows, unsigned columns, const std::string &layout) {
  return replaceAll(
      R"(
  %N_i = tt.make_range {end = ROWS : i32, start = 0 : i32} : tensor<ROWSxi32, #ttg.slice<{dim = 1, parent = LAYOUT}>>
  %N_j = tt.make_range {end = COLS : i32, start = 0 : i32} : tensor<COLSxi32, #ttg.slice<{dim = 0, parent = LAYOUT}>>
  %N_i2 = tt.expand_dims %N_i {axis = 1 : i32} : tensor<ROWSxi32, #ttg.slice<{dim = 1, parent = LAYOUT}>> -> tensor<ROWSx1xi32, LAYOUT>
  %N_j2 = tt.expand_dims %N_j {axis = 0 : i32} : tensor<COLSxi32, #ttg.slice<{dim = 0, parent = LAYOUT}>> -> tensor<1xCOLSxi32, LAYOUT>
  %N_c = arith.constant dense<COLS> : tensor<ROWSx1xi32, LAYOUT>
  %N_r = arith.muli %N_i2, %N_c : tensor<ROWSx1xi32, LAYOUT>
  %N_rb = tt.broadcast %N_r : tensor<ROWSx1xi32, LAYOUT> -> tensor<ROWSxCOLSxi32, LAYOUT>
  %N_cb = tt.broadcast %N_j2 : tensor<1xCOLSxi32, LAYOUT> -> tensor<ROWSxCOLSxi32, LAYOUT>
  %N = arith.addi %N_rb, %N_cb : tensor<ROWSxCOLSxi32, LAYOUT>)",
      {{"ROWS", std::to_string(rows)}, {"COLS", std::to_string(columns)}, {"LAYOUT", layout}, {"%N", "%" + name}});
}

static std::string tensor(unsigned rows, unsigned columns, const std::string &element, const std::string &layout) {
  return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) + "x" + element + ", " + layout + ">";
}

/// Lines that load `%name` from `%pointer`.
static std::string load(const std::string &name, unsigned rows, unsigned columns, const std::string &element) {
  std::string pointers = tensor(rows, columns, "!tt.ptr<" + element + ">", "#blocked");
  return offsets(name + "_at", rows, columns, "#blocked") + "\n  %" + name + "_s = tt.splat %" + name +
         "_p : !tt.ptr<" + element + "> -> " + pointers + "\n  %" + name + "_ps = tt.addptr %" + name + "_s, %" + name +
         "_at : " + pointers + ", " + tensor(rows, columns, "i32", "#blocked") + "\n  %" + name + " = tt.load %" +
         name + "_ps : " + pointers;
}

struct DotCase {
  std::string element, sum;
  std::string result, left, right; ///< encodings
  unsigned m = 32, n = 32, k = 64;
  /// How the operands reach their layouts: lines that define %a_op and %b_op from %a and %b.
  enum class Through { Registers, Shared, SharedTransposed } through = Through::Registers;
  unsigned capability = 90;
  bool loadsSum = false; ///< the accumulator comes from a buffer
};

static const char *const blocked =
    "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>";

static std::string matrix(unsigned warpsM, unsigned warpsN) {
  return "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [" + std::to_string(warpsM) + ", " +
         std::to_string(warpsN) + "], instrShape = [16, 8]}>";
}

static std::string operand(unsigned index, const std::string &parent, unsigned width) {
  return "#ttg.dot_op<{opIdx = " + std::to_string(index) + ", parent = " + parent +
         ", kWidth = " + std::to_string(width) + "}>";
}

/// Lines from %name in #blocked to %name_op in its operand's layout.
static std::string bring(const DotCase &test, const std::string &name, unsigned rows, unsigned columns,
                         const std::string &layout) {
  std::string from = tensor(rows, columns, test.element, "#blocked"), to = tensor(rows, columns, test.element, layout);
  if (test.through == DotCase::Through::Registers)
    return "\n  %" + name + "_op = ttg.convert_layout %" + name + " : " + from + " -> " + to;
  std::string shape = std::to_string(rows) + "x" + std::to_string(columns);
  std::string turned = std::to_string(columns) + "x" + std::to_string(rows);
  std::string buffer = "!ttg.memdesc<" + shape + "x" + test.element + ", #shared, #ttg.shared_memory>";
  if (test.through == DotCase::Through::Shared)
    return "\n  %" + name + "_m = ttg.local_alloc %" + name + " : (" + from + ") -> " + buffer + "\n  %" + name +
           "_op = ttg.local_load %" + name + "_m : " + buffer + " -> " + to;
  // The buffer contains the transpose, and is viewed as its transpose.
  std::string turnedTensor = tensor(columns, rows, test.element, "#turned");
  std::string turnedBuffer = "!ttg.memdesc<" + turned + "x" + test.element + ", #shared, #ttg.shared_memory>";
  std::string view = "!ttg.memdesc<" + shape + "x" + test.element + ", #shared_turned, #ttg.shared_memory>";
  return "\n  %" + name + "_t = tt.trans %" + name + " {order = array<i32: 1, 0>} : " + from + " -> " + turnedTensor +
         "\n  %" + name + "_m = ttg.local_alloc %" + name + "_t : (" + turnedTensor + ") -> " + turnedBuffer + "\n  %" +
         name + "_v = ttg.memdesc_trans %" + name + "_m {order = array<i32: 1, 0>} : " + turnedBuffer + " -> " + view +
         "\n  %" + name + "_op = ttg.local_load %" + name + "_v : " + view + " -> " + to;
}

/// Lines that define the accumulator, %sum.
static std::string zeroSum(const DotCase &test, const std::string &result) {
  std::string zero = test.sum == "i32" ? "0" : "0.0";
  auto constant = [&](llvm::StringRef name) {
    return ("\n  %" + name + " = arith.constant dense<" + zero + "> : " + result).str();
  };
  if (!test.loadsSum)
    return constant("sum");
  std::string buffer = "!ttg.memdesc<" + std::to_string(test.m) + "x" + std::to_string(test.n) + "x" + test.sum +
                       ", #shared, #ttg.shared_memory>";
  return constant("zero") + "\n  %zero_m = ttg.local_alloc %zero : (" + result + ") -> " + buffer +
         "\n  %sum = ttg.local_load %zero_m : " + buffer + " -> " + result;
}

static KernelText dotKernel(const DotCase &test) {
  std::string result = tensor(test.m, test.n, test.sum, "#result");
  std::string pointers = tensor(test.m, test.n, "!tt.ptr<" + test.sum + ">", "#result");
  return {std::string("#blocked = ") + blocked + R"(
#turned = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#shared_turned = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [0, 1]}>
#result = )" + test.result +
              "\n#left = " + test.left + "\n#right = " + test.right + "\ntt.func public @kernel(%a_p: !tt.ptr<" +
              test.element + ">, %b_p: !tt.ptr<" + test.element + ">, %c_p: !tt.ptr<" + test.sum + ">) {" +
              load("a", test.m, test.k, test.element) + load("b", test.k, test.n, test.element) +
              bring(test, "a", test.m, test.k, "#left") + bring(test, "b", test.k, test.n, "#right") +
              zeroSum(test, result) + "\n  %c = tt.dot %a_op, %b_op, %sum : " +
              tensor(test.m, test.k, test.element, "#left") + " * " + tensor(test.k, test.n, test.element, "#right") +
              " -> " + result + offsets("c_at", test.m, test.n, "#result") + "\n  %c_s = tt.splat %c_p : !tt.ptr<" +
              test.sum + "> -> " + pointers + "\n  %c_ps = tt.addptr %c_s, %c_at : " + pointers + ", " +
              tensor(test.m, test.n, "i32", "#result") + "\n  tt.store %c_ps, %c : " + pointers + "\n  tt.return\n}",
          4, test.capability};
}

/// Small integers, which are exact in every type; `encode` returns their bits.
template <typename Operand, typename Sum> static void testDot(const DotCase &test, Operand (*encode)(int)) {
  std::mt19937 generator(3);
  std::vector<int> a(test.m * test.k), b(test.k * test.n);
  for (int &value : a)
    value = int(generator() % 9) - 4;
  for (int &value : b)
    value = int(generator() % 9) - 4;
  std::vector<Operand> left, right;
  for (int value : a)
    left.push_back(encode(value));
  for (int value : b)
    right.push_back(encode(value));
  std::vector<Sum> out(test.m * test.n, Sum(-99));
  run(dotKernel(test), {left, right, out});
  for (unsigned i = 0; i < test.m; ++i)
    for (unsigned j = 0; j < test.n; ++j) {
      int expected = 0;
      for (unsigned k = 0; k < test.k; ++k)
        expected += a[i * test.k + k] * b[k * test.n + j];
      ASSERT_EQ(out[i * test.n + j], Sum(expected)) << i << ", " << j;
    }
}

static uint16_t encodeWith(const llvm::fltSemantics &format, int value) {
  llvm::APFloat number{float(value)};
  bool losesInfo;
  number.convert(format, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return uint16_t(number.bitcastToAPInt().getZExtValue());
}
static uint16_t encodeHalf(int value) { return encodeWith(llvm::APFloat::IEEEhalf(), value); }
static uint16_t encodeBFloat(int value) { return encodeWith(llvm::APFloat::BFloat(), value); }
static uint8_t encodeE4M3(int value) { return uint8_t(encodeWith(llvm::APFloat::Float8E4M3FN(), value)); }
static float encodeFloat(int value) { return float(value); }
static double encodeDouble(int value) { return value; }
static int8_t encodeByte(int value) { return int8_t(value); }

static DotCase matrixCase(std::string element, std::string sum, unsigned width, DotCase::Through through) {
  std::string parent = matrix(2, 2);
  return {std::move(element),
          std::move(sum),
          parent,
          operand(0, parent, width),
          operand(1, parent, width),
          32,
          32,
          64,
          through};
}

TEST(Dot, MultipliesOnOrdinaryUnits) {
  DotCase test{"f32", "f32", blocked, operand(0, blocked, 0), operand(1, blocked, 0), 16, 32, 16};
  testDot<float, float>(test, encodeFloat);
  test.element = "f16";
  testDot<uint16_t, float>(test, encodeHalf);
  test.element = "i8";
  test.sum = "i32";
  testDot<int8_t, int32_t>(test, encodeByte);
}

TEST(Dot, TakesAccumulatorsFromBuffers) {
  DotCase test{"f32", "f32", blocked, operand(0, blocked, 0), operand(1, blocked, 0), 16, 32, 16};
  test.loadsSum = true;
  testDot<float, float>(test, encodeFloat);
}

using Through = DotCase::Through;

class MatrixUnits : public testing::TestWithParam<Through> {};

TEST_P(MatrixUnits, MultiplyEveryType) {
  testDot<uint16_t, float>(matrixCase("f16", "f32", 2, GetParam()), encodeHalf);
  testDot<uint16_t, float>(matrixCase("bf16", "f32", 2, GetParam()), encodeBFloat);
  testDot<float, float>(matrixCase("f32", "f32", 1, GetParam()), encodeFloat);
  testDot<int8_t, int32_t>(matrixCase("i8", "i32", 4, GetParam()), encodeByte);
  testDot<double, double>(matrixCase("f64", "f64", 1, GetParam()), encodeDouble);
}

TEST_P(MatrixUnits, TakeWiderRunsOfK) {
  testDot<uint16_t, float>(matrixCase("f16", "f32", 4, GetParam()), encodeHalf);
  testDot<uint16_t, float>(matrixCase("f16", "f32", 8, GetParam()), encodeHalf);
  testDot<uint8_t, float>(matrixCase("f8E4M3FN", "f32", 4, GetParam()), encodeE4M3);
}

TEST_P(MatrixUnits, MultiplyDoublesBeforeHopper) {
  DotCase test = matrixCase("f64", "f64", 1, GetParam());
  test.capability = 80;
  testDot<double, double>(test, encodeDouble);
}

INSTANTIATE_TEST_SUITE_P(Dot, MatrixUnits,
                         testing::Values(Through::Registers, Through::Shared, Through::SharedTransposed));

/// The expected instruction must be used; a correct result alone is not enough.
TEST(Dot, LoadsOperandsByMatrix) {
  for (auto through : {Through::Shared, Through::SharedTransposed}) {
    std::string text = lowerToText(dotKernel(matrixCase("f16", "f32", 2, through)));
    EXPECT_NE(text.find("ldmatrix.sync.aligned.m8n8.x4.b16"), std::string::npos);
    EXPECT_NE(text.find("ldmatrix.sync.aligned.m8n8.x4.trans.b16"), std::string::npos);
  }
}

} // namespace triton::gpu
