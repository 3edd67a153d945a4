// What happens before what: vector clocks over the warps that synchronize with one another, those of a program or of
// the programs of a cluster.
#pragma once

#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <cstdint>

namespace triton::simulator {

/// For each warp how much of what it did is known, counted in the times that it let others know.
class VectorClock {
public:
  static constexpr uint32_t everything = UINT32_MAX;

  explicit VectorClock(unsigned warps) : clocks(warps, 0) {}
  uint32_t operator[](unsigned warp) const { return clocks[warp]; }
  uint32_t &operator[](unsigned warp) { return clocks[warp]; }
  unsigned size() const { return unsigned(clocks.size()); }
  void join(const VectorClock &other) {
    for (unsigned warp = 0; warp < size(); ++warp)
      clocks[warp] = std::max(clocks[warp], other[warp]);
  }

private:
  llvm::SmallVector<uint32_t, 8> clocks;
};

/// The clock of one warp: what it knows of the others, and its own time, which advances when it lets others know.
class WarpClock {
public:
  WarpClock(unsigned self, unsigned warps) : self(self), known(warps) {
    known[self] = 1;
    updateLeast();
  }

  unsigned warp() const { return self; }
  uint32_t now() const { return known[self]; }
  /// Whether what `warp` did at its time `time` happens before what this warp does now. Time 0 is before everything.
  bool hasSeen(unsigned warp, uint32_t time) const { return warp == self || time <= known[warp]; }
  /// The time up to which everything that the other warps did has been seen.
  uint32_t leastOfOthers() const { return least; }

  /// What this warp has done so far happens before what those do who acquire `clock` from now on.
  void release(VectorClock &clock) {
    clock.join(known);
    ++known[self];
  }
  void acquire(const VectorClock &clock) {
    known.join(clock);
    updateLeast();
  }

private:
  void updateLeast() {
    least = VectorClock::everything;
    for (unsigned warp = 0; warp < known.size(); ++warp)
      if (warp != self)
        least = std::min(least, known[warp]);
  }

  unsigned self;
  VectorClock known;
  uint32_t least = 0;
};

} // namespace triton::simulator
