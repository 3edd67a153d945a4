// Compares plans of layout conversions with enumeration: what may stay in a warp, bank conflicts, the bytes of scratch.
#include "gpu/analysis/ConversionPlan.h"

#include "layout/Constructors.h"
#include "layout/Drawing.h"
#include "layout/Elimination.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace triton::analysis {
namespace {

using layout::Basis;
using layout::Input;
using layout::LinearLayout;

using Kind = ConversionPlan::Kind;

/// Shared memory of 32 banks of four bytes.
const gpu::Machine machine = [] {
  gpu::Machine result;
  result.accessBytes = 16;
  result.banks = 32;
  result.bankBytes = 4;
  return result;
}();

/// The layout of one dimension with these bases.
LinearLayout line(llvm::ArrayRef<int32_t> registers, llvm::ArrayRef<int32_t> lanes, llvm::ArrayRef<int32_t> warps,
                  int32_t size) {
  auto input = [](llvm::StringRef name, llvm::ArrayRef<int32_t> bases) {
    Input result{name.str(), {}};
    for (int32_t basis : bases)
      result.bases.push_back({basis});
    return result;
  };
  return LinearLayout({input("register", registers), input("lane", lanes), input("warp", warps)}, {{"dim0", size}});
}

/// The bits of the elements' index, distributed at random over registers, 5 lane bits and `warps` warp bits.
LinearLayout shuffled(std::mt19937 &random, unsigned bits, unsigned warps) {
  std::vector<int32_t> bases;
  bases.reserve(bits);
  for (unsigned bit = 0; bit < bits; ++bit)
    bases.push_back(int32_t(1) << bit);
  std::shuffle(bases.begin(), bases.end(), random);
  llvm::ArrayRef<int32_t> all(bases);
  return line(all.drop_front(5 + warps), all.take_front(5), all.slice(5, warps), int32_t(1) << bits);
}

/// The same in each of two warps, which need a barrier to exchange something.
LinearLayout inTwoWarps(const LinearLayout &layout) {
  int32_t size = int32_t(layout.outputs()[0].size);
  auto basesOf = [&](llvm::StringRef name) {
    return llvm::map_to_vector(layout.findInput(name)->bases, [](const Basis &basis) { return basis[0]; });
  };
  return line(basesOf("register"), basesOf("lane"), {size}, 2 * size);
}

/// Replaces some bases of a layout by zero, which makes copies, or by sums of two.
LinearLayout withCopies(std::mt19937 &random, const LinearLayout &layout) {
  return layout.mapBases([&](const Input &input, unsigned bit) -> Basis {
    switch (random() % 4) {
    case 0:
      return {0};
    case 1:
      return {input.bases[bit][0] ^ int32_t(random() % unsigned(layout.outputs()[0].size))};
    default:
      return input.bases[bit];
    }
  });
}

/// The elements that a warp holds.
std::set<int32_t> elementsOfWarp(const LinearLayout &layout, int32_t warp) {
  std::set<int32_t> elements;
  for (int32_t lane = 0; lane < layout.inputSize("lane"); ++lane)
    for (int32_t reg = 0; reg < layout.inputSize("register"); ++reg)
      elements.insert(layout.apply({{"register", reg}, {"lane", lane}, {"warp", warp}})[0].second);
  return elements;
}

bool staysInWarps(const LinearLayout &source, const LinearLayout &target) {
  for (int32_t warp = 0; warp < target.inputSize("warp"); ++warp) {
    std::set<int32_t> held = elementsOfWarp(source, warp), wanted = elementsOfWarp(target, warp);
    if (!std::includes(held.begin(), held.end(), wanted.begin(), wanted.end()))
      return false;
  }
  return true;
}

/// How many wavefronts one access of each thread takes although one could be enough.
unsigned conflicts(const LinearLayout &offsets, unsigned elementBytes) {
  LinearLayout memory = LinearLayout::identity(offsets.outputSize("offset"), "offset", "offset");
  return layout::analyzeSharedAccess(offsets, memory, elementBytes * 8).degree;
}

TEST(ConversionPlan, AsksForACopyInTheSameWarpFirst) {
  // All four warps hold the tensor. The smallest solution for the target's warps is in warp 0.
  LinearLayout source = line({}, {1, 2, 4, 8, 0}, {0, 0}, 16), target = line({}, {0, 0, 0, 1, 2}, {4, 8}, 16);
  ConversionPlan plan = planConversion(source, target, 4, machine);
  EXPECT_EQ(plan.kind, Kind::Shuffles);
  EXPECT_EQ(plan.scratchBytes, 0u);
}

// Lanes that hold copies on both sides keep their own copies and do not ask the first holder.
TEST(ConversionPlan, KeepsCopiesInTheirLanes) {
  LinearLayout source = line({32, 64}, {0, 0, 1, 2, 4}, {8, 16}, 128);
  LinearLayout target = line({64, 32}, {0, 0, 1, 2, 4}, {8, 16}, 128);
  EXPECT_EQ(planConversion(source, target, 4, machine).kind, Kind::Registers);
}

TEST(ConversionPlan, LeavesTheWarpOnlyForWhatItDoesNotHold) {
  std::mt19937 random(1);
  unsigned stay = 0, leave = 0;
  for (unsigned round = 0; round < 2000; ++round) {
    unsigned warps = random() % 3, bits = 5 + warps + random() % 3;
    LinearLayout source = shuffled(random, bits, warps);
    // Half of the targets differ within the warp alone.
    LinearLayout target =
        random() % 2 ? shuffled(random, bits, warps) : source.mapBases([&](const Input &input, unsigned bit) -> Basis {
          if (input.name == "warp")
            return input.bases[bit];
          int32_t basis = 0;
          for (const Input &from : source.inputs())
            for (const Basis &candidate : from.bases)
              basis ^= from.name != "warp" && random() % 2 ? candidate[0] : 0;
          return {basis};
        });
    if (random() % 2)
      target = withCopies(random, target);
    bool mayStay = staysInWarps(source, target);
    Kind kind = planConversion(source, target, 4, machine).kind;
    ++(mayStay ? stay : leave);
    if (!mayStay)
      EXPECT_EQ(kind, Kind::Shared) << source.str() << target.str();
    // Selecting among eight or more registers costs as much as shared memory.
    if (source.inputSize("register") <= 2 && mayStay)
      EXPECT_NE(kind, Kind::Shared) << source.str() << target.str();
  }
  EXPECT_GT(stay, 100u);
  EXPECT_GT(leave, 100u);
}

/// Exchanges of up to two register bits with lane bits stay in the warp, whatever else is permuted.
TEST(ConversionPlan, ExchangesTwoBitsWithinTheWarp) {
  std::mt19937 random(4);
  unsigned counts[4] = {};
  for (unsigned round = 0; round < 1000; ++round) {
    unsigned bits = 5 + 2 + random() % 3;
    LinearLayout source = inTwoWarps(shuffled(random, bits, 0)), target = inTwoWarps(shuffled(random, bits, 0));
    auto has = [](const LinearLayout &layout, llvm::StringRef name, int32_t basis) {
      return llvm::is_contained(layout.findInput(name)->bases, Basis{basis});
    };
    unsigned mixed = 0;
    for (unsigned bit = 0; bit < bits; ++bit)
      mixed += has(source, "register", 1 << bit) && has(target, "lane", 1 << bit);
    ConversionPlan plan = planConversion(source, target, 4, machine);
    ++counts[std::min(mixed, 3u)];
    if (mixed > 2)
      continue;
    ASSERT_NE(plan.kind, Kind::Shared) << source.str() << target.str();
    ASSERT_EQ(plan.exchanges.size(), mixed);
    // Each bit takes part once, and lanes that are not exchanged need no other register.
    std::set<int32_t> registers, lanes;
    for (const BitExchange &exchange : plan.exchanges) {
      EXPECT_EQ(plan.registers[exchange.targetRegister].lanes, exchange.sourceLane);
      EXPECT_EQ(plan.lanes[exchange.targetLane].registers, exchange.sourceRegister);
      registers.insert(exchange.sourceRegister);
      lanes.insert(exchange.sourceLane);
    }
    EXPECT_EQ(registers.size(), mixed);
    EXPECT_EQ(lanes.size(), mixed);
  }
  for (unsigned count : counts)
    EXPECT_GT(count, 10u);
}

// Two register bits are exchanged with lane bits. A third one stays, so that elements of less than 32 bits share words.
TEST(ConversionPlan, PacksNarrowElements) {
  LinearLayout source = line({1, 2, 128, 256}, {4, 8, 16, 32, 64}, {512}, 1024);
  LinearLayout target = line({32, 256, 64, 128}, {4, 8, 16, 1, 2}, {512}, 1024);
  for (auto [bytes, packed] : {std::pair{1u, 2u}, {2u, 1u}, {4u, 0u}, {8u, 0u}}) {
    ConversionPlan plan = planConversion(source, target, bytes, machine);
    EXPECT_EQ(plan.kind, Kind::Shuffles);
    EXPECT_EQ(plan.exchanges.size(), 2u);
    ASSERT_EQ(plan.packed.size(), packed);
    for (unsigned bit : plan.packed)
      EXPECT_EQ(plan.registers[bit].lanes, 0);
  }
}

// 32 words of a thread would need a shuffle each, but are eight accesses of shared memory, each one row since lanes
// read the same. Four words are shuffled where the way through shared memory needs a barrier.
TEST(ConversionPlan, WeighsShufflesAgainstSharedMemory) {
  LinearLayout source = line({1, 2}, {4, 8, 16, 32, 64}, {}, 128);
  LinearLayout copies = line({4, 8, 16, 32, 64}, {1, 2, 0, 0, 0}, {}, 128);
  for (unsigned bytes : {1, 2, 4})
    EXPECT_EQ(planConversion(source, copies, bytes, machine).kind, Kind::Shared);
  LinearLayout ofWarps = line({1, 2}, {4, 8, 16, 32, 64}, {128}, 256);
  LinearLayout others = line({4, 8}, {1, 2, 16, 32, 64}, {128}, 256);
  EXPECT_EQ(planConversion(ofWarps, others, 4, machine).kind, Kind::Shuffles);
}

// Each exchange selects every word twice.
TEST(ConversionPlan, WeighsEachExchange) {
  LinearLayout source = line({1, 2}, {4, 8, 16, 32, 64}, {}, 128);
  EXPECT_EQ(planConversion(source, line({4, 2}, {1, 8, 16, 32, 64}, {}, 128), 4, machine).kind, Kind::Shuffles);
  EXPECT_EQ(planConversion(source, line({4, 8}, {1, 2, 16, 32, 64}, {}, 128), 4, machine).kind, Kind::Shared);
}

// Where no register depends on the lane, elements that stay neighbours move in one word.
TEST(ConversionPlan, ShufflesWordsOfSeveralElements) {
  LinearLayout source = line({1, 2}, {4, 8, 16, 32, 64}, {128}, 256);
  LinearLayout target = line({1, 2}, {64, 8, 16, 32, 4}, {128}, 256);
  ConversionPlan plan = planConversion(source, target, 2, machine);
  EXPECT_EQ(plan.kind, Kind::Shuffles);
  EXPECT_EQ(plan.packed.size(), 1u);
  EXPECT_TRUE(planConversion(source, target, 4, machine).packed.empty());
}

TEST(ConversionPlan, NeitherSideHasBankConflicts) {
  std::mt19937 random(2);
  unsigned shared = 0;
  for (unsigned round = 0; round < 4000; ++round) {
    unsigned warps = random() % 3, bits = 5 + warps + random() % 5;
    LinearLayout source = shuffled(random, bits, warps), target = shuffled(random, bits, warps);
    for (unsigned bytes : {4, 8}) {
      ConversionPlan plan = planConversion(source, target, bytes, machine);
      if (plan.kind != Kind::Shared)
        continue;
      ++shared;
      ASSERT_EQ(conflicts(plan.storeOffsets, bytes), 1u) << source.str() << target.str() << plan.storeOffsets.str();
      ASSERT_EQ(conflicts(plan.loadOffsets, bytes), 1u) << source.str() << target.str() << plan.loadOffsets.str();
    }
  }
  EXPECT_GT(shared, 2000u);
}

/// How many elements one access of a side moves.
unsigned accessWidth(const LinearLayout &offsets, unsigned elementBytes) {
  LinearLayout memory = LinearLayout::identity(offsets.outputSize("offset"), "offset", "offset");
  return layout::analyzeSharedAccess(offsets, memory, elementBytes * 8).vectorBytes / elementBytes;
}

// A factor for each column goes from one per thread to those of a product's result, of which threads have many: they
// read vectors. The way back is stored so.
TEST(ConversionPlan, WidensTheAccessesOfTheSideThatHasMore) {
  LinearLayout spread = line({}, {1, 2, 4, 8, 16}, {32, 64}, 128);
  LinearLayout columns = line({1, 8, 16, 32, 64}, {2, 4, 0, 0, 0}, {0, 0}, 128);
  for (auto [bytes, width] : {std::pair{2u, 8u}, {4u, 4u}, {8u, 2u}})
    for (bool isBack : {false, true}) {
      ConversionPlan plan =
          isBack ? planConversion(columns, spread, bytes, machine) : planConversion(spread, columns, bytes, machine);
      ASSERT_EQ(plan.kind, Kind::Shared);
      const LinearLayout &wide = isBack ? plan.storeOffsets : plan.loadOffsets;
      const LinearLayout &narrow = isBack ? plan.loadOffsets : plan.storeOffsets;
      EXPECT_EQ(accessWidth(wide, bytes), width);
      EXPECT_EQ(accessWidth(narrow, bytes), 1u);
      EXPECT_EQ(conflicts(wide, bytes), 1u);
      EXPECT_EQ(conflicts(narrow, bytes), 1u);
    }
}

// Of two sides with as many registers, the one whose registers are neighbours in the tensor has the vectors.
TEST(ConversionPlan, WidensNeighbours) {
  LinearLayout result = line({1, 512, 8, 16, 32}, {2, 4, 64, 128, 256}, {1024, 2048}, 4096);
  LinearLayout rows = line({1, 2, 4, 1024, 2048}, {8, 16, 32, 64, 128}, {256, 512}, 4096);
  ConversionPlan plan = planConversion(result, rows, 4, machine), back = planConversion(rows, result, 4, machine);
  EXPECT_EQ(accessWidth(plan.storeOffsets, 4), 2u);
  EXPECT_EQ(accessWidth(plan.loadOffsets, 4), 4u);
  EXPECT_EQ(accessWidth(back.storeOffsets, 4), 4u);
  EXPECT_EQ(accessWidth(back.loadOffsets, 4), 2u);
}

// Results of 16 bits go to threads that hold neighbours along the other dimension. No register bit is common, but
// eight lanes of the source hold what is one vector of the target: rows of transposed matrices.
TEST(ConversionPlan, MovesMatricesWhereVectorsWouldBeNarrowerThanAWord) {
  LinearLayout source = line({1, 512, 8, 16, 32}, {2, 4, 64, 128, 256}, {1024, 2048}, 4096);
  LinearLayout target = line({64, 128, 256, 1024, 2048}, {512, 1, 2, 4, 8}, {16, 32}, 4096);
  gpu::Machine matrices = machine;
  matrices.readsMatrices = matrices.writesMatrices = true;
  EXPECT_FALSE(planConversion(source, target, 2, machine).movesMatrices);
  EXPECT_FALSE(planConversion(source, target, 4, matrices).movesMatrices);
  ConversionPlan plan = planConversion(source, target, 2, matrices);
  ASSERT_TRUE(plan.movesMatrices);
  auto offset = [](const LinearLayout &offsets, llvm::StringRef input, unsigned bit) {
    return uint64_t(offsets.findInput(input)->bases[bit][0]);
  };
  for (unsigned bit : {0, 1, 2}) {
    EXPECT_EQ(offset(plan.storeOffsets, "lane", 2 + bit), 1u << bit);
    EXPECT_EQ(offset(plan.loadOffsets, "register", bit), 1u << bit);
  }
  // Eight rows of 16 bytes are in all banks, on both sides.
  auto inRow = [](uint64_t offset) { return offset / 8 % 8; };
  llvm::SmallVector<uint64_t> written{inRow(offset(plan.storeOffsets, "register", 0)),
                                      inRow(offset(plan.storeOffsets, "lane", 0)),
                                      inRow(offset(plan.storeOffsets, "lane", 1))},
      read;
  for (unsigned lane : {0, 1, 2})
    read.push_back(inRow(offset(plan.loadOffsets, "lane", lane)));
  EXPECT_EQ(layout::Span(written).rank(), 3u);
  EXPECT_EQ(layout::Span(read).rank(), 3u);
}

TEST(ConversionPlan, BothSidesMeetInMemoryWithinTheScratch) {
  std::mt19937 random(3);
  for (unsigned round = 0; round < 2000; ++round) {
    unsigned warps = random() % 3, bits = 5 + warps + random() % 4;
    LinearLayout source = shuffled(random, bits, warps), target = withCopies(random, shuffled(random, bits, warps));
    for (unsigned bytes : {1, 2, 4, 8}) {
      ConversionPlan plan = planConversion(source, target, bytes, machine);
      if (plan.kind != Kind::Shared)
        continue;
      // An element has the same offset in whichever thread it is.
      std::vector<int32_t> offsetOf(size_t(1) << bits, -1);
      auto visit = [&](const LinearLayout &layout, const LinearLayout &offsets) {
        for (int32_t reg = 0; reg < layout.inputSize("register"); ++reg)
          for (int32_t lane = 0; lane < 32; ++lane)
            for (int32_t warp = 0; warp < layout.inputSize("warp"); ++warp) {
              layout::Point at{{"register", reg}, {"lane", lane}, {"warp", warp}};
              int32_t element = layout.apply(at)[0].second, offset = offsets.apply(at)[0].second;
              ASSERT_TRUE(offsetOf[element] == -1 || offsetOf[element] == offset);
              offsetOf[element] = offset;
              ASSERT_LE((std::size_t(offset) + 1) * bytes, plan.scratchBytes);
            }
      };
      visit(source, plan.storeOffsets);
      visit(target, plan.loadOffsets);
      if (HasFatalFailure())
        return;
      EXPECT_EQ(std::set<int32_t>(offsetOf.begin(), offsetOf.end()).size(), offsetOf.size());
    }
  }
}

/// The registers of a side whose bits `roundBits` spell `round`.
std::vector<int32_t> registersOf(const LinearLayout &layout, llvm::ArrayRef<unsigned> roundBits, unsigned round) {
  std::vector<int32_t> registers;
  for (int32_t reg = 0; reg < layout.inputSize("register"); ++reg) {
    unsigned number = 0;
    for (auto [position, bit] : llvm::enumerate(roundBits))
      number |= unsigned(reg >> bit & 1) << position;
    if (number == round)
      registers.push_back(reg);
  }
  return registers;
}

/// The element at each offset of a round; -1 where there is none, -2 where there are several.
std::vector<int32_t> elementsOfRound(const LinearLayout &layout, const LinearLayout &offsets,
                                     llvm::ArrayRef<int32_t> registers) {
  std::vector<int32_t> elements(size_t(offsets.outputSize("offset")), -1);
  for (auto [number, reg] : llvm::enumerate(registers))
    for (int32_t lane = 0; lane < 32; ++lane)
      for (int32_t warp = 0; warp < layout.inputSize("warp"); ++warp) {
        int32_t element = layout.apply({{"register", reg}, {"lane", lane}, {"warp", warp}})[0].second;
        int32_t offset = offsets.apply({{"register", int32_t(number)}, {"lane", lane}, {"warp", warp}})[0].second;
        int32_t &held = elements[size_t(offset)];
        held = held == -1 || held == element ? element : -2;
      }
  return elements;
}

TEST(ConversionPlan, RoundsShareASmallerScratch) {
  std::mt19937 random(4);
  unsigned several = 0;
  for (unsigned round = 0; round < 2000; ++round) {
    unsigned warps = 1 + random() % 2, bits = 7 + warps + random() % 4;
    LinearLayout source = shuffled(random, bits, warps), target = shuffled(random, bits, warps);
    unsigned rounds = 1u << (1 + random() % 3);
    ConversionPlan once = planConversion(source, target, 4, machine);
    ConversionPlan plan = planConversion(source, target, 4, machine, rounds);
    ASSERT_EQ(plan.kind, once.kind);
    if (plan.kind != Kind::Shared)
      continue;
    ASSERT_LE(plan.rounds(), rounds);
    ASSERT_EQ(plan.scratchBytes * plan.rounds(), once.scratchBytes);
    several += plan.rounds() > 1;
    for (unsigned number = 0; number < plan.rounds(); ++number) {
      std::vector<int32_t> stored =
          elementsOfRound(source, plan.storeOffsets, registersOf(source, plan.sourceRounds, number));
      EXPECT_EQ(llvm::count_if(stored, [](int32_t element) { return element < 0; }), 0);
      ASSERT_EQ(stored, elementsOfRound(target, plan.loadOffsets, registersOf(target, plan.targetRounds, number)))
          << source.str() << target.str();
    }
  }
  EXPECT_GT(several, 300u);
}

// 32 x 32 words in one warp, with lanes along one dimension before and along the other after: row ^ column, and the
// row.
TEST(ConversionPlan, TransposesWithoutConflicts) {
  LinearLayout rows = layout::blocked({32, 32}, {{1, 1}, {1, 32}, {1, 1}, {1, 0}});
  LinearLayout columns = layout::blocked({32, 32}, {{1, 1}, {32, 1}, {1, 1}, {0, 1}});
  ConversionPlan plan = planConversion(rows, columns, 4, machine);
  ASSERT_EQ(plan.kind, Kind::Shared);
  EXPECT_EQ(plan.scratchBytes, 4096u);
  EXPECT_EQ(conflicts(plan.storeOffsets, 4), 1u);
  EXPECT_EQ(conflicts(plan.loadOffsets, 4), 1u);
}

// From f16 rows of eight elements to fragments: one column bit and two row bits are registers on both sides. They form
// vectors of sixteen bytes, although they are not neighbours in the tensor.
TEST(ConversionPlan, VectorsAreWhatBothSidesHaveInRegisters) {
  LinearLayout rows = layout::blocked({128, 128}, {{1, 8}, {2, 16}, {4, 1}, {1, 0}});
  LinearLayout fragments({Input{"register", {{0, 1}, {8, 0}, {0, 8}, {0, 16}, {0, 32}, {0, 64}, {64, 0}}},
                          Input{"lane", {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}}, Input{"warp", {{16, 0}, {32, 0}}}},
                         {{"dim0", 128}, {"dim1", 128}});
  ConversionPlan plan = planConversion(rows, fragments, 2, machine);
  ASSERT_EQ(plan.kind, Kind::Shared);
  EXPECT_EQ(plan.scratchBytes, 32768u);
  LinearLayout memory = LinearLayout::identity(plan.storeOffsets.outputSize("offset"), "offset", "offset");
  for (const LinearLayout *side : {&plan.storeOffsets, &plan.loadOffsets}) {
    layout::SharedAccess access = layout::analyzeSharedAccess(*side, memory, 16);
    EXPECT_EQ(access.vectorBytes, 16u);
    EXPECT_EQ(access.vectorsPerLane, 16u);
    EXPECT_EQ(access.degree, 1u);
  }
}

} // namespace
} // namespace triton::analysis
