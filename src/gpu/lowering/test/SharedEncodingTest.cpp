// Buffers of all shared encodings give the same results: copies to a slot of a ring, views, reads for products.
#include "Harness.h"

#include "llvm/ADT/StringExtras.h"

#include <random>

namespace triton::gpu {
namespace {

/// X . transposed(X) for X of 64 x 64 halves. Asynchronous copies move X to slot 1 of a ring. It is read back as
/// operand A through the slot and as operand B through its transposed view. X itself is also written.
KernelText productKernel(const std::string &shared, const std::string &transposed) {
  std::string text = R"(
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#shared = SHARED
#transposed = TRANSPOSED
#smem = #ttg.shared_memory
#row = #ttg.slice<{dim = 1, parent = #blocked}>
#column = #ttg.slice<{dim = 0, parent = #blocked}>
#row1 = #ttg.slice<{dim = 1, parent = #mma}>
#column1 = #ttg.slice<{dim = 0, parent = #mma}>
tt.func public @kernel(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %product: !tt.ptr<f32> {tt.divisibility = 16 : i32},
                       %copy: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %width = arith.constant dense<64> : tensor<64x1xi32, #blocked>
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #row>
  %c = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #column>
  %r2 = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32, #row> -> tensor<64x1xi32, #blocked>
  %c2 = tt.expand_dims %c {axis = 0 : i32} : tensor<64xi32, #column> -> tensor<1x64xi32, #blocked>
  %r3 = arith.muli %r2, %width : tensor<64x1xi32, #blocked>
  %r4 = tt.broadcast %r3 : tensor<64x1xi32, #blocked> -> tensor<64x64xi32, #blocked>
  %c4 = tt.broadcast %c2 : tensor<1x64xi32, #blocked> -> tensor<64x64xi32, #blocked>
  %at = arith.addi %r4, %c4 : tensor<64x64xi32, #blocked>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #blocked>
  %px = tt.addptr %xs, %at : tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64xi32, #blocked>
  %ring = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable>
  %slot = ttg.memdesc_index %ring[%c1] : !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  %t = ttg.async_copy_global_to_local %px, %slot : tensor<64x64x!tt.ptr<f16>, #blocked> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  %g = ttg.async_commit_group tokens %t
  %w = ttg.async_wait %g {num = 0 : i32}
  %a = ttg.local_load %slot token %w : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf16, #a>
  %view = ttg.memdesc_trans %slot {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #transposed, #smem, mutable>
  %b = ttg.local_load %view token %w : !ttg.memdesc<64x64xf16, #transposed, #smem, mutable> -> tensor<64x64xf16, #b>
  %d = tt.dot %a, %b, %zero : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
  %e = ttg.convert_layout %d : tensor<64x64xf32, #mma> -> tensor<64x64xf32, #blocked>
  %ps = tt.splat %product : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #blocked>
  %pp = tt.addptr %ps, %at : tensor<64x64x!tt.ptr<f32>, #blocked>, tensor<64x64xi32, #blocked>
  tt.store %pp, %e : tensor<64x64x!tt.ptr<f32>, #blocked>
  %same = ttg.local_load %slot token %w : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf16, #blocked>
  %second = ttg.local_alloc %same : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
  %again = ttg.local_load %second : !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf16, #blocked>
  %third = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  ttg.local_store %again, %third : tensor<64x64xf16, #blocked> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  %last = ttg.local_load %third : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf16, #blocked>
  %cs = tt.splat %copy : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #blocked>
  %pc = tt.addptr %cs, %at : tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64xi32, #blocked>
  tt.store %pc, %last : tensor<64x64x!tt.ptr<f16>, #blocked>
  tt.return
})";
  auto replace = [&](const std::string &what, const std::string &by) {
    text.replace(text.find(what), what.size(), by);
  };
  replace("SHARED", shared);
  replace("TRANSPOSED", transposed);
  return {text};
}

std::string swizzled(const std::string &order) {
  return "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [" + order + "]}>";
}
std::string nvmma(int width, bool transposed) {
  return "#ttg.nvmma_shared<{swizzlingByteWidth = " + std::to_string(width) +
         ", transposed = " + (transposed ? "true" : "false") + ", elementBitWidth = 16}>";
}

/// The half of a small integer.
uint16_t half(int value) {
  if (value == 0)
    return 0;
  int magnitude = std::abs(value), exponent = 31 - __builtin_clz(unsigned(magnitude));
  return uint16_t((value < 0) << 15 | (exponent + 15) << 10 | (magnitude << (10 - exponent) & 0x3ff));
}

TEST(SharedEncodings, GiveTheSameResults) {
  std::mt19937 random(3);
  std::vector<int> values(64 * 64);
  std::vector<uint16_t> x;
  x.reserve(values.size());
  for (int &value : values)
    x.push_back(half(value = int(random() % 9) - 4));
  std::vector<std::pair<std::string, std::string>> encodings{{swizzled("1, 0"), swizzled("0, 1")}};
  for (int width : {0, 32, 64, 128})
    encodings.push_back({nvmma(width, false), nvmma(width, true)});
  for (int width : {32, 128})
    encodings.push_back({nvmma(width, true), nvmma(width, false)});
  for (const auto &[shared, transposed] : encodings) {
    std::vector<float> product(64 * 64, -1);
    std::vector<uint16_t> copy(64 * 64, 0x7e00);
    run(productKernel(shared, transposed), {x, product, copy});
    EXPECT_EQ(copy, x) << shared;
    for (int row = 0; row < 64; ++row)
      for (int column = 0; column < 64; ++column) {
        int sum = 0;
        for (int k = 0; k < 64; ++k)
          sum += values[row * 64 + k] * values[column * 64 + k];
        ASSERT_EQ(product[row * 64 + column], float(sum)) << shared;
      }
  }
}

/// 16-byte chunks of neighbouring rows are in different banks, so that ldmatrix loads operands and copies move 16
/// bytes.
TEST(SharedEncodings, ServeMatrixLoadsAndWideCopies) {
  for (int width : {32, 64, 128}) {
    std::string text = lowerToText(productKernel(nvmma(width, false), nvmma(width, true)));
    EXPECT_NE(text.find("ldmatrix"), std::string::npos);
    EXPECT_NE(text.find("cp.async.cg.shared.global.16"), std::string::npos);
  }
}

} // namespace
} // namespace triton::gpu
