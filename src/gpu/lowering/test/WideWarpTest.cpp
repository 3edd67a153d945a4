// Whole kernels on a machine whose warps have 64 lanes, through all passes of the stage ttgir. No part of the middle
// end may know another number of lanes, or a backend's instructions.
#include "Harness.h"

#include <cmath>
#include <numeric>
#include <random>

namespace triton::gpu {

static KernelText wide(const char *module, unsigned warps = 4) {
  return {.module = module, .warps = warps, .isWide = true, .isOptimized = true};
}

static std::vector<int32_t> randomWords(std::size_t count, int32_t bound) {
  std::mt19937 generator(5);
  std::vector<int32_t> words(count);
  for (int32_t &word : words)
    word = int32_t(generator() % unsigned(bound));
  return words;
}

TEST(WideWarps, ComputeElementsUpToATail) {
  std::vector<int32_t> x = randomWords(2000, 1000), y = randomWords(2000, 77), out(2000, -1);
  run(wide(R"(
tt.func public @kernel(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<i32> {tt.divisibility = 16 : i32},
                       %out: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %n: i32) {
  %p = tt.get_program_id x : i32
  %c1024 = arith.constant 1024 : i32
  %start = arith.muli %p, %c1024 : i32
  %starts = tt.splat %start : i32 -> tensor<1024xi32>
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %i = arith.addi %starts, %r : tensor<1024xi32>
  %ns = tt.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %px = tt.addptr %xs, %i : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %py = tt.addptr %ys, %i : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %vx = tt.load %px, %m : tensor<1024x!tt.ptr<i32>>
  %vy = tt.load %py, %m : tensor<1024x!tt.ptr<i32>>
  %product = arith.muli %vx, %vy : tensor<1024xi32>
  %os = tt.splat %out : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %po = tt.addptr %os, %i : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  tt.store %po, %product, %m : tensor<1024x!tt.ptr<i32>>
  tt.return
})"),
      {x, y, out, 1999}, 2);
  for (std::size_t i = 0; i < 2000; ++i)
    ASSERT_EQ(out[i], i < 1999 ? x[i] * y[i] : -1) << i;
}

TEST(WideWarps, NormalizeRows) {
  std::vector<float> in(512), out(512, -1);
  std::mt19937 generator(3);
  for (float &value : in)
    value = float(generator() % 1000) / 100;
  run(wide(R"(
tt.func public @kernel(%in: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %i = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %ins = tt.splat %in : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %pi = tt.addptr %ins, %i : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %x = tt.load %pi : tensor<512x!tt.ptr<f32>>
  %most = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<512xf32>) -> f32
  %mosts = tt.splat %most : f32 -> tensor<512xf32>
  %shifted = arith.subf %x, %mosts : tensor<512xf32>
  %e = math.exp2 %shifted : tensor<512xf32>
  %sum = "tt.reduce"(%e) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<512xf32>) -> f32
  %sums = tt.splat %sum : f32 -> tensor<512xf32>
  %y = arith.divf %e, %sums : tensor<512xf32>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %po = tt.addptr %outs, %i : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  tt.store %po, %y : tensor<512x!tt.ptr<f32>>
  tt.return
})"),
      {in, out});
  float most = *std::max_element(in.begin(), in.end());
  double sum = 0;
  for (float value : in)
    sum += std::exp2(double(value) - most);
  for (std::size_t i = 0; i < in.size(); ++i)
    ASSERT_NEAR(out[i], std::exp2(double(in[i]) - most) / sum, 1e-6) << i;
}

