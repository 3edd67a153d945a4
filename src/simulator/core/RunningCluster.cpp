#include "simulator/core/RunningCluster.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstring>

namespace triton::simulator {

static AlignedBytes allocateZeros(std::size_t size) {
  AlignedBytes bytes = allocateAligned(size, registerAlignment);
  std::memset(bytes.get(), 0, size);
  return bytes;
}

RunningCluster::RunningCluster(LaunchState &launch) : launch(launch) {
  const Program &program = launch.program;
  const LaunchConfiguration &configuration = launch.configuration;
  unsigned programs = configuration.cluster[0] * configuration.cluster[1] * configuration.cluster[2];
  unsigned warpCount = (configuration.threads + program.laneCount - 1) / program.laneCount;
  for (unsigned rank = 0; rank < programs; ++rank)
    state.programs.push_back(std::make_unique<ProgramState>(
        launch, state, rank, warpCount, program.staticSharedBytes + configuration.dynamicSharedBytes));
  for (unsigned i = 0; i < programs * warpCount; ++i) {
    registers.push_back(allocateZeros(program.registerBytes));
    locals.push_back(allocateZeros(program.localBytes * program.laneCount));
  }
}

/// The coordinates of place `index` in a box. Places are counted along the first axis first.
static std::array<uint32_t, 3> placeIn(const std::array<uint32_t, 3> &box, uint64_t index) {
  return {uint32_t(index % box[0]), uint32_t(index / box[0] % box[1]), uint32_t(index / box[0] / box[1])};
}

void RunningCluster::start(uint64_t linearId) {
  const Program &program = launch.program;
  const auto &grid = launch.configuration.grid, &cluster = launch.configuration.cluster;
  state.id = placeIn({grid[0] / cluster[0], grid[1] / cluster[1], grid[2] / cluster[2]}, linearId);
  state.linearId = linearId;
  state.number = launch.firstCluster + linearId;
  state.progress = state.sharedWrites = 0;
  state.watchesWrites = false;
  state.timePassed = 0;
  auto warpCount = unsigned(registers.size());
  state.agents = 2 * warpCount;
  state.barrier =
      std::make_unique<WarpBarrier>("the barrier of the cluster", WarpBarrier::Group::Cluster, warpCount, warpCount);
  recurrence = {};
  warps.clear();
  warps.reserve(warpCount);
  for (const std::unique_ptr<ProgramState> &running : state.programs) {
    std::array<uint32_t, 3> id = placeIn(cluster, running->rank);
    for (unsigned axis = 0; axis < 3; ++axis)
      id[axis] += state.id[axis] * cluster[axis];
    running->start(id, id[0] + uint64_t(grid[0]) * (id[1] + uint64_t(grid[1]) * id[2]));
    for (unsigned i = 0; i < running->warpCount; ++i) {
      unsigned left = launch.configuration.threads - i * program.laneCount;
      LaneMask live = left >= program.laneCount ? program.allLanes() : (LaneMask(1) << left) - 1;
      std::size_t place = warps.size();
      warps.emplace_back(program, *running, i, live, registers[place].get(), locals[place].get());
      passArguments(warps.back());
      if (!launch.known.isEmpty())
        warps.back().clock.acquire(launch.known);
    }
  }
}

ClusterClocks RunningCluster::everything() const {
  ClusterClocks all(state.number, std::vector<uint32_t>(state.agents, VectorClock::everything));
  for (const Warp &warp : warps)
    all = all.join(WarpClock(warp.clock).release());
  return all;
}

void RunningCluster::passArguments(Warp &warp) {
  const Program &program = launch.program;
  for (auto [parameter, value] : llvm::zip_equal(program.parameters, launch.arguments)) {
    std::byte *target = warp.write<std::byte>(parameter.value);
    if (parameter.bytes == 0) { // a one-bit parameter
      LaneMask mask = value & 1 ? program.allLanes() : 0;
      std::memcpy(target, &mask, sizeof(mask));
      continue;
    }
    if (parameter.bytes == sizeof(uint64_t)) { // as most of them
      std::fill_n(warp.write<uint64_t>(parameter.value), program.laneCount, value);
      continue;
    }
    for (unsigned lane = 0; lane < program.laneCount; ++lane)
      std::memcpy(target + lane * parameter.bytes, &value, parameter.bytes);
  }
}

uint64_t RunningCluster::laneInstructions() const {
  uint64_t instructions = 0;
  for (const Warp &warp : warps)
    instructions += warp.executed * warp.program.laneCount;
  return instructions;
}

LaunchCounts RunningCluster::counts() const {
  LaunchCounts sum;
  for (const Warp &warp : warps)
    if (warp.counter)
      sum += warp.counter->counts;
  return sum;
}

static bool isRunning(const Warp &warp) { return warp.status == Warp::Status::Running; }
static bool isWaiting(const Warp &warp) { return warp.status == Warp::Status::Waiting; }
/// Whether a warp that waits continues at its next turn.
static bool isReady(const Warp &warp) { return isWaiting(warp) && warp.awaited.barrier->isOver(warp.awaited.phase); }

/// The warps take turns, counted in instructions, so that a warp which spins until another warp stores lets that warp
/// run. A cluster that has changed no global memory for some turns is suspected of a deadlock, and a state that recurs
/// proves it. A warp that counts or measures time while it waits never recurs. It is given up after a number of
/// instructions that no kernel spends between two stores.
RunningCluster::Outcome RunningCluster::advance() {
  constexpr uint64_t quantum = 1 << 14, patience = 64, hopeless = 1 << 14, patienceWithTime = 4;
  for (uint64_t turns = 1, idleTurns = 0;; ++turns) {
    state.watchesWrites |= turns == patience; // a store of the value that is already there is not a change either
    uint64_t progress = state.progress;
    state.readsTime = false;
    for (Warp &warp : warps)
      warp.wake();
    for (std::size_t i = 0; i < warps.size(); ++i) {
      Warp &warp = warps[launch.order % 2 == 0 ? i : warps.size() - 1 - i];
      if (!isRunning(warp))
        continue;
      warp.run(quantum);
      if (warp.status == Warp::Status::Done)
        warp.state.warpEnded(warp);
    }
    idleTurns = state.progress == progress ? idleTurns + 1 : 0;
    if (launch.mostInstructions && laneInstructions() > launch.mostInstructions)
      launch.isTooLong = launch.givenUp = true;
    if (launch.givenUp)
      return Outcome::Stuck;
    bool anyReady = llvm::any_of(warps, isReady);
    if (llvm::any_of(warps, isRunning)) {
      if (state.readsTime && idleTurns >= patienceWithTime)
        return Outcome::Stuck;
      if (llvm::isPowerOf2_64(idleTurns) && (idleTurns >= hopeless || (!anyReady && repeatForEver())))
        return Outcome::Stuck;
    } else if (!llvm::any_of(warps, isWaiting)) {
      return Outcome::Ended;
    } else if (!anyReady || recurrence.isReached(warps, state)) {
      return Outcome::Stuck;
    }
  }
}

bool RunningCluster::letTimePass() {
  constexpr uint64_t shortest = 1000, longest = uint64_t(1) << 62;
  if (!state.readsTime || state.timePassed >= longest)
    return false;
  state.timePassed += std::max(shortest, state.timePassed);
  return true;
}

bool RunningCluster::Recurrence::isReached(const std::vector<Warp> &warps, const ClusterState &state) {
  constexpr uint64_t suspicious = 512, hopeless = 1 << 20;
  idleBarriers = state.progress == progress ? idleBarriers + 1 : 0;
  progress = state.progress;
  if (idleBarriers < suspicious)
    return false;
  now.clear();
  for (const Warp &warp : warps)
    warp.appendState(now);
  for (const std::unique_ptr<ProgramState> &program : state.programs)
    now.insert(now.end(), program->shared.data(), program->shared.data() + program->shared.size());
  if ((idleBarriers > suspicious && now == saved) || idleBarriers >= hopeless)
    return true;
  if (llvm::isPowerOf2_64(idleBarriers)) // twice as far each time, so that periods of any length are found
    saved.swap(now);
  return false;
}

/// Whether every warp that runs repeats its state.
bool RunningCluster::repeatForEver() {
  constexpr uint64_t longestLoop = 1 << 14;
  return llvm::all_of(warps, [](Warp &warp) { return !isRunning(warp) || warp.repeats(longestLoop); });
}

/// For each barrier at which warps wait, the warps that have arrived and those that have not.
std::string RunningCluster::describeBarriers() const {
  llvm::SmallVector<const Barrier *, 4> barriers;
  std::string text;
  for (const Warp &warp : warps)
    if (isWaiting(warp) && !isReady(warp) && !llvm::is_contained(barriers, warp.awaited.barrier)) {
      barriers.push_back(warp.awaited.barrier);
      text += (text.empty() ? "" : "; ") + warp.awaited.barrier->describe();
    }
  return text;
}

/// Reports a deadlock at the first warp that runs, otherwise at the first waiting warp that has accessed global memory.
/// If no warp can run unless another one arrives, reports it at the first that waits.
void RunningCluster::reportDeadlock() {
  auto waiting = llvm::count_if(warps, isWaiting), running = llvm::count_if(warps, isRunning);
  auto blamed = llvm::find_if(warps, isRunning);
  bool onlyBarriers = running == 0 && llvm::none_of(warps, isReady);
  if (blamed == warps.end() && !onlyBarriers)
    blamed = llvm::find_if(warps, [&](const Warp &warp) { return isWaiting(warp) && warp.lastAddress; });
  if (blamed == warps.end())
    blamed = llvm::find_if(warps, isWaiting);
  std::string text = "no thread of the launch can go on";
  if (onlyBarriers) {
    text += ": the warp waits at " + blamed->awaited.barrier->name() + "; " + describeBarriers();
    return blamed->report(FindingKind::Deadlock, blamed->awaited.location, blamed->firstLane(), text);
  }
  const Allocation *awaited = blamed->lastAddress ? launch.memory.find(blamed->lastAddress, 1) : nullptr;
  if (awaited)
    text += llvm::formatv(": the warp waits for byte {0} of `{1}` to change, and nobody is left to change it",
                          blamed->lastAddress - awaited->begin, awaited->name);
  else
    text += ": the warp repeats itself without end";
  if (running != 0 && waiting != 0)
    text +=
        llvm::formatv("; {0} of {1} warps wait for it at a barrier: {2}", waiting, warps.size(), describeBarriers());
  blamed->report(FindingKind::Deadlock, awaited ? blamed->lastAccess : blamed->awaited.location, blamed->firstLane(),
                 text);
}

} // namespace triton::simulator
