#include <triton/packing.h>

#include <gtest/gtest.h>

namespace {

const char *const text = R"(
import triton
import triton.language as tl

@triton.jit
def product(a, b, out, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PANEL: tl.constexpr,
            GROUP: tl.constexpr):
    rows, columns = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), tl.int32)
    blocks = tl.cdiv(K, BK)
    for block in range(blocks):
        k = block * BK + tl.arange(0, BK)
        left = tl.load(a + rows[:, None] * K + k[None, :], mask=(rows[:, None] < M) & (k[None, :] < K), other=0)
        packed = tl.load(b + (tl.program_id(1) * blocks + block) * BN * BK + tl.arange(0, BN * BK))
        parts = tl.permute(tl.reshape(packed, (BN // PANEL, BK // GROUP, PANEL, GROUP)), (1, 3, 0, 2))
        total = tl.dot(left, tl.reshape(parts, (BK, BN)), total)
    tl.store(out + rows[:, None] * N + columns[None, :], total, mask=(rows[:, None] < M) & (columns[None, :] < N))
)";

TEST(PackOperand, GivesTheProduct) {
  constexpr int m = 5, n = 41, k = 70, blockM = 4, blockN = 16, blockK = 32;
  std::vector<int8_t> a(m * k), b(k * n);
  for (int i = 0; i < m * k; ++i)
    a[i] = int8_t(i * 37);
  for (int i = 0; i < k * n; ++i)
    b[i] = int8_t(i * 91);
  triton::PackedShape shape{k, n, blockK, blockN, blockM};
  std::vector<int8_t> packed(shape.elements(), 77);
  triton::OperandPacking packing = triton::packOperand(b.data(), n, triton::dtype::int8, shape, packed.data());
  std::vector<int32_t> out(m * n, -1);
  using triton::constant;
  triton::Module::fromString(text, "product.py")
      .kernel("product")
      .launch({.grid = {(m + blockM - 1) / blockM, int(shape.blocksOfColumns())}}, a, packed, out, m, n, k,
              constant("BM", blockM), constant("BN", blockN), constant("BK", blockK), constant("PANEL", packing.panel),
              constant("GROUP", packing.group));
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column) {
      int expected = 0;
      for (int i = 0; i < k; ++i)
        expected += a[row * k + i] * b[i * n + column];
      ASSERT_EQ(out[row * n + column], expected) << row << ", " << column;
    }
}

TEST(PackOperand, SaysWhatIsWrong) {
  float matrix[4] = {};
  auto message = [&](triton::DataType dtype, triton::PackedShape shape, std::string_view arch) -> std::string {
    try {
      triton::packOperand(matrix, 2, dtype, shape, matrix, arch);
    } catch (const triton::Error &error) {
      return error.message();
    }
    return "";
  };
  EXPECT_NE(message(triton::dtype::int64, {2, 2, 2, 2, 2}, "").find("elements of float32"), std::string::npos);
  EXPECT_EQ(message(triton::dtype::float32, {2, 2, 3, 2, 2}, ""), "the extents of blocks are powers of two, not 3");
  EXPECT_NE(message(triton::dtype::float32, {2, 2, 2, 2, 2}, "z80").find("`z80` is not a processor"),
            std::string::npos);
}

} // namespace
