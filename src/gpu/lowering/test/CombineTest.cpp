// Compares reductions and scans with loops on the host.
#include "Harness.h"

#include <cmath>
#include <random>

namespace triton::gpu {

/// Layouts of a 16 x 64 tensor over 4 warps.
static const char *const combinedLayouts[] = {
    "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>",
    "#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>",
    "#ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>",
    "#ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [4, 8], warpsPerCTA = [2, 2], order = [1, 0]}>",
    "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>",
    // Copies of elements: in lanes and warps, in warps, in registers.
    "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>",
    "#ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [8, 4], warpsPerCTA = [2, 2], order = [1, 0]}>",
    "#ttg.linear<{shape = [16, 64], register = [[0, 1], [0, 0], [8, 0], [0, 32], [1, 0]], "
    "lane = [[0, 2], [0, 0], [4, 0], [0, 4], [2, 0]], warp = [[0, 16], [0, 8]], block = []}>",
    // The axis from low to high: warps, lanes, registers.
    "#ttg.linear<{shape = [16, 64], register = [[8, 0], [0, 32], [1, 0]], "
    "lane = [[4, 0], [0, 4], [0, 16], [2, 0], [0, 8]], warp = [[0, 1], [0, 2]], block = []}>",
};

/// The same for warps of 64 lanes.
static const char *const wideCombinedLayouts[] = {
    "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>",
    "#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 64], warpsPerCTA = [4, 1], order = [1, 0]}>",
    "#ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [4, 16], warpsPerCTA = [1, 4], order = [0, 1]}>",
    "#ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [4, 16], warpsPerCTA = [2, 2], order = [1, 0]}>",
    // Copies of elements: in lanes and warps, in registers; all lanes along the axis.
    "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [1, 64], warpsPerCTA = [1, 4], order = [1, 0]}>",
    "#ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [8, 8], warpsPerCTA = [2, 2], order = [1, 0]}>",
    // The axis from low to high: warps, lanes, registers.
    R"(#ttg.linear<{shape = [16, 64], register = [[8, 0], [0, 32]],
       lane = [[4, 0], [0, 4], [0, 16], [2, 0], [0, 8], [1, 0]], warp = [[0, 1], [0, 2]], block = []}>)",
};

/// Calls `test` with each layout and its machine.
static void forEachLayout(llvm::function_ref<void(const char *layout, bool isWide)> test) {
  for (const char *layout : combinedLayouts)
    test(layout, false);
  for (const char *layout : wideCombinedLayouts)
    test(layout, true);
}

/// Loads a 16 x 64 tensor of i32 in `layout` as %x, with its offsets %offsets.
static const char *const prologue = R"(
#l = LAYOUT
tt.func public @kernel(%a: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 1, parent = #l}>>
  %j = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #l}>>
  %i2 = tt.expand_dims %i {axis = 1 : i32} : tensor<16xi32, #ttg.slice<{dim = 1, parent = #l}>> -> tensor<16x1xi32, #l>
  %j2 = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #l}>> -> tensor<1x64xi32, #l>
  %c64 = arith.constant dense<64> : tensor<16x1xi32, #l>
  %rows = arith.muli %i2, %c64 : tensor<16x1xi32, #l>
  %rows2 = tt.broadcast %rows : tensor<16x1xi32, #l> -> tensor<16x64xi32, #l>
  %cols2 = tt.broadcast %j2 : tensor<1x64xi32, #l> -> tensor<16x64xi32, #l>
  %offsets = arith.addi %rows2, %cols2 : tensor<16x64xi32, #l>
  %as = tt.splat %a : !tt.ptr<i32> -> tensor<16x64x!tt.ptr<i32>, #l>
  %pa = tt.addptr %as, %offsets : tensor<16x64x!tt.ptr<i32>, #l>, tensor<16x64xi32, #l>
  %x = tt.load %pa : tensor<16x64x!tt.ptr<i32>, #l>
)";

