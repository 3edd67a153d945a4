// Runs programs of one or several launches, one cluster after another.
#pragma once

#include "simulator/core/RunningCluster.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace triton::simulator {

/// What launches have executed.
struct Work {
  uint64_t laneInstructions = 0;
  LaunchCounts counts;
};

/// A cluster that begins.
struct NextCluster {
  LaunchState *launch;
  uint64_t id; ///< in its grid
};

/// What a program has printed.
struct PrintedText {
  const LaunchState *launch;
  uint64_t program;
  std::string text;
};

/// Runs clusters on one host thread, one after another. Without clusters, each program is a cluster of its own. A
/// cluster that waits for what another cluster may do is put aside, because a GPU would run others beside it.
class Worker {
public:
  /// `next` returns the clusters in order, and none at the end.
  void run(llvm::function_ref<std::optional<NextCluster>()> next);

  Work work;
  std::vector<PrintedText> printed;

private:
  std::unique_ptr<RunningCluster> takeIdle(LaunchState &launch);
  bool isFull(const LaunchState &launch) const;
  bool advance(RunningCluster &cluster);
  bool wake();
  bool letTimePass();
  void reportDeadlock();

  std::vector<std::unique_ptr<RunningCluster>> idle, waiting;
  uint64_t changes = 0; ///< of global memory, by all clusters
};

} // namespace triton::simulator
