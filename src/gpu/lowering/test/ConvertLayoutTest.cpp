#include "Harness.h"

#include "backends/nvidia/target/NvidiaTarget.h"

#include "gpu/analysis/ConversionPlan.h"
#include "gpu/ir/Dialect.h"
#include "layout/Elimination.h"

#include "mlir/AsmParser/AsmParser.h"
#include "llvm/ADT/StringExtras.h"

#include <numeric>
#include <random>

namespace triton::gpu {

/// Layouts of a 32 x 64 tensor over 4 warps.
static const char *const layouts[] = {
    "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>",
    "#ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>",
    "#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [0, 1]}>",
    "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [2, 2], order = [1, 0]}>",
    "#ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [16, 2], warpsPerCTA = [4, 1], order = [1, 0]}>",
    "#ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>",
    "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>",
    "#ttg.dot_op<{opIdx = 0, parent = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], "
    "instrShape = [16, 8]}>, kWidth = 2}>",
    "#ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [1, 2, 2], threadsPerWarp = [8, 2, 2], "
    "warpsPerCTA = [1, 2, 2], order = [2, 1, 0]}>}>",
};

/// The same for warps of 64 lanes.
static const char *const wideLayouts[] = {
    "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>",
    "#ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 8], warpsPerCTA = [1, 4], order = [0, 1]}>",
    "#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 2], warpsPerCTA = [1, 4], order = [0, 1]}>",
    "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [2, 2], order = [1, 0]}>",
    "#ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>",
    "#ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [2, 32], warpsPerCTA = [4, 1], order = [1, 0]}>",
    "#ttg.dot_op<{opIdx = 0, parent = #ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [8, 8], "
    "warpsPerCTA = [2, 2], order = [1, 0]}>}>",
    "#ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [1, 2, 2], threadsPerWarp = [8, 2, 4], "
    "warpsPerCTA = [1, 2, 2], order = [2, 1, 0]}>}>",
};

/// Copies a 32 x 64 tensor. Between the load and the store, the value passes from layout `from` to layout `to`.
static KernelText copyThrough(const std::string &element, const std::string &from, const std::string &to,
                              unsigned rounds = 1) {
  auto sub = [&](std::string text) {
    for (const auto &[name, value] : {std::pair<std::string, std::string>{"ELT", element},
                                      {"FROM", "#from"},
                                      {"TO", "#to"},
                                      {"ROUNDS", std::to_string(rounds)}})
      for (std::size_t at; (at = text.find(name)) != std::string::npos;)
        text.replace(at, name.size(), value);
    return text;
  };
  return {"#from = " + from + "\n#to = " + to + "\n" + sub(R"(
tt.func public @kernel(%a: !tt.ptr<ELT>, %out: !tt.ptr<ELT>) {
  %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = FROM}>>
  %j = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = FROM}>>
  %i2 = tt.expand_dims %i {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = FROM}>> -> tensor<32x1xi32, FROM>
  %j2 = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = FROM}>> -> tensor<1x64xi32, FROM>
  %c64 = arith.constant dense<64> : tensor<32x1xi32, FROM>
  %rows = arith.muli %i2, %c64 : tensor<32x1xi32, FROM>
  %rows2 = tt.broadcast %rows : tensor<32x1xi32, FROM> -> tensor<32x64xi32, FROM>
  %cols2 = tt.broadcast %j2 : tensor<1x64xi32, FROM> -> tensor<32x64xi32, FROM>
  %offsets = arith.addi %rows2, %cols2 : tensor<32x64xi32, FROM>
  %as = tt.splat %a : !tt.ptr<ELT> -> tensor<32x64x!tt.ptr<ELT>, FROM>
  %pa = tt.addptr %as, %offsets : tensor<32x64x!tt.ptr<ELT>, FROM>, tensor<32x64xi32, FROM>
  %x = tt.load %pa : tensor<32x64x!tt.ptr<ELT>, FROM>
  %y = ttg.convert_layout %x {allocation.rounds = ROUNDS : i32} : tensor<32x64xELT, FROM> -> tensor<32x64xELT, TO>
  %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = TO}>>
  %l = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = TO}>>
  %k2 = tt.expand_dims %k {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = TO}>> -> tensor<32x1xi32, TO>
  %l2 = tt.expand_dims %l {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = TO}>> -> tensor<1x64xi32, TO>
  %d64 = arith.constant dense<64> : tensor<32x1xi32, TO>
  %to_rows = arith.muli %k2, %d64 : tensor<32x1xi32, TO>
  %to_rows2 = tt.broadcast %to_rows : tensor<32x1xi32, TO> -> tensor<32x64xi32, TO>
  %to_cols2 = tt.broadcast %l2 : tensor<1x64xi32, TO> -> tensor<32x64xi32, TO>
  %to_offsets = arith.addi %to_rows2, %to_cols2 : tensor<32x64xi32, TO>
  %outs = tt.splat %out : !tt.ptr<ELT> -> tensor<32x64x!tt.ptr<ELT>, TO>
  %po = tt.addptr %outs, %to_offsets : tensor<32x64x!tt.ptr<ELT>, TO>, tensor<32x64xi32, TO>
  tt.store %po, %y : tensor<32x64x!tt.ptr<ELT>, TO>
  tt.return
})")};
}