/// Two ways to combine: a commutative one, and one that is not commutative: the digits of a number from left to right.
struct Combiner {
  const char *body;
  int32_t (*apply)(int32_t, int32_t);
};
static const Combiner combiners[] = {
    {"%r = arith.addi %p, %q : i32", [](int32_t p, int32_t q) { return int32_t(uint32_t(p) + uint32_t(q)); }},
    // Affine maps x -> u*x + v modulo 2^16, packed: their composition is associative only.
    {R"(%m = arith.constant 65535 : i32
      %sh = arith.constant 16 : i32
      %pu = arith.shrui %p, %sh : i32
      %pv = arith.andi %p, %m : i32
      %qu = arith.shrui %q, %sh : i32
      %qv = arith.andi %q, %m : i32
      %u = arith.muli %pu, %qu : i32
      %t = arith.muli %pv, %qu : i32
      %v = arith.addi %t, %qv : i32
      %vm = arith.andi %v, %m : i32
      %us = arith.shli %u, %sh : i32
      %r = arith.ori %us, %vm : i32)",
     [](int32_t p, int32_t q) {
       uint32_t pu = uint32_t(p) >> 16, pv = p & 0xffff, qu = uint32_t(q) >> 16, qv = q & 0xffff;
       return int32_t((pu * qu) << 16 | ((pv * qu + qv) & 0xffff));
     }},
};

static std::vector<int32_t> randomWords(std::size_t n) {
  std::mt19937 generator(11);
  std::vector<int32_t> values(n);
  for (int32_t &value : values)
    value = int32_t(generator());
  return values;
}

TEST(Reduce, CombinesEitherAxisInOrderInEveryLayout) {
  forEachLayout([](const char *layout, bool isWide) {
    for (unsigned axis : {0, 1})
      for (const Combiner &combiner : combiners) {
        unsigned kept = axis == 0 ? 64 : 16;
        std::string text = replaceAll(std::string(prologue) + R"(
  %sum = "tt.reduce"(%x) <{axis = AXIS : i32}> ({
  ^bb0(%p: i32, %q: i32):
    BODY
    tt.reduce.return %r : i32
  }) : (tensor<16x64xi32, #l>) -> tensor<KEPTxi32, #ttg.slice<{dim = AXIS, parent = #l}>>
  %k = tt.make_range {end = KEPT : i32, start = 0 : i32} : tensor<KEPTxi32, #ttg.slice<{dim = AXIS, parent = #l}>>
  %outs = tt.splat %out : !tt.ptr<i32> -> tensor<KEPTx!tt.ptr<i32>, #ttg.slice<{dim = AXIS, parent = #l}>>
  %po = tt.addptr %outs, %k : tensor<KEPTx!tt.ptr<i32>, #ttg.slice<{dim = AXIS, parent = #l}>>, tensor<KEPTxi32, #ttg.slice<{dim = AXIS, parent = #l}>>
  tt.store %po, %sum : tensor<KEPTx!tt.ptr<i32>, #ttg.slice<{dim = AXIS, parent = #l}>>
  tt.return
})",
                                      {{"LAYOUT", layout},
                                       {"AXIS", std::to_string(axis)},
                                       {"KEPT", std::to_string(kept)},
                                       {"BODY", combiner.body}});
        std::vector<int32_t> in = randomWords(1024), out(kept, -1), expected(kept);
        run({.module = text, .isWide = isWide}, {in, out});
        for (unsigned i = 0; i < 16; ++i)
          for (unsigned j = 0; j < 64; ++j) {
            int32_t &sum = expected[axis == 0 ? j : i];
            bool isFirst = (axis == 0 ? i : j) == 0;
            sum = isFirst ? in[i * 64 + j] : combiner.apply(sum, in[i * 64 + j]);
          }
        ASSERT_EQ(out, expected) << layout << " axis " << axis << combiner.body;
      }
  });
}

