// What happens before what: vector clocks over the warps that synchronize with one another by barriers, those of a
// program or of the programs of a cluster, and what these know of the warps of other clusters.
//
// Asynchronous operations are done by agents, which have numbers behind those of the cluster's W warps. The numbers W
// to 2W - 1 stand for the writes of the warps as far as asynchronous operations see them: a fence of the proxies raises
// them to what the warp knows. An agent's time counts what it has completed; a warp that waits for it knows that time.
#pragma once

#include "simulator/core/ClusterClocks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace triton::simulator {

/// For each warp, how much of what it did is known, as the time at which it made that known.
class VectorClock {
public:
  static constexpr uint32_t everything = UINT32_MAX;

  explicit VectorClock(unsigned warps) : clocks(warps, 0) {}
  /// The time of a warp or an agent; agents of which nothing is known have the time 0.
  uint32_t operator[](unsigned agent) const { return agent < clocks.size() ? clocks[agent] : 0; }
  uint32_t &operator[](unsigned warp) { return clocks[warp]; }
  void raise(unsigned agent, uint32_t time) {
    if (agent >= clocks.size())
      clocks.resize(agent + 1);
    clocks[agent] = std::max(clocks[agent], time);
  }
  unsigned size() const { return unsigned(clocks.size()); }
  /// The times of the cluster's own warps.
  llvm::ArrayRef<uint32_t> times() const { return clocks; }
  const ClusterClocks &otherClusters() const { return others.get(); }
  void join(const VectorClock &other) {
    joinTimes(other.clocks);
    others.join(other.otherClusters());
  }
  /// The same for values about all clusters, among which this one has the given number.
  void join(uint64_t cluster, const ClusterClocks &all) {
    joinTimes(all.times(cluster));
    if (!all.isOnlyAbout(cluster)) // it is, unless programs synchronize
      others.join(all);
  }

private:
  void joinTimes(llvm::ArrayRef<uint32_t> times) {
    if (times.size() > clocks.size())
      clocks.resize(times.size());
    for (auto [time, other] : llvm::zip(clocks, times))
      time = std::max(time, other);
  }

  llvm::SmallVector<uint32_t, 8> clocks;
  DeferredClocks others; ///< about the own cluster, it may contain times that `clocks` also contains
};

/// The clock of one warp: what it knows of the others, and its own time, which advances when it makes its work known.
class WarpClock {
public:
  WarpClock(uint64_t cluster, unsigned self, unsigned warps)
      : ownCluster(cluster), self(self), warps(warps), known(warps) {
    known[self] = 1;
    updateLeast();
  }

  uint64_t cluster() const { return ownCluster; }
  unsigned warp() const { return self; }
  uint32_t now() const { return known[self]; }
  /// Whether what `warp` of this cluster did at its time `time` happens before what this warp does now. Time 0 is
  /// before everything.
  bool hasSeen(unsigned warp, uint32_t time) const { return warp == self || time <= std::as_const(known)[warp]; }
  /// The same for a warp of another cluster.
  bool hasSeen(uint64_t cluster, unsigned warp, uint32_t time) const {
    llvm::ArrayRef<uint32_t> times = known.otherClusters().times(cluster);
    return warp < times.size() && time <= times[warp];
  }
  /// Whether everything in `clocks` happens before what this warp does now.
  bool hasSeen(const ClusterClocks &clocks) const;
  /// The time up to which everything that the other warps did has been seen.
  uint32_t leastOfOthers() const { return least; }

  /// Whether an asynchronous operation that this warp starts now sees what a warp or agent wrote at its time `time`.
  bool isVisibleToProxy(unsigned writer, uint32_t time) const {
    return time <= std::as_const(known)[writer < warps ? warps + writer : writer];
  }
  /// The same for a write by a warp of any cluster.
  bool isVisibleToProxy(uint64_t cluster, unsigned writer, uint32_t time) const {
    return cluster == ownCluster ? isVisibleToProxy(writer, time)
                                 : hasSeen(cluster, writer < warps ? warps + writer : writer, time);
  }
  bool isAgent(unsigned number) const { return number >= 2 * warps; }
  /// The clock of an agent for what it does for this warp from now on.
  WarpClock ofAgent(unsigned number, uint32_t time) const {
    WarpClock clock = *this;
    clock.self = number;
    clock.known.raise(number, time);
    return clock;
  }
  /// Asynchronous operations that this warp starts see the writes that it knows of. The same holds for warps that
  /// acquire its clock.
  void fenceProxies() {
    for (unsigned warp = 0; warp < warps; ++warp)
      known.raise(warps + warp, known[warp]);
    ++known[self];
  }
  /// The warp has waited for what an agent had done at this time.
  void waitFor(unsigned agent, uint32_t time) {
    known.raise(agent, time);
    updateLeast();
  }

  /// What this warp has done so far happens before what is done, from now on, by those who acquire `clock`.
  void release(VectorClock &clock) {
    clock.join(known);
    ++known[self];
  }
  void acquire(const VectorClock &clock) {
    known.join(clock);
    updateLeast();
  }
  /// What this warp has done so far happens before what is done by those, in any cluster, who acquire the result.
  ClusterClocks release() {
    ClusterClocks all = known.otherClusters().join(ClusterClocks(ownCluster, known.times()));
    ++known[self];
    return all;
  }
  void acquire(const ClusterClocks &all) {
    known.join(ownCluster, all);
    updateLeast();
  }
  void acquire(const DeferredClocks &all) {
    all.forEach([&](const ClusterClocks &clocks) { known.join(ownCluster, clocks); });
    updateLeast();
  }

private:
  void updateLeast() {
    least = VectorClock::everything;
    for (unsigned agent = 0; agent < known.size(); ++agent)
      if (agent != self && (agent < warps || agent >= 2 * warps))
        least = std::min(least, known[agent]);
  }

  uint64_t ownCluster;
  unsigned self, warps;
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
