// The state of running programs that their warps share.
#pragma once

#include "simulator/core/Barrier.h"
#include "simulator/core/Memory.h"
#include "simulator/core/MemoryBarrier.h"
#include "simulator/core/SharedMemory.h"
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

  /// The barrier of this number; 0 is the one that all warps use.
  WarpBarrier &barrier(unsigned number);
  void warpEnded(Warp &warp);

  /// The barrier at an offset of shared memory, or null.
  MemoryBarrier *findBarrier(std::size_t offset) const {
    auto found = memoryBarriers.find(offset);
    return found == memoryBarriers.end() ? nullptr : found->second.get();
  }
  /// Whether there was none before.
  bool addBarrier(std::size_t offset, uint32_t arrivals, const Warp &warp);
  void removeBarrier(std::size_t offset);
  /// Asynchronous operations see the barriers that a warp has initialized.
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
  /// The four warps with which a warp multiplies together.
  WarpGroup &group(const Warp &warp);

  std::string printed; ///< what device_print wrote

private:
  std::map<unsigned, WarpBarrier> barriers;                             ///< those that were used
  std::map<unsigned, WarpGroup> groups;                                 ///< by number, those that multiply
  std::map<std::size_t, std::unique_ptr<MemoryBarrier>> memoryBarriers; ///< by offset
  std::vector<std::unique_ptr<MemoryBarrier>> removedBarriers;          ///< warps may still wait for them
  std::vector<const Warp *> ended;
};

/// Programs that run together, can wait for one another and reach one another's shared memory. Where the launch has no
/// clusters each program is one of its own.
struct ClusterState {
  /// The shared memory of another program that holds [address, address + size), or null.
  ProgramState *findShared(uintptr_t address, std::size_t size) const {
    if (programs.size() > 1)
      for (const std::unique_ptr<ProgramState> &program : programs)
        if (program->shared.contains(address, size))
          return program.get();
    return nullptr;
  }

  std::array<uint32_t, 3> id{};
  uint64_t linearId = 0;
  std::vector<std::unique_ptr<ProgramState>> programs; ///< by rank
  std::unique_ptr<WarpBarrier> barrier;
  /// A number for what does asynchronous operations. Behind many, several share one: races are missed then.
  unsigned addAgent() { return std::min(agents++, AccessStamp::severalWarps - 1); }
  unsigned agents = 0;   ///< with the cluster's warps and what stands for their writes
  uint64_t progress = 0; ///< changes of global memory: a cluster without any may be waiting for ever
  uint64_t sharedWrites = 0;
  uint64_t timePassed = 0;    ///< nanoseconds in which nothing ran
  bool readsTime = false;     ///< in the current turn of the warps
  bool watchesWrites = false; ///< a store counts as progress only where it changes memory
};

} // namespace triton::simulator
