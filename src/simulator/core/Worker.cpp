#include "simulator/core/Worker.h"

#include "llvm/ADT/STLExtras.h"

#include <utility>

namespace triton::simulator {

void Worker::run(llvm::function_ref<std::optional<NextCluster>()> next) {
  while (std::optional<NextCluster> begun = next()) {
    std::unique_ptr<RunningCluster> cluster = takeIdle(*begun->launch);
    cluster->start(begun->id);
    if (advance(*cluster))
      idle.push_back(std::move(cluster));
    else
      waiting.push_back(std::move(cluster));
    if (begun->launch->givenUp)
      return;
    while (isFull(*begun->launch))
      if (!wake())
        return reportDeadlock();
  }
  while (!waiting.empty())
    if (!wake())
      return reportDeadlock();
}

std::unique_ptr<RunningCluster> Worker::takeIdle(LaunchState &launch) {
  auto found = llvm::find_if(idle, [&](const auto &cluster) { return &cluster->ofLaunch() == &launch; });
  if (found == idle.end())
    return std::make_unique<RunningCluster>(launch);
  std::unique_ptr<RunningCluster> cluster = std::move(*found);
  idle.erase(found);
  return cluster;
}

/// Whether as many clusters of the launch wait as run at once on its device.
bool Worker::isFull(const LaunchState &launch) const {
  return waiting.size() >= multiprocessors && llvm::count_if(waiting, [&](const auto &cluster) {
                                                return &cluster->ofLaunch() == &launch;
                                              }) >= multiprocessors;
}

/// Lets a cluster run as far as it can. Returns whether it has ended.
bool Worker::advance(RunningCluster &cluster) {
  LaunchState &launch = cluster.ofLaunch();
  uint64_t before = cluster.changes();
  bool ended = cluster.advance() == RunningCluster::Outcome::Ended;
  changes += cluster.changes() - before;
  if (!ended)
    return false;
  if (launch.program.hasStrongAccesses)
    launch.memory.places.clusterEnded(cluster.number());
  if (launch.peer)
    launch.done = launch.done.join(cluster.everything());
  work.laneInstructions += cluster.laneInstructions();
  work.counts += cluster.counts();
  for (const std::unique_ptr<ProgramState> &program : cluster.programs())
    if (!program->printed.empty())
      printed.push_back({&launch, program->linearId, std::move(program->printed)});
  return true;
}

/// Gives each cluster that waits a turn. Returns whether one of them ended, changed memory, or waits for a time that
/// has come closer.
bool Worker::wake() {
  uint64_t before = changes;
  bool anyEnded = false;
  std::vector<std::unique_ptr<RunningCluster>> woken;
  woken.swap(waiting);
  for (std::unique_ptr<RunningCluster> &cluster : woken) {
    bool ended = advance(*cluster);
    anyEnded |= ended;
    (ended ? idle : waiting).push_back(std::move(cluster));
  }
  return anyEnded || changes != before || letTimePass();
}

bool Worker::letTimePass() {
  bool anyReads = false;
  for (std::unique_ptr<RunningCluster> &cluster : waiting)
    anyReads |= cluster->letTimePass();
  return anyReads;
}

void Worker::reportDeadlock() {
  for (std::unique_ptr<RunningCluster> &cluster : waiting)
    if (!cluster->ofLaunch().givenUp) // then no program has continued
      cluster->reportDeadlock();
}

} // namespace triton::simulator
