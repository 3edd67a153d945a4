// Counts what warps execute and move, for profiles of simulated kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace triton::simulator {

/// The banks of shared memory, each of which gives a word of 4 bytes in a turn.
struct SharedBanks {
  unsigned narrow = 32, wide = 32; ///< wide: of accesses of 8 or 16 bytes a lane

  unsigned of(std::size_t bytes) const { return bytes == 8 || bytes == 16 ? wide : narrow; }
};

/// Sums over all warps of a launch.
struct LaunchCounts {
  uint64_t instructions = 0;       ///< of warps
  uint64_t threadInstructions = 0; ///< the same, by the lanes that were active
  uint64_t globalLoadBytes = 0, globalStoreBytes = 0;
  uint64_t globalSectors = 0; ///< of 32 bytes: each counts once for an instruction that touches it
  uint64_t sharedLoadBytes = 0, sharedStoreBytes = 0;
  uint64_t sharedWavefronts = 0; ///< turns of shared memory for loads, stores and atomic updates
  uint64_t bankConflicts = 0;    ///< those of them that accesses without conflicts would not take
  uint64_t localBytes = 0;
  uint64_t barrierArrivals = 0;

  LaunchCounts &operator+=(const LaunchCounts &other);
  LaunchCounts &operator-=(const LaunchCounts &other);
};

/// The counts of one warp. The accesses of an instruction are judged together when it ends.
class AccessCounter {
public:
  explicit AccessCounter(SharedBanks banks = {}) : banks(banks) {}

  void noteShared(std::size_t offset, std::size_t bytes, bool writes, bool isAtomic);
  /// By a copy or a matrix unit, which do not take turns with the lanes.
  void noteAsynchronousShared(std::size_t bytes, bool writes);
  void noteGlobal(uintptr_t address, std::size_t bytes, bool writes);
  void noteLocal(std::size_t bytes) { counts.localBytes += bytes; }
  void noteBarrier() { ++counts.barrierArrivals; }
  void endInstruction(unsigned activeLanes) {
    ++counts.instructions;
    counts.threadInstructions += activeLanes;
    if (!shared.empty())
      countWavefronts();
    if (!global.empty())
      countSectors();
  }

  LaunchCounts counts;

private:
  struct Access {
    uintptr_t address;
    std::size_t bytes;
    bool isAtomic;
  };

  void countWavefronts();
  void countSectors();
  void endPhase(std::size_t first, std::size_t last);

  SharedBanks banks;

  std::vector<Access> shared, global; ///< of the present instruction
  std::vector<uintptr_t> scratch;
};

} // namespace triton::simulator
