// One word that says who accessed a place in memory.
#pragma once

#include "simulator/core/Synchronization.h"

#include "llvm/ADT/DenseMap.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace triton::simulator {

/// What an access does. Strong accesses do not race with each other if the scopes of both include both.
struct AccessKind {
  bool writes = false, isStrong = false;
  Scope scope = Scope::Device;
};
constexpr AccessKind readAccess{}, writeAccess{.writes = true}, atomicAccess{.writes = true, .isStrong = true};

/// Says in one word who accessed a place: program (or cluster), warp and the warp's time. 0 means nobody. The lowest
/// bits say which bytes of a granule the stamp is about. If a warp's time exceeds the largest value, the stamp keeps
/// that value, and races between later accesses are missed.
struct AccessStamp {
  static constexpr unsigned maskBits = 4, kindBits = 3, timeBits = 20, warpBits = 10;
  static constexpr unsigned timeShift = maskBits + kindBits, warpShift = timeShift + timeBits,
                            programShift = warpShift + warpBits;
  static constexpr unsigned severalWarps = (1u << warpBits) - 1;
  static constexpr uint32_t lastTime = (1u << timeBits) - 1;
  static constexpr uint64_t allBytes = (1u << maskBits) - 1;
  static constexpr uint64_t strong = uint64_t(1) << maskBits, narrow = strong << 1; ///< narrow: within one program
  static constexpr uint64_t ofDevice = narrow << 1;                                 ///< within one device
  static constexpr uint64_t lastProgram = (uint64_t(1) << (64 - programShift)) - 1;
  static constexpr uint64_t severalPrograms = ~allBytes;
  /// Different threads accessed parts of the place: each part has its own stamps, which are kept elsewhere.
  static constexpr uint64_t byPart = uint64_t(1) << timeShift;

  /// The stamp is not about any bytes yet.
  static uint64_t pack(uint64_t program, unsigned warp, uint32_t time, AccessKind kind = {}) {
    return (std::min(program + 1, lastProgram - 1) << programShift) | (uint64_t(warp) << warpShift) |
           (uint64_t(std::min(time, lastTime)) << timeShift) | (kind.isStrong ? strong : 0) |
           (kind.isStrong && kind.scope == Scope::Program ? narrow : 0) |
           (kind.isStrong && kind.scope == Scope::Device ? ofDevice : 0);
  }
  static uint64_t program(uint64_t stamp) { return (stamp >> programShift) - 1; }
  static unsigned warp(uint64_t stamp) { return (stamp >> warpShift) & ((1u << warpBits) - 1); }
  static uint32_t time(uint64_t stamp) { return (stamp >> timeShift) & lastTime; }
  static uint64_t bytes(uint64_t stamp) { return stamp & allBytes; }
  static uint64_t thread(uint64_t stamp) { return stamp & ~allBytes; }
  static uint64_t kind(uint64_t stamp) { return stamp & (strong | narrow | ofDevice); }

  /// The stamp of a set of accesses by warps of any programs (AccessSets).
  static uint64_t packSet(std::size_t number) {
    return (lastProgram << programShift) | (uint64_t(number) << timeShift);
  }
  static bool isSet(uint64_t stamp) { return stamp >> programShift == lastProgram && thread(stamp) != severalPrograms; }
  static std::size_t numberOfSet(uint64_t stamp) {
    return (stamp >> timeShift) & ((uint64_t(1) << (timeBits + warpBits)) - 1);
  }
};

/// Sets of accesses of which none happens before another: by readers, or by atomic operations. Many places share a set.
class AccessSets {
public:
  void clear();
  const ClusterClocks &clocks(uint64_t stamp) const { return sets[AccessStamp::numberOfSet(stamp)].clocks; }
  /// The stamp of a set with the accesses of both stamps, which are about the same bytes. `first` is the stamp of
  /// `place`, and `second` that of one warp. If there are too many sets, this is the second stamp, and races with the
  /// first are missed.
  uint64_t merge(uint64_t first, uint64_t second, const void *place);

private:
  static constexpr std::size_t mostSets = std::size_t(1) << 18;
  using Pair = std::pair<uint64_t, uint64_t>; ///< of stamps, without bytes
  /// Places with the same history share a set. A place that has a set for itself adds to it.
  struct Set {
    ClusterClocks clocks;
    Pair origin;                 ///< what was merged; not used after an addition
    const void *owner = nullptr; ///< the only place with this set; null: there may be several
    bool isAsMerged = true;      ///< nothing was added
  };
  bool add(Set &set, uint64_t stamp);
  uint64_t mergeNew(Pair pair, const void *place);
  uint64_t share(uint64_t stamp);

  std::vector<Set> sets;
  llvm::DenseMap<Pair, uint64_t> merged;
  std::pair<Pair, uint64_t> lastMerged; ///< the lanes of a warp repeat this merge
};

} // namespace triton::simulator
