// Asynchronous copies, atomic operations, gather and histogram.
#include "Harness.h"

#include <numeric>

namespace triton::gpu {

/// Copies 256 i32 through a buffer. `body` copies them from %ps (with %mask for the first 200) to %b, a tensor.
static KernelText bufferKernel(const std::string &copy) {
  return {R"(
#blocked = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func public @kernel(%a: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #blocked>
  %limit = arith.constant dense<200> : tensor<256xi32, #blocked>
  %mask = arith.cmpi slt, %i, %limit : tensor<256xi32, #blocked>
  %other = arith.constant dense<7> : tensor<256xi32, #blocked>
  %s = tt.splat %a : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #blocked>
  %ps = tt.addptr %s, %i : tensor<256x!tt.ptr<i32>, #blocked>, tensor<256xi32, #blocked>
  %buffers = ttg.local_alloc : () -> !ttg.memdesc<2x256xi32, #shared, #ttg.shared_memory, mutable>
  %buffer = ttg.memdesc_index %buffers[%c1] : !ttg.memdesc<2x256xi32, #shared, #ttg.shared_memory, mutable> -> !ttg.memdesc<256xi32, #shared, #ttg.shared_memory, mutable>
)" + copy +
          R"(
  %b = ttg.local_load %buffer : !ttg.memdesc<256xi32, #shared, #ttg.shared_memory, mutable> -> tensor<256xi32, #blocked>
  %os = tt.splat %out : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #blocked>
  %po = tt.addptr %os, %i : tensor<256x!tt.ptr<i32>, #blocked>, tensor<256xi32, #blocked>
  tt.store %po, %b : tensor<256x!tt.ptr<i32>, #blocked>
  tt.return
})"};
}

static const char *const asynchronousCopy = R"(
  %t = ttg.async_copy_global_to_local %ps, %buffer mask %mask OTHER : tensor<256x!tt.ptr<i32>, #blocked> -> !ttg.memdesc<256xi32, #shared, #ttg.shared_memory, mutable>
  %g = ttg.async_commit_group tokens %t
  %w = ttg.async_wait %g {num = 0 : i32})";

static std::string copyWith(const std::string &other) {
  std::string text = asynchronousCopy;
  return text.replace(text.find("OTHER"), 5, other);
}

TEST(AsyncCopy, FillsWithZerosWhereMasked) {
  std::vector<int32_t> in(256), out(256, -1);
  std::iota(in.begin(), in.end(), 1000);
  KernelText kernel = bufferKernel(copyWith(""));
  EXPECT_NE(lowerToText(kernel).find("cp.async.ca.shared.global.8.s"), std::string::npos);
  run(kernel, {in, out});
  for (int i = 0; i < 256; ++i)
    ASSERT_EQ(out[i], i < 200 ? in[i] : 0);
}

/// The instruction can only fill with zeros.
TEST(AsyncCopy, FillsWithOtherValues) {
  std::vector<int32_t> in(256), out(256, -1);
  std::iota(in.begin(), in.end(), 1000);
  run(bufferKernel(copyWith("other %other")), {in, out});
  for (int i = 0; i < 256; ++i)
    ASSERT_EQ(out[i], i < 200 ? in[i] : 7);
}

/// Hints about caches become qualifiers of the instruction, and do not change values.
template <typename T>
static void testHints(const std::string &element, const std::string &load, const std::string &store) {
  std::string text = R"(
tt.func public @kernel(%a: !tt.ptr<ELT> {tt.divisibility = 16 : i32}, %out: !tt.ptr<ELT> {tt.divisibility = 16 : i32}) {
  %i = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #blocked>
  %limit = arith.constant dense<400> : tensor<512xi32, #blocked>
  %mask = arith.cmpi slt, %i, %limit : tensor<512xi32, #blocked>
  %other = arith.constant dense<5> : tensor<512xELT, #blocked>
  %s = tt.splat %a : !tt.ptr<ELT> -> tensor<512x!tt.ptr<ELT>, #blocked>
  %ps = tt.addptr %s, %i : tensor<512x!tt.ptr<ELT>, #blocked>, tensor<512xi32, #blocked>
  %x = tt.load %ps, %mask, %other cacheModifier = cg : tensor<512x!tt.ptr<ELT>, #blocked>
  %y = tt.load %ps evictionPolicy = evict_last : tensor<512x!tt.ptr<ELT>, #blocked>
  %z = arith.addi %x, %y : tensor<512xELT, #blocked>
  %os = tt.splat %out : !tt.ptr<ELT> -> tensor<512x!tt.ptr<ELT>, #blocked>
  %po = tt.addptr %os, %i : tensor<512x!tt.ptr<ELT>, #blocked>, tensor<512xi32, #blocked>
  tt.store %po, %z, %mask cacheModifier = wt : tensor<512x!tt.ptr<ELT>, #blocked>
  tt.return
})";
  for (std::size_t at; (at = text.find("ELT")) != std::string::npos;)
    text.replace(at, 3, element);
  KernelText kernel{
      "#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>" + text};
  std::string lowered = lowerToText(kernel);
  EXPECT_NE(lowered.find(load), std::string::npos) << lowered;
  EXPECT_NE(lowered.find(store), std::string::npos) << lowered;
  std::vector<T> in(512), out(512, T(-1));
  for (int i = 0; i < 512; ++i)
    in[i] = T(i % 50);
  run(kernel, {in, out});
  for (int i = 0; i < 512; ++i)
    ASSERT_EQ(out[i], i < 400 ? T(2 * in[i]) : T(-1)) << i;
}

