// The shadows of global memory: accesses of any size and place are those of their bytes, one after another.
#include "simulator/core/Memory.h"
#include "gtest/gtest.h"

#include <random>

namespace triton::simulator {
namespace {

constexpr unsigned warps = 2, clusters = 2;
constexpr std::size_t arrayBytes = 200;

using Outcomes = std::vector<GlobalMemory::Outcome>; // by byte of an access

/// An array's shadow in which accesses are recorded whole or byte by byte.
struct Array {
  explicit Array(ProgramOrder order, bool isPartial) { memory.begin(order, isPartial); }
  Outcomes recordWhole(std::size_t offset, std::size_t size, AccessKind kind, const WarpClock &clock) {
    Outcomes outcomes(size, GlobalMemory::Outcome::Fine);
    memory.recordAccess(array, array.begin + offset, size, kind, clock,
                        [&](std::size_t begin, std::size_t end, GlobalMemory::Outcome outcome, bool) {
                          for (std::size_t i = std::max(begin, offset); i < std::min(end, offset + size); ++i)
                            outcomes[i - offset] = std::max(outcomes[i - offset], outcome);
                        });
    return outcomes;
  }
  Outcomes recordBytes(std::size_t offset, std::size_t size, AccessKind kind, const WarpClock &clock) {
    Outcomes outcomes;
    for (std::size_t i = 0; i < size; ++i)
      outcomes.push_back(memory.recordAccess(array, array.begin + offset + i, 1, kind, clock));
    return outcomes;
  }

  GlobalMemory memory{{{"array", 4096, arrayBytes}}};
  const Allocation &array = *memory.find(4096, arrayBytes);
};

TEST(GlobalMemory, AccessesAreThoseOfTheirBytes) {
  std::mt19937 random(7);
  auto below = [&](unsigned limit) { return unsigned(random() % limit); };
  for (unsigned run = 0; run < 200; ++run) {
    ProgramOrder order = run % 2 ? ProgramOrder::Sequential : ProgramOrder::Synchronized;
    bool isPartial = run % 4 < 2;
    Array whole(order, isPartial), byBytes(order, isPartial);
    std::vector<WarpClock> clocks;
    clocks.reserve(clusters * warps);
    for (unsigned i = 0; i < clusters * warps; ++i)
      clocks.emplace_back(i / warps, i % warps, warps);
    for (unsigned step = 0; step < 40; ++step) {
      // A run in order has ended one program before it begins the next one.
      unsigned number = order == ProgramOrder::Sequential ? step / 20 * warps + below(warps) : below(clusters * warps);
      WarpClock &clock = clocks[number];
      std::size_t size = std::size_t(1) << below(8), last = arrayBytes - size,
                  offset = below(unsigned(last + 1)) & ~std::size_t(below(3)   ? 63
                                                                    : below(2) ? 3
                                                                               : 0);
      if (below(6) == 0) {
        VectorClock released(warps);
        clock.release(released);
        clocks[number ^ 1].acquire(released);
      }
      AccessKind kind{.writes = below(2) == 0};
      if (order == ProgramOrder::Synchronized && size <= 8 && below(4) == 0)
        kind = atomicAccess;
      EXPECT_EQ(whole.recordWhole(offset, size, kind, clock), byBytes.recordBytes(offset, size, kind, clock))
          << size << " bytes at " << offset << " in step " << step << " of run " << run;
    }
  }
}

/// Of the bytes that the lanes of a warp access together, only those that race are named.
TEST(GlobalMemory, RacesAreAboutTheBytesThatRace) {
  for (std::size_t size : {std::size_t(2), std::size_t(64)}) {
    Array array(ProgramOrder::Sequential, false);
    WarpClock first(0, 0, 1), second(1, 0, 1);
    array.recordWhole(64, size, writeAccess, first);
    Outcomes outcomes = array.recordWhole(0, 128, readAccess, second);
    for (std::size_t i = 0; i < outcomes.size(); ++i)
      EXPECT_EQ(outcomes[i], i >= 64 && i < 64 + size ? GlobalMemory::Outcome::Race : GlobalMemory::Outcome::Fine)
          << "byte " << i << " after a write of " << size << " bytes";
  }
}

} // namespace
} // namespace triton::simulator
