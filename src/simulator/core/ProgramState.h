// The state of running programs that their warps share.
#pragma once

#include "simulator/core/Barrier.h"
#include "simulator/core/Memory.h"
#include "simulator/core/MemoryBarrier.h"
#include "simulator/core/SharedMemory.h"
#include "simulator/core/TensorMemory.h"
#include "simulator/core/WarpGroup.h"

#include <array>
#include <map>

namespace triton::simulator {

struct ClusterState;
struct LaunchState;

/// One running program.
struct ProgramState {
  ProgramState(LaunchState &launch, ClusterState &cluster, unsigned rank, unsigned warpCount, std::size_t sharedBytes)
      : launch(launch), cluster(cluster), rank(rank), warpCount(warpCount), shared(sharedBytes, rank * warpCount) {}

  /// The barrier with this number; all warps use barrier 0.
  WarpBarrier &barrier(unsigned number);
  void warpEnded(Warp &warp);

  /// The barrier at an offset in shared memory, or null.
  MemoryBarrier *findBarrier(std::size_t offset) const {
    auto found = memoryBarriers.find(offset);
    return found == memoryBarriers.end() ? nullptr : found->second.get();
  }
  /// Returns whether there was none before.
  bool addBarrier(std::size_t offset, uint32_t arrivals, const Warp &warp);
  void removeBarrier(std::size_t offset);
  /// Makes the barriers that a warp has initialized visible to asynchronous operations.
  void fenceBarriers(const Warp &warp);

  /// Forgets everything for the next program.
  void start(std::array<uint32_t, 3> newId, uint64_t newLinearId);

  LaunchState &launch;
  ClusterState &cluster;
  unsigned rank; ///< among the programs of its cluster
  unsigned warpCount;
  SharedMemory shared;
  std::array<uint32_t, 3> id{};
  uint64_t linearId = 0;
  /// The warp group of this warp: the four warps that multiply together.
  WarpGroup &group(const Warp &warp);

  /// Made when it is first used.
  TensorMemory &tensorMemory() {
    if (!memoryOfUnit)
      memoryOfUnit = std::make_unique<TensorMemory>();
    return *memoryOfUnit;
  }

  std::string printed; ///< what device_print wrote

private:
  /// What is not done although all warps have ended.
  void reportMissing(Warp &last) const;

  std::map<unsigned, WarpBarrier> barriers;                             ///< those that were used
  std::map<unsigned, WarpGroup> groups;                                 ///< by number, those that multiply
  std::map<std::size_t, std::unique_ptr<MemoryBarrier>> memoryBarriers; ///< by offset
  std::vector<std::unique_ptr<MemoryBarrier>> removedBarriers;          ///< warps may still wait for them
  std::unique_ptr<TensorMemory> memoryOfUnit;
  std::vector<const Warp *> ended;
};

/// Programs that run together, can wait for each other and can access each other's shared memory. If the launch has no
/// clusters, each program is a cluster of its own.
struct ClusterState {
  /// The program whose shared memory contains [address, address + size), or null.
  ProgramState *findShared(uintptr_t address, std::size_t size) const {
    if (programs.size() > 1)
      for (const std::unique_ptr<ProgramState> &program : programs)
        if (program->shared.contains(address, size))
          return program.get();
    return nullptr;
  }

  std::array<uint32_t, 3> id{};
  uint64_t linearId = 0;
  uint64_t number = 0; ///< in clocks, where launches on several devices have different ones
  std::vector<std::unique_ptr<ProgramState>> programs; ///< by rank
  std::unique_ptr<WarpBarrier> barrier;
  /// The number of a new agent, which does asynchronous operations. If there are too many agents, several share a
  /// number, and races are missed.
  unsigned addAgent() { return std::min(agents++, AccessStamp::severalWarps - 1); }
  unsigned agents = 0;   ///< including the cluster's warps and the agents that stand for their writes
  uint64_t progress = 0; ///< changes of global memory: a cluster that makes none may wait without end
  uint64_t sharedWrites = 0;
  uint64_t timePassed = 0;    ///< nanoseconds during which nothing ran
  bool readsTime = false;     ///< in the current turn of the warps
  bool watchesWrites = false; ///< a store counts as progress only if it changes memory
};

} // namespace triton::simulator
