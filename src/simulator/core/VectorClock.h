// What happens before what: vector clocks over the warps that synchronize with one another by barriers, those of a
// program or of the programs of a cluster, and what these know of the warps of other clusters.
#pragma once

#include "simulator/core/ClusterClocks.h"

#include "llvm/ADT/STLExtras.h"
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
  /// By warp of the cluster itself.
  llvm::ArrayRef<uint32_t> times() const { return clocks; }
  const ClusterClocks &otherClusters() const { return others; }
  void join(const VectorClock &other) {
    joinTimes(other.clocks);
    others = others.join(other.others);
  }
  /// The same of values in which the cluster is one of all, with this number.
  void join(uint64_t cluster, const ClusterClocks &all) {
    joinTimes(all.times(cluster));
    others = others.join(all);
  }

private:
  void joinTimes(llvm::ArrayRef<uint32_t> times) {
    for (auto [time, other] : llvm::zip(clocks, times))
      time = std::max(time, other);
  }

  llvm::SmallVector<uint32_t, 8> clocks;
  ClusterClocks others; ///< of the own cluster, it may hold times that `clocks` holds too
};

/// The clock of one warp: what it knows of the others, and its own time, which advances when it lets others know.
class WarpClock {
public:
  WarpClock(uint64_t cluster, unsigned self, unsigned warps) : ownCluster(cluster), self(self), known(warps) {
    known[self] = 1;
    updateLeast();
  }

  uint64_t cluster() const { return ownCluster; }
  unsigned warp() const { return self; }
  uint32_t now() const { return known[self]; }
  /// Whether what `warp` of this cluster did at its time `time` happens before what this warp does now. Time 0 is
  /// before everything.
  bool hasSeen(unsigned warp, uint32_t time) const { return warp == self || time <= known[warp]; }
  /// The same of a warp of another cluster.
  bool hasSeen(uint64_t cluster, unsigned warp, uint32_t time) const {
    llvm::ArrayRef<uint32_t> times = known.otherClusters().times(cluster);
    return warp < times.size() && time <= times[warp];
  }
  /// Whether all that `clocks` holds happens before what this warp does now.
  bool hasSeen(const ClusterClocks &clocks) const;
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
  /// What this warp has done so far happens before what those do, in any cluster, who acquire the result.
  ClusterClocks release() {
    ClusterClocks all = known.otherClusters().join(ClusterClocks(ownCluster, known.times()));
    ++known[self];
    return all;
  }
  void acquire(const ClusterClocks &all) {
    known.join(ownCluster, all);
    updateLeast();
  }

private:
  void updateLeast() {
    least = VectorClock::everything;
    for (unsigned warp = 0; warp < known.size(); ++warp)
      if (warp != self)
        least = std::min(least, known[warp]);
  }

  uint64_t ownCluster;
  unsigned self;
  VectorClock known;
  uint32_t least = 0;
};

inline bool WarpClock::hasSeen(const ClusterClocks &clocks) const {
  return clocks.all([&](uint64_t cluster, llvm::ArrayRef<uint32_t> times) {
    return llvm::all_of(llvm::enumerate(times), [&](auto time) {
      auto warp = unsigned(time.index());
      return time.value() == 0 ||
             (cluster == ownCluster ? hasSeen(warp, time.value()) : hasSeen(cluster, warp, time.value()));
    });
  });
}

} // namespace triton::simulator