TEST(WideWarps, TransposeTiles) {
  std::vector<int32_t> in(64 * 32), out(64 * 32, -1);
  std::iota(in.begin(), in.end(), 1);
  run(wide(R"(
tt.func public @kernel(%in: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %j = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %i2 = tt.expand_dims %i {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %j2 = tt.expand_dims %j {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %c32 = arith.constant dense<32> : tensor<64x1xi32>
  %rows = arith.muli %i2, %c32 : tensor<64x1xi32>
  %rows2 = tt.broadcast %rows : tensor<64x1xi32> -> tensor<64x32xi32>
  %columns2 = tt.broadcast %j2 : tensor<1x32xi32> -> tensor<64x32xi32>
  %from = arith.addi %rows2, %columns2 : tensor<64x32xi32>
  %ins = tt.splat %in : !tt.ptr<i32> -> tensor<64x32x!tt.ptr<i32>>
  %pi = tt.addptr %ins, %from : tensor<64x32x!tt.ptr<i32>>, tensor<64x32xi32>
  %x = tt.load %pi : tensor<64x32x!tt.ptr<i32>>
  %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<64x32xi32> -> tensor<32x64xi32>
  %k2 = tt.expand_dims %j {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %l2 = tt.expand_dims %i {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %c64 = arith.constant dense<64> : tensor<32x1xi32>
  %to_rows = arith.muli %k2, %c64 : tensor<32x1xi32>
  %to_rows2 = tt.broadcast %to_rows : tensor<32x1xi32> -> tensor<32x64xi32>
  %to_columns2 = tt.broadcast %l2 : tensor<1x64xi32> -> tensor<32x64xi32>
  %to = arith.addi %to_rows2, %to_columns2 : tensor<32x64xi32>
  %outs = tt.splat %out : !tt.ptr<i32> -> tensor<32x64x!tt.ptr<i32>>
  %po = tt.addptr %outs, %to : tensor<32x64x!tt.ptr<i32>>, tensor<32x64xi32>
  tt.store %po, %t : tensor<32x64x!tt.ptr<i32>>
  tt.return
})"),
      {in, out});
  for (unsigned row = 0; row < 64; ++row)
    for (unsigned column = 0; column < 32; ++column)
      ASSERT_EQ(out[column * 64 + row], in[row * 32 + column]);
}

TEST(WideWarps, GatherAndCount) {
  std::vector<int32_t> values = randomWords(256, 1 << 20), places = randomWords(256, 256), gathered(256, -1),
                       counts(64, -1);
  run(wide(R"(
tt.func public @kernel(%v: !tt.ptr<i32>, %p: !tt.ptr<i32>, %out: !tt.ptr<i32>, %counts: !tt.ptr<i32>) {
  %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %vs = tt.splat %v : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %pv = tt.addptr %vs, %i : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  %x = tt.load %pv : tensor<256x!tt.ptr<i32>>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %pp = tt.addptr %ps, %i : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  %places = tt.load %pp : tensor<256x!tt.ptr<i32>>
  %g = tt.gather %x[%places] {axis = 0 : i32} : (tensor<256xi32>, tensor<256xi32>) -> tensor<256xi32>
  %outs = tt.splat %out : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %po = tt.addptr %outs, %i : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  tt.store %po, %g : tensor<256x!tt.ptr<i32>>
  %c63 = arith.constant dense<63> : tensor<256xi32>
  %bins = arith.andi %places, %c63 : tensor<256xi32>
  %h = tt.histogram %bins : tensor<256xi32> -> tensor<64xi32>
  %j = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %cs = tt.splat %counts : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %pc = tt.addptr %cs, %j : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %pc, %h : tensor<64x!tt.ptr<i32>>
  tt.return
})",
           /*warps=*/2),
      {values, places, gathered, counts});
  std::vector<int32_t> expected(64, 0);
  for (std::size_t i = 0; i < places.size(); ++i) {
    ASSERT_EQ(gathered[i], values[std::size_t(places[i])]) << i;
    ++expected[std::size_t(places[i] & 63)];
  }
  EXPECT_EQ(counts, expected);
}

/// Each element is added once, whichever threads hold copies. A scalar addition is done once for the whole program, and
/// all threads get its old value.
TEST(WideWarps, AddAtomically) {
  std::vector<int32_t> counters(64, 100), total{0}, out(64, -1);
  run(wide(R"(
tt.func public @kernel(%counters: !tt.ptr<i32>, %total: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %cs = tt.splat %counters : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %pc = tt.addptr %cs, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %true = arith.constant dense<true> : tensor<64xi1>
  %old = tt.atomic_rmw add, acq_rel, gpu, %pc, %i, %true : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>, tensor<64xi1>) -> tensor<64xi32>
  %yes = arith.constant true
  %c5 = arith.constant 5 : i32
  %before = tt.atomic_rmw add, acq_rel, gpu, %total, %c5, %yes : (!tt.ptr<i32>, i32, i1) -> i32
  %befores = tt.splat %before : i32 -> tensor<64xi32>
  %sum = arith.addi %old, %befores : tensor<64xi32>
  %os = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %po = tt.addptr %os, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %po, %sum : tensor<64x!tt.ptr<i32>>
  tt.return
})"),
      {counters, total, out});
  EXPECT_EQ(total[0], 5);
  for (int32_t i = 0; i < 64; ++i) {
    EXPECT_EQ(counters[std::size_t(i)], 100 + i);
    EXPECT_EQ(out[std::size_t(i)], 100);
  }
}

/// A product on ordinary units whose tiles are copied ahead through a ring of buffers in shared memory.
TEST(WideWarps, MultiplyMatricesInAPipelinedLoop) {
  constexpr unsigned size = 32, depth = 96;
  std::vector<float> a(size * depth), b(depth * size), c(size * size, -1);
  std::mt19937 generator(9);
  for (std::vector<float> *matrix : {&a, &b})
    for (float &value : *matrix)
      value = float(int(generator() % 17) - 8);
  KernelText text = wide(R"(
tt.func public @kernel(%a: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f32> {tt.divisibility = 16 : i32},
                       %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %column = tt.expand_dims %i {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %row = tt.expand_dims %i {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %c96 = arith.constant dense<96> : tensor<32x1xi32>
  %c32 = arith.constant dense<32> : tensor<32x1xi32>
  %ra = arith.muli %column, %c96 : tensor<32x1xi32>
  %rb = arith.muli %column, %c32 : tensor<32x1xi32>
  %ra2 = tt.broadcast %ra : tensor<32x1xi32> -> tensor<32x32xi32>
  %rb2 = tt.broadcast %rb : tensor<32x1xi32> -> tensor<32x32xi32>
  %row2 = tt.broadcast %row : tensor<1x32xi32> -> tensor<32x32xi32>
  %oa = arith.addi %ra2, %row2 : tensor<32x32xi32>
  %ob = arith.addi %rb2, %row2 : tensor<32x32xi32>
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %pa = tt.addptr %as, %oa : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %bs = tt.splat %b : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %pb = tt.addptr %bs, %ob : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %zero = arith.constant dense<0.000000e+00> : tensor<32x32xf32>
  %lower = arith.constant 0 : i32
  %upper = arith.constant 3 : i32
  %step = arith.constant 1 : i32
  %next_a = arith.constant dense<32> : tensor<32x32xi32>
  %next_b = arith.constant dense<1024> : tensor<32x32xi32>
  %r:3 = scf.for %k = %lower to %upper step %step iter_args(%acc = %zero, %qa = %pa, %qb = %pb)
      -> (tensor<32x32xf32>, tensor<32x32x!tt.ptr<f32>>, tensor<32x32x!tt.ptr<f32>>) : i32 {
    %x = tt.load %qa : tensor<32x32x!tt.ptr<f32>>
    %y = tt.load %qb : tensor<32x32x!tt.ptr<f32>>
    %d = tt.dot %x, %y, %acc : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
    %ta = tt.addptr %qa, %next_a : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
    %tb = tt.addptr %qb, %next_b : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
    scf.yield %d, %ta, %tb : tensor<32x32xf32>, tensor<32x32x!tt.ptr<f32>>, tensor<32x32x!tt.ptr<f32>>
  }
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %pc = tt.addptr %cs, %ob : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  tt.store %pc, %r#0 : tensor<32x32x!tt.ptr<f32>>
  tt.return
})");
  EXPECT_NE(lowerToText(text).find("@copy.16("), std::string::npos);
  run(text, {a, b, c});
  for (unsigned i = 0; i < size; ++i)
    for (unsigned j = 0; j < size; ++j) {
      float expected = 0;
      for (unsigned k = 0; k < depth; ++k)
        expected += a[i * depth + k] * b[k * size + j];
      ASSERT_EQ(c[i * size + j], expected) << i << ", " << j;
    }
}

} // namespace triton::gpu
