// The programs of a cluster while they run. Without clusters, this is one program.
#pragma once

#include "simulator/core/AlignedBytes.h"
#include "simulator/core/Launch.h"
#include "simulator/core/Warp.h"

namespace triton::simulator {

/// The warps of a cluster's programs, their registers and shared memory. Used for one cluster after another.
class RunningCluster {
public:
  explicit RunningCluster(LaunchState &launch);

  void start(uint64_t linearId);

  enum class Outcome : uint8_t { Ended, Stuck };
  /// Runs until every warp has ended, or until none can continue unless another cluster changes global memory. In the
  /// second case it may be called again. When a launch is given up, its clusters remain stuck.
  Outcome advance();
  /// If the cluster reads the time while it is stuck, lets twice as much time pass as before. Returns whether it does.
  bool letTimePass();
  void reportDeadlock();

  /// In clocks.
  uint64_t number() const { return state.number; }
  /// Once it has ended: all that it has done, and what its warps know of others.
  ClusterClocks everything() const;
  LaunchState &ofLaunch() const { return launch; }
  /// Increases with each change of global memory.
  uint64_t changes() const { return state.progress; }
  uint64_t laneInstructions() const;
  LaunchCounts counts() const;
  llvm::ArrayRef<std::unique_ptr<ProgramState>> programs() const { return state.programs; }

private:
  /// Recognizes that all warps are at barriers in a state in which they have been at barriers before, and that they
  /// have not changed global memory in between. Such warps never end unless others change memory.
  class Recurrence {
  public:
    bool isReached(const std::vector<Warp> &warps, const ClusterState &state);

  private:
    uint64_t idleBarriers = 0, progress = 0;
    std::vector<std::byte> saved, now;
  };

  void passArguments(Warp &warp);
  bool repeatForEver();
  std::string describeBarriers() const;

  LaunchState &launch;
  ClusterState state;
  std::vector<AlignedBytes> registers, locals; ///< by warp
  std::vector<Warp> warps;
  Recurrence recurrence;
};

} // namespace triton::simulator