TEST(Memory, ExpressesHintsAboutCaches) {
  testHints<int32_t>("i32", "@$5 ld.global.cg.v4.b32 {$0, $1, $2, $3}, [$4];",
                     "@$5 st.global.wt.v4.b32 [$0], {$1, $2, $3, $4};");
  testHints<int64_t>("i64", "ld.global.L1::evict_last.v4.b32 {$0, $1, $2, $3}, [$4];", "st.global.wt.v4.b32");
  testHints<int16_t>("i16", "@$3 ld.global.cg.v2.b32 {$0, $1}, [$2];", "@$3 st.global.wt.v2.b32 [$0], {$1, $2};");
  testHints<int8_t>("i8", "@$2 ld.global.cg.b32 $0, [$1];", "@$2 st.global.wt.b32 [$0], $1;");
}

TEST(Atomics, AddEachElementOnceHoweverManyCopies) {
  // 32 elements over 128 threads: four warps hold copies, and all need the old values.
  std::vector<int32_t> counters(32), out(32, -1);
  std::iota(counters.begin(), counters.end(), 100);
  run({R"(
#l = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
tt.func public @kernel(%a: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #l>
  %five = arith.constant dense<5> : tensor<32xi32, #l>
  %s = tt.splat %a : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>, #l>
  %ps = tt.addptr %s, %i : tensor<32x!tt.ptr<i32>, #l>, tensor<32xi32, #l>
  %old = tt.atomic_rmw add, acq_rel, gpu, %ps, %five : (tensor<32x!tt.ptr<i32>, #l>, tensor<32xi32, #l>) -> tensor<32xi32, #l>
  %back = ttg.convert_layout %old : tensor<32xi32, #l> -> tensor<32xi32, #ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>}>>
  %j = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>}>>
  %os = tt.splat %out : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>}>>
  %po = tt.addptr %os, %j : tensor<32x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>}>>, tensor<32xi32, #ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>}>>
  tt.store %po, %back : tensor<32x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>}>>
  tt.return
})"},
      {counters, out}, 1);
  for (int i = 0; i < 32; ++i) {
    ASSERT_EQ(out[i], 100 + i);
    ASSERT_EQ(counters[i], 105 + i);
  }
}

TEST(Atomics, AllThreadsSeeTheOldValueOfAScalar) {
  std::vector<int32_t> cell{40}, out(128, -1);
  run({R"(
tt.func public @kernel(%a: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %c40 = arith.constant 40 : i32
  %c41 = arith.constant 41 : i32
  %old = tt.atomic_cas acq_rel, gpu, %a, %c40, %c41 : (!tt.ptr<i32>, i32, i32) -> i32
  %olds = tt.splat %old : i32 -> tensor<128xi32>
  %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %os = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %po = tt.addptr %os, %i : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  tt.store %po, %olds : tensor<128x!tt.ptr<i32>>
  tt.return
})"},
      {cell, out});
  EXPECT_EQ(cell[0], 41);
  EXPECT_EQ(out, std::vector<int32_t>(128, 40));
}

TEST(Gather, PicksAlongTheAxis) {
  std::vector<int32_t> in(256), indices(256), out(256, -1);
  for (int i = 0; i < 256; ++i) {
    in[i] = i * 3;
    indices[i] = (i * 77 + 5) % 16;
  }
  run({R"(
tt.func public @kernel(%a: !tt.ptr<i32>, %x: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %s = tt.splat %a : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %ps = tt.addptr %s, %i : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  %v = tt.load %ps : tensor<256x!tt.ptr<i32>>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %px = tt.addptr %xs, %i : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  %n = tt.load %px : tensor<256x!tt.ptr<i32>>
  %v2 = tt.reshape %v : tensor<256xi32> -> tensor<16x16xi32>
  %n2 = tt.reshape %n : tensor<256xi32> -> tensor<16x16xi32>
  %g2 = tt.gather %v2[%n2] {axis = 0 : i32} : (tensor<16x16xi32>, tensor<16x16xi32>) -> tensor<16x16xi32>
  %g = tt.reshape %g2 : tensor<16x16xi32> -> tensor<256xi32>
  %os = tt.splat %out : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %po = tt.addptr %os, %i : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  tt.store %po, %g : tensor<256x!tt.ptr<i32>>
  tt.return
})"},
      {in, indices, out});
  for (int i = 0; i < 256; ++i)
    ASSERT_EQ(out[i], in[indices[i] * 16 + i % 16]) << i;
}

TEST(Histogram, CountsEachElementOnceHoweverManyCopies) {
  std::vector<int32_t> in(64), out(16, -1), expected(16, 0);
  for (int i = 0; i < 64; ++i) {
    in[i] = (i * i) % 16;
    if (i < 60)
      ++expected[in[i]];
  }
  run({R"(
tt.func public @kernel(%a: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %limit = arith.constant dense<60> : tensor<64xi32>
  %mask = arith.cmpi slt, %i, %limit : tensor<64xi32>
  %s = tt.splat %a : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %ps = tt.addptr %s, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %v = tt.load %ps : tensor<64x!tt.ptr<i32>>
  %h = tt.histogram %v, %mask : tensor<64xi32> -> tensor<16xi32>
  %j = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %os = tt.splat %out : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %po = tt.addptr %os, %j : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  tt.store %po, %h : tensor<16x!tt.ptr<i32>>
  tt.return
})"},
      {in, out});
  EXPECT_EQ(out, expected);
}

} // namespace triton::gpu