TEST(Scan, CombinesInOrderInEveryLayoutAndDirection) {
  forEachLayout([](const char *layout, bool isWide) {
    for (unsigned axis : {0, 1})
      for (bool reverse : {false, true})
        for (const Combiner &combiner : combiners) {
          std::string text = replaceAll(std::string(prologue) + R"(
  %y = "tt.scan"(%x) <{axis = AXIS : i32, reverse = REVERSE}> ({
  ^bb0(%p: i32, %q: i32):
      BODY
      tt.scan.return %r : i32
  }) : (tensor<16x64xi32, #l>) -> tensor<16x64xi32, #l>
  %outs = tt.splat %out : !tt.ptr<i32> -> tensor<16x64x!tt.ptr<i32>, #l>
  %po = tt.addptr %outs, %offsets : tensor<16x64x!tt.ptr<i32>, #l>, tensor<16x64xi32, #l>
  tt.store %po, %y : tensor<16x64x!tt.ptr<i32>, #l>
  tt.return
})",
                                        {{"LAYOUT", layout},
                                         {"AXIS", std::to_string(axis)},
                                         {"REVERSE", reverse ? "true" : "false"},
                                         {"BODY", combiner.body}});
          std::vector<int32_t> in = randomWords(1024), out(1024, -1), expected = in;
          run({.module = text, .isWide = isWide}, {in, out});
          unsigned length = axis == 0 ? 16 : 64, step = axis == 0 ? 64 : 1;
          for (unsigned line = 0; line < 1024 / length; ++line)
            for (unsigned k = 1; k < length; ++k) {
              unsigned start = axis == 0 ? line : line * 64;
              unsigned at = start + (reverse ? length - 1 - k : k) * step;
              unsigned before = reverse ? at + step : at - step;
              expected[at] = combiner.apply(expected[before], in[at]);
            }
          ASSERT_EQ(out, expected) << layout << " axis " << axis << (reverse ? " reverse " : " ") << combiner.body;
        }
  });
}

/// The largest value and its smallest index.
static void testPairs(bool isWide) {
  std::string text = R"(
tt.func public @kernel(%a: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %i = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %as = tt.splat %a : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>>
  %pa = tt.addptr %as, %i : tensor<512x!tt.ptr<i32>>, tensor<512xi32>
  %x = tt.load %pa : tensor<512x!tt.ptr<i32>>
  %v:2 = "tt.reduce"(%x, %i) <{axis = 0 : i32}> ({
  ^bb0(%p: i32, %pi: i32, %q: i32, %qi: i32):
    %gt = arith.cmpi sgt, %p, %q : i32
    %eq = arith.cmpi eq, %p, %q : i32
    %lt = arith.cmpi slt, %pi, %qi : i32
    %tie = arith.andi %eq, %lt : i1
    %take = arith.ori %gt, %tie : i1
    %r = arith.select %take, %p, %q : i32
    %ri = arith.select %take, %pi, %qi : i32
    tt.reduce.return %r, %ri : i32, i32
  }) : (tensor<512xi32>, tensor<512xi32>) -> (i32, i32)
  tt.store %out, %v#0 : !tt.ptr<i32>
  %one = arith.constant 1 : i32
  %p1 = tt.addptr %out, %one : !tt.ptr<i32>, i32
  tt.store %p1, %v#1 : !tt.ptr<i32>
  tt.return
})";
  std::vector<int32_t> in = randomWords(512), out(2, -1);
  for (int32_t &value : in)
    value &= 63; // many ties
  run({.module = text, .isWide = isWide}, {in, out});
  auto best = std::max_element(in.begin(), in.end());
  EXPECT_EQ(out, (std::vector<int32_t>{*best, int32_t(best - in.begin())}));
}

TEST(Reduce, CombinesPairsAcrossWarps) { testPairs(/*isWide=*/false); }
TEST(Reduce, CombinesPairsAcrossWideWarps) { testPairs(/*isWide=*/true); }

} // namespace triton::gpu