template <typename T>
static void testAllPairs(const std::string &element, llvm::ArrayRef<const char *> layouts, bool isWide,
                         unsigned rounds = 1) {
  for (const char *from : layouts)
    for (const char *to : layouts) {
      std::vector<T> in(2048), out(2048, T(-1));
      for (std::size_t i = 0; i < in.size(); ++i)
        in[i] = T(i * 31 + 7);
      KernelText text = copyThrough(element, from, to, rounds);
      text.isWide = isWide;
      run(text, {in, out});
      ASSERT_EQ(in, out) << from << " -> " << to;
    }
}

template <typename T> static void testAllPairs(const std::string &element) {
  testAllPairs<T>(element, layouts, /*isWide=*/false);
  testAllPairs<T>(element, wideLayouts, /*isWide=*/true);
}

TEST(ConvertLayout, KeepsEveryWord) { testAllPairs<int32_t>("i32"); }
TEST(ConvertLayout, KeepsEveryByte) { testAllPairs<int8_t>("i8"); }
TEST(ConvertLayout, KeepsEveryHalf) { testAllPairs<int16_t>("i16"); }
TEST(ConvertLayout, KeepsEveryDouble) { testAllPairs<int64_t>("i64"); }
TEST(ConvertLayout, KeepsEveryByteInRounds) { testAllPairs<int8_t>("i8", layouts, /*isWide=*/false, /*rounds=*/2); }
TEST(ConvertLayout, KeepsEveryWordInRounds) {
  testAllPairs<int32_t>("i32", layouts, /*isWide=*/false, /*rounds=*/4);
  testAllPairs<int32_t>("i32", wideLayouts, /*isWide=*/true, /*rounds=*/4);
}

/// Copies the elements of a line from `in` to `out`. The value passes between two layouts of one warp.
static KernelText copyWithinWarp(const std::string &element, const std::string &from, const std::string &to,
                                 unsigned size) {
  std::string n = std::to_string(size);
  auto place = [&](const std::string &name, const std::string &layout, const std::string &pointer) {
    std::string pointers = "tensor<" + n + "x!tt.ptr<" + element + ">, " + layout + ">";
    return "\n  %i" + name + " = tt.make_range {end = " + n + " : i32, start = 0 : i32} : tensor<" + n + "xi32, " +
           layout + ">\n  %s" + name + " = tt.splat %" + pointer + " : !tt.ptr<" + element + "> -> " + pointers +
           "\n  %p" + name + " = tt.addptr %s" + name + ", %i" + name + " : " + pointers + ", tensor<" + n + "xi32, " +
           layout + ">";
  };
  std::string tensor = "tensor<" + n + "x" + element + ", ";
  return {"#from = " + from + "\n#to = " + to + "\ntt.func public @kernel(%in: !tt.ptr<" + element +
              ">, %out: !tt.ptr<" + element + ">) {" + place("a", "#from", "in") + "\n  %x = tt.load %pa : tensor<" +
              n + "x!tt.ptr<" + element + ">, #from>\n  %y = ttg.convert_layout %x : " + tensor + "#from> -> " +
              tensor + "#to>" + place("b", "#to", "out") + "\n  tt.store %pb, %y : tensor<" + n + "x!tt.ptr<" +
              element + ">, #to>\n  tt.return\n}",
          /*warps=*/1};
}

/// One dimension whose bits belong first to the registers and then to the lanes, in the given order.
static std::string lineLayout(llvm::ArrayRef<int32_t> bases, unsigned laneBits) {
  auto list = [](llvm::ArrayRef<int32_t> bases) {
    std::string text;
    for (int32_t basis : bases)
      text += (text.empty() ? "[" : ", [") + std::to_string(basis) + "]";
    return "[" + text + "]";
  };
  return "#ttg.linear<{shape = [" + std::to_string(1 << bases.size()) +
         "], register = " + list(bases.drop_back(laneBits)) + ", lane = " + list(bases.take_back(laneBits)) +
         ", warp = [], block = []}>";
}

