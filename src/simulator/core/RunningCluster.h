// The programs of a cluster between their start and their end: one program, where the launch has no clusters.
#pragma once

#include "simulator/core/Launch.h"
#include "simulator/core/Warp.h"

namespace triton::simulator {

struct FreeAligned {
  void operator()(std::byte *pointer) const { std::free(pointer); }
};
using AlignedBytes = std::unique_ptr<std::byte, FreeAligned>;

/// The warps of a cluster's programs, their registers and shared memory. Serves for one cluster after another.
class RunningCluster {
public:
  explicit RunningCluster(LaunchState &launch);

  void start(uint64_t linearId, llvm::ArrayRef<uint64_t> arguments);

  enum class Outcome : uint8_t { Ended, Stuck };
  /// Runs until every warp has ended, or until none can go on unless another cluster changes global memory. May be
  /// called again then. A launch that is given up leaves its clusters stuck.
  Outcome advance();
  /// Where the cluster looks at the time while it is stuck, lets twice as much pass as before; whether it does.
  bool letTimePass();
  void reportDeadlock();

  /// Grows with each change of global memory.
  uint64_t changes() const { return state.progress; }
  uint64_t laneInstructions() const;
  llvm::ArrayRef<std::unique_ptr<ProgramState>> programs() const { return state.programs; }

private:
  /// Recognizes warps that are all at barriers in a state in which they were at some before, without having changed
  /// global memory since: they never end unless others change it.
  class Recurrence {
  public:
    bool isReached(const std::vector<Warp> &warps, const ClusterState &state);

  private:
    uint64_t idleBarriers = 0, progress = 0;
    std::vector<std::byte> saved, now;
  };

  void passArguments(Warp &warp, llvm::ArrayRef<uint64_t> arguments);
  bool repeatForEver();
  std::string describeBarriers() const;

  LaunchState &launch;
  ClusterState state;
  std::vector<AlignedBytes> registers, locals; ///< by warp
  std::vector<Warp> warps;
  Recurrence recurrence;
};

} // namespace triton::simulator
