// The shadows of shared memory: accesses of any size and place are those of their bytes, one after another.
#include "simulator/core/SharedMemory.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <memory>
#include <random>

namespace triton::simulator {
namespace {

constexpr unsigned warps = 3;
constexpr std::size_t windowBytes = 72;

/// Two windows with the same accesses: the second one records them byte by byte.
struct Windows {
  SharedMemory whole{windowBytes, 0}, byBytes{windowBytes, 0};

  template <typename Record> void expectSame(std::size_t offset, std::size_t size, Record record) {
    SharedMemory::Outcome outcome = record(whole, offset, size), outcomeOfBytes = SharedMemory::Outcome::Fine;
    for (std::size_t byte = offset; byte < offset + size; ++byte)
      outcomeOfBytes = std::max(outcomeOfBytes, record(byBytes, byte, 1));
    EXPECT_EQ(outcome, outcomeOfBytes) << size << " bytes at " << offset;
  }
};

TEST(SharedMemory, AccessesAreThoseOfTheirBytes) {
  std::mt19937 random(7);
  auto below = [&](unsigned limit) { return unsigned(random() % limit); };
  for (unsigned run = 0; run < 60; ++run) {
    Windows windows;
    std::vector<WarpClock> clocks;
    clocks.reserve(warps);
    for (unsigned warp = 0; warp < warps; ++warp)
      clocks.emplace_back(0, warp, warps);
    for (unsigned step = 0; step < 60; ++step) {
      WarpClock &clock = clocks[below(warps)];
      std::size_t size = std::size_t(1) << below(6),
                  offset = below(unsigned(windowBytes - size)) & ~(below(2) ? 15u : 1u);
      AccessKind kind{.writes = below(2) == 0, .isStrong = below(8) == 0};
      switch (below(8)) {
      case 0: {
        VectorClock released(warps);
        clock.release(released);
        clocks[below(warps)].acquire(released);
        break;
      }
      case 1:
        clock.fenceProxies();
        break;
      case 2:
        windows.expectSame(offset, size, [&](SharedMemory &window, std::size_t first, std::size_t bytes) {
          return window.beginCopy(first, bytes, clock);
        });
        windows.whole.endCopy(offset, size);
        windows.byBytes.endCopy(offset, size);
        break;
      case 3:
        windows.expectSame(offset, size, [&](SharedMemory &window, std::size_t first, std::size_t bytes) {
          return window.writeAsynchronously(first, bytes, {2 * warps, step + 1}, clock);
        });
        break;
      case 4: {
        // Nothing is recorded if there is something to report.
        bool isFine = windows.whole.recordIfFine(offset, size, kind, clock);
        windows.expectSame(offset, size, [&](SharedMemory &window, std::size_t first, std::size_t bytes) {
          SharedMemory::Outcome outcome = window.recordAccess(first, bytes, kind, clock);
          if (&window == &windows.whole)
            EXPECT_EQ(isFine, outcome == SharedMemory::Outcome::Fine);
          return outcome;
        });
        break;
      }
      default:
        windows.expectSame(offset, size, [&](SharedMemory &window, std::size_t first, std::size_t bytes) {
          return window.recordAccess(first, bytes, kind, clock);
        });
      }
    }
  }
}

} // namespace
} // namespace triton::simulator