/// Elements that are narrower than a register are shuffled together, and must be separated in the right order.
template <typename T> static void testPermutations(const std::string &element, unsigned seed, bool isWide) {
  unsigned laneBits = isWide ? 6 : 5;
  std::mt19937 generator(seed);
  for (unsigned round = 0; round < 60; ++round) {
    unsigned bits = laneBits + round % 5;
    std::vector<int32_t> bases;
    bases.reserve(bits);
    for (unsigned bit = 0; bit < bits; ++bit)
      bases.push_back(1 << bit);
    std::string from = lineLayout(bases, laneBits);
    // A few exchanges of bits, or any permutation.
    if (round % 2)
      std::shuffle(bases.begin(), bases.end(), generator);
    else
      for (unsigned swaps = 1 + round / 2 % 3; swaps > 0; --swaps)
        std::swap(bases[generator() % bits], bases[generator() % bits]);
    std::vector<T> in(std::size_t(1) << bits), out(in.size(), T(-1));
    for (std::size_t i = 0; i < in.size(); ++i)
      in[i] = T(i * 37 + 11);
    std::string to = lineLayout(bases, laneBits);
    KernelText text = copyWithinWarp(element, from, to, unsigned(in.size()));
    text.isWide = isWide;
    run(text, {in, out});
    ASSERT_EQ(in, out) << from << " -> " << to;
  }
}

template <typename T> static void testPermutations(const std::string &element, unsigned seed) {
  testPermutations<T>(element, seed, /*isWide=*/false);
  testPermutations<T>(element, seed, /*isWide=*/true);
}

TEST(ConvertLayout, PermutesRegistersAndLanesOfBytes) { testPermutations<int8_t>("i8", 1); }
TEST(ConvertLayout, PermutesRegistersAndLanesOfHalves) { testPermutations<int16_t>("i16", 2); }
TEST(ConvertLayout, PermutesRegistersAndLanesOfWords) { testPermutations<int32_t>("i32", 3); }
TEST(ConvertLayout, PermutesRegistersAndLanesOfDoubles) { testPermutations<int64_t>("i64", 4); }

/// How much longer one access of a wavefront takes than without conflicts: 2^(rank(words) - rank(banks)).
static unsigned conflictDegree(const layout::LinearLayout &offsets, unsigned elementBytes) {
  unsigned vectorBytes = elementBytes;
  while (vectorBytes < 16 &&
         llvm::is_contained(offsets.findInput("register")->bases, layout::Basis{int32_t(vectorBytes / elementBytes)}))
    vectorBytes *= 2;
  vectorBytes = std::max(4u, vectorBytes);
  unsigned lanes = 7 - llvm::Log2_32(vectorBytes);
  llvm::SmallVector<uint64_t> words, banks;
  for (unsigned bit = 0; bit < lanes; ++bit) {
    uint64_t word = uint64_t(offsets.findInput("lane")->bases[bit][0]) * elementBytes / 4;
    words.push_back(word);
    banks.push_back(word & 31);
  }
  return 1u << (layout::Span(words).rank() - layout::Span(banks).rank());
}

TEST(ConvertLayout, SharedMemoryHasNoBankConflicts) {
  mlir::MLIRContext context;
  mlir::DialectRegistry registry;
  nvidia::registerNvidiaTargets(registry);
  context.appendDialectRegistry(registry);
  context.loadDialect<tt::TritonDialect, ttg::TritonGPUDialect>();
  const Machine &machine = findTarget(mlir::UnknownLoc::get(&context), "cuda:90")->machine();
  for (const char *from : layouts)
    for (const char *to : layouts)
      for (unsigned bytes : {1, 2, 4, 8}) {
        auto layoutOf = [&](const char *text) {
          return ttg::toLinearLayout({32, 64}, mlir::parseAttribute(text, &context));
        };
        analysis::ConversionPlan plan = analysis::planConversion(layoutOf(from), layoutOf(to), bytes, machine);
        if (plan.kind != analysis::ConversionPlan::Kind::Shared || plan.movesMatrices)
          continue;
        EXPECT_EQ(conflictDegree(plan.storeOffsets, bytes), 1u) << from << " -> " << to << ", " << bytes;
        EXPECT_EQ(conflictDegree(plan.loadOffsets, bytes), 1u) << from << " -> " << to << ", " << bytes;
      }
}

} // namespace triton::gpu
