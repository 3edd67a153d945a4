#include "simulator/core/RunningProgram.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

namespace triton::simulator {

static AlignedBytes allocateAligned(std::size_t size) {
  std::size_t rounded = (size + registerAlignment) / registerAlignment * registerAlignment;
  auto *bytes = static_cast<std::byte *>(std::aligned_alloc(registerAlignment, rounded));
  std::memset(bytes, 0, rounded);
  return AlignedBytes(bytes);
}

RunningProgram::RunningProgram(LaunchState &launch)
    : shared(launch.program.staticSharedBytes + launch.configuration.dynamicSharedBytes), state{launch, shared} {
  unsigned laneCount = launch.program.laneCount;
  unsigned warpCount = (launch.configuration.threads + laneCount - 1) / laneCount;
  for (unsigned i = 0; i < warpCount; ++i) {
    registers.push_back(allocateAligned(launch.program.registerBytes));
    locals.push_back(allocateAligned(launch.program.localBytes * laneCount));
  }
}

void RunningProgram::start(uint64_t linearId, llvm::ArrayRef<uint64_t> arguments) {
  const Program &program = state.launch.program;
  const LaunchConfiguration &configuration = state.launch.configuration;
  const auto &grid = configuration.grid;
  state.linearId = linearId;
  state.id = {uint32_t(linearId % grid[0]), uint32_t(linearId / grid[0] % grid[1]),
              uint32_t(linearId / grid[0] / grid[1])};
  state.epoch = 0;
  state.progress = state.sharedWrites = 0;
  state.watchesWrites = false;
  state.printed.clear();
  recurrence = {};
  shared.reset();
  warps.clear();
  warps.reserve(registers.size());
  for (unsigned i = 0; i < registers.size(); ++i) {
    unsigned left = configuration.threads - i * program.laneCount;
    LaneMask live = left >= program.laneCount ? program.allLanes() : (LaneMask(1) << left) - 1;
    warps.emplace_back(program, state, i, live, registers[i].get(), locals[i].get());
    passArguments(warps.back(), arguments);
  }
}

void RunningProgram::passArguments(Warp &warp, llvm::ArrayRef<uint64_t> arguments) {
  const Program &program = state.launch.program;
  for (auto [parameter, value] : llvm::zip_equal(program.parameters, arguments)) {
    std::byte *target = warp.write<std::byte>(parameter.value);
    if (parameter.bytes == 0) { // a one-bit parameter
      LaneMask mask = value & 1 ? program.allLanes() : 0;
      std::memcpy(target, &mask, sizeof(mask));
      continue;
    }
    for (unsigned lane = 0; lane < program.laneCount; ++lane)
      std::memcpy(target + lane * parameter.bytes, &value, parameter.bytes);
  }
}

uint64_t RunningProgram::laneInstructions() const {
  uint64_t instructions = 0;
  for (const Warp &warp : warps)
    instructions += warp.executed * warp.program.laneCount;
  return instructions;
}

/// The warps take turns, counted in instructions, so that a warp which spins for another's store lets it run. Suspicion
/// falls on a program that has changed no global memory for some turns, and is proved by a state that recurs. What
/// counts or measures time while it waits never recurs: it is given up after a number of instructions that no kernel
/// spends between two stores.
RunningProgram::Outcome RunningProgram::advance() {
  constexpr uint64_t quantum = 1 << 14, patience = 64, hopeless = 1 << 14;
  if (llvm::none_of(warps, [](const Warp &warp) { return warp.status == Warp::Status::Running; }))
    openBarrier(); // It was stuck at one.
  for (uint64_t turns = 1, idleTurns = 0;; ++turns) {
    state.watchesWrites |= turns == patience; // stores of what is there already are no change either
    bool anyRunning = false, anyWaiting = false;
    uint64_t progress = state.progress;
    for (Warp &warp : warps) {
      if (warp.status == Warp::Status::Running)
        warp.run(quantum);
      anyRunning |= warp.status == Warp::Status::Running;
      anyWaiting |= warp.status == Warp::Status::AtBarrier;
    }
    idleTurns = state.progress == progress ? idleTurns + 1 : 0;
    if (state.launch.givenUp)
      return Outcome::Stuck;
    if (!anyRunning && !anyWaiting)
      return Outcome::Ended;
    if (!anyRunning) {
      if (recurrence.isReached(warps, state))
        return Outcome::Stuck;
      openBarrier();
    } else if (llvm::isPowerOf2_64(idleTurns) && (idleTurns >= hopeless || repeatForEver())) {
      return Outcome::Stuck;
    }
  }
}

/// A barrier opens when every warp that has not ended waits at it.
void RunningProgram::openBarrier() {
  auto ended = llvm::count_if(warps, [](const Warp &warp) { return warp.status == Warp::Status::Done; });
  ++state.epoch;
  for (Warp &warp : warps) {
    if (warp.status != Warp::Status::AtBarrier)
      continue;
    if (ended)
      warp.report(
          FindingKind::DivergentBarrier, warp.barrier, warp.firstLane(),
          llvm::formatv("{0} of {1} warps of the program have ended and never reach it", ended, warps.size()).str());
    warp.status = Warp::Status::Running;
  }
}

bool RunningProgram::Recurrence::isReached(const std::vector<Warp> &warps, const ProgramState &state) {
  constexpr uint64_t suspicious = 512, hopeless = 1 << 20;
  idleBarriers = state.progress == progress ? idleBarriers + 1 : 0;
  progress = state.progress;
  if (idleBarriers < suspicious)
    return false;
  now.clear();
  for (const Warp &warp : warps)
    warp.appendState(now);
  now.insert(now.end(), state.shared.data(), state.shared.data() + state.shared.size());
  if ((idleBarriers > suspicious && now == saved) || idleBarriers >= hopeless)
    return true;
  if (llvm::isPowerOf2_64(idleBarriers)) // twice as far each time: periods of any length are found
    saved.swap(now);
  return false;
}

/// Whether every warp that runs repeats itself.
bool RunningProgram::repeatForEver() {
  constexpr uint64_t longestLoop = 1 << 14;
  return llvm::all_of(warps,
                      [](Warp &warp) { return warp.status != Warp::Status::Running || warp.repeats(longestLoop); });
}

/// At the first warp that runs, or else at the first of those that wait which has touched global memory.
void RunningProgram::reportDeadlock() {
  auto isWaiting = [](const Warp &warp) { return warp.status == Warp::Status::AtBarrier; };
  auto isRunning = [](const Warp &warp) { return warp.status == Warp::Status::Running; };
  auto waiting = llvm::count_if(warps, isWaiting), running = llvm::count_if(warps, isRunning);
  auto blamed = llvm::find_if(warps, isRunning);
  if (blamed == warps.end())
    blamed = llvm::find_if(warps, [&](const Warp &warp) { return isWaiting(warp) && warp.lastAddress; });
  if (blamed == warps.end())
    blamed = llvm::find_if(warps, isWaiting);
  std::string text = "no thread of the launch can go on";
  const Allocation *awaited = blamed->lastAddress ? state.launch.memory.find(blamed->lastAddress, 1) : nullptr;
  if (awaited)
    text += llvm::formatv(": the warp waits for byte {0} of `{1}` to change, and nobody is left to change it",
                          blamed->lastAddress - awaited->begin, awaited->name);
  else
    text += ": the warp repeats itself for ever";
  if (running != 0 && waiting != 0)
    text += llvm::formatv("; {0} of {1} warps wait for it at a barrier", waiting, warps.size());
  blamed->report(FindingKind::Deadlock, awaited ? blamed->lastAccess : blamed->barrier, blamed->firstLane(), text);
}

} // namespace triton::simulator
