#include "simulator/Launch.h"

#include "simulator/Warp.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>
#include <map>
#include <mutex>
#include <thread>

namespace triton::simulator {

namespace {

struct FreeAligned {
  void operator()(std::byte *pointer) const { std::free(pointer); }
};
using AlignedBytes = std::unique_ptr<std::byte, FreeAligned>;

AlignedBytes allocateAligned(std::size_t size) {
  std::size_t rounded = (size + registerAlignment) / registerAlignment * registerAlignment;
  auto *bytes = static_cast<std::byte *>(std::aligned_alloc(registerAlignment, rounded));
  std::memset(bytes, 0, rounded);
  return AlignedBytes(bytes);
}

/// Runs programs one at a time; each host thread has its own.
class Worker {
public:
  Worker(LaunchState &launch, llvm::ArrayRef<uint64_t> arguments)
      : launch(launch), arguments(arguments),
        shared(launch.program.staticSharedBytes + launch.configuration.dynamicSharedBytes) {
    warpCount = (launch.configuration.threads + laneCount - 1) / laneCount;
    for (unsigned i = 0; i < warpCount; ++i) {
      registers.push_back(allocateAligned(launch.program.registerBytes));
      locals.push_back(allocateAligned(launch.program.localBytes * laneCount));
    }
  }

  void runProgram(uint64_t linearId) {
    const auto &grid = launch.configuration.grid;
    ProgramState state{launch, shared, {}, linearId, 0, 0, 0, {}};
    state.id = {uint32_t(linearId % grid[0]), uint32_t(linearId / grid[0] % grid[1]),
                uint32_t(linearId / grid[0] / grid[1])};
    shared.reset();
    std::vector<Warp> warps;
    warps.reserve(warpCount);
    for (unsigned i = 0; i < warpCount; ++i) {
      unsigned left = launch.configuration.threads - i * laneCount;
      LaneMask live = left >= laneCount ? allLanes : (LaneMask(1) << left) - 1;
      warps.emplace_back(launch.program, state, i, live, registers[i].get(), locals[i].get());
      passArguments(warps.back());
    }
    schedule(warps, state);
    for (const Warp &warp : warps)
      laneInstructions += warp.executed * laneCount;
    if (!state.printed.empty())
      printed.push_back({linearId, std::move(state.printed)});
  }

  uint64_t laneInstructions = 0;
  std::vector<std::pair<uint64_t, std::string>> printed; ///< by program

private:
  void passArguments(Warp &warp) {
    for (auto [parameter, value] : llvm::zip_equal(launch.program.parameters, arguments)) {
      std::byte *target = warp.write<std::byte>(parameter.value);
      if (parameter.bytes == 0) { // a one-bit parameter
        LaneMask mask = value & 1 ? allLanes : 0;
        std::memcpy(target, &mask, sizeof(mask));
        continue;
      }
      for (unsigned lane = 0; lane < laneCount; ++lane)
        std::memcpy(target + lane * parameter.bytes, &value, parameter.bytes);
    }
  }

  /// Lets the warps take turns; a barrier opens when every warp that has not ended waits at it. The turns are counted
  /// in instructions, so that a warp which spins for another's store lets it run.
  void schedule(std::vector<Warp> &warps, ProgramState &state) {
    constexpr uint64_t quantum = 1 << 14, suspicious = 1 << 6, hopeless = 1 << 16;
    uint64_t idleTurns = 0;
    Recurrence recurrence;
    while (true) {
      bool anyRunning = false, anyWaiting = false;
      uint64_t progress = state.progress;
      for (Warp &warp : warps) {
        if (warp.status == Warp::Status::Running)
          warp.run(quantum);
        anyRunning |= warp.status == Warp::Status::Running;
        anyWaiting |= warp.status == Warp::Status::AtBarrier;
      }
      idleTurns = state.progress == progress ? idleTurns + 1 : 0;
      if (!anyRunning && !anyWaiting)
        return;
      if (!anyRunning) {
        if (recurrence.isReached(warps, state))
          return reportDeadlock(warps);
        ++state.epoch;
        for (Warp &warp : warps)
          if (warp.status == Warp::Status::AtBarrier)
            warp.status = Warp::Status::Running;
        idleTurns = 0;
      } else if (idleTurns % suspicious == suspicious - 1 && (idleTurns > hopeless || repeatForEver(warps))) {
        return reportDeadlock(warps);
      }
    }
  }

  /// Recognizes a program that comes to a barrier in a state in which it was at one before, without having changed
  /// global memory since: it never ends.
  class Recurrence {
  public:
    bool isReached(const std::vector<Warp> &warps, const ProgramState &state) {
      constexpr uint64_t suspicious = 512;
      idleBarriers = state.progress == progress ? idleBarriers + 1 : 0;
      progress = state.progress;
      if (idleBarriers < suspicious)
        return false;
      now.clear();
      for (const Warp &warp : warps)
        warp.appendState(now);
      now.insert(now.end(), state.shared.data(), state.shared.data() + state.shared.size());
      if (idleBarriers > suspicious && now == saved)
        return true;
      if ((idleBarriers & (idleBarriers - 1)) == 0) // twice as far each time: periods of any length are found
        saved.swap(now);
      return false;
    }

  private:
    uint64_t idleBarriers = 0, progress = 0;
    std::vector<std::byte> saved, now;
  };

  /// Whether every warp that runs repeats itself, which proves a deadlock.
  static bool repeatForEver(std::vector<Warp> &warps) {
    constexpr uint64_t longestLoop = 1 << 14;
    return llvm::all_of(warps,
                        [](Warp &warp) { return warp.status != Warp::Status::Running || warp.repeats(longestLoop); });
  }

  /// At the warps that run, or else at the barrier where all wait.
  static void reportDeadlock(std::vector<Warp> &warps) {
    auto waiting = llvm::count_if(warps, [](const Warp &warp) { return warp.status == Warp::Status::AtBarrier; });
    auto running = llvm::count_if(warps, [](const Warp &warp) { return warp.status == Warp::Status::Running; });
    for (Warp &warp : warps) {
      if (warp.status == Warp::Status::Done || (running != 0 && warp.status == Warp::Status::AtBarrier))
        continue;
      std::string text = "the warp repeats itself for ever: nothing changes the memory that it waits for";
      if (running != 0 && waiting != 0)
        text += llvm::formatv(", and {0} of {1} warps wait for it at a barrier", waiting, warps.size());
      warp.report(FindingKind::Deadlock, warp.lastAccess, warp.active ? unsigned(__builtin_ctz(warp.active)) : 0, text);
      return;
    }
  }

  LaunchState &launch;
  llvm::ArrayRef<uint64_t> arguments;
  SharedMemory shared;
  unsigned warpCount;
  std::vector<AlignedBytes> registers, locals;
};

} // namespace

/// Runs all programs on `hostThreads` threads and returns the lane-instructions executed.
static uint64_t runPrograms(LaunchState &state, llvm::ArrayRef<uint64_t> arguments, unsigned hostThreads,
                            std::string &printed) {
  const auto &grid = state.configuration.grid;
  uint64_t programs = uint64_t(grid[0]) * grid[1] * grid[2];
  state.memory.begin(state.program.hasGlobalAtomics ? ProgramOrder::Synchronized
                     : hostThreads == 1             ? ProgramOrder::Sequential
                                                    : ProgramOrder::Concurrent,
                     programs);
  std::atomic<uint64_t> next{0};
  std::mutex mutex;
  uint64_t laneInstructions = 0;
  std::map<uint64_t, std::string> texts;
  auto work = [&] {
    Worker worker(state, arguments);
    for (uint64_t id; (id = next.fetch_add(1)) < programs;)
      worker.runProgram(id);
    std::lock_guard lock(mutex);
    laneInstructions += worker.laneInstructions;
    texts.insert(std::make_move_iterator(worker.printed.begin()), std::make_move_iterator(worker.printed.end()));
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < hostThreads; ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
  printed.clear();
  for (const auto &[id, text] : texts)
    printed += text;
  return laneInstructions;
}

LaunchResult launch(const Program &program, const LaunchConfiguration &configuration,
                    llvm::ArrayRef<uint64_t> arguments, std::vector<Allocation> allocations) {
  GlobalMemory memory(std::move(allocations));
  Report report;
  LaunchState state{program, configuration, memory, report};
  uint64_t programs = uint64_t(configuration.grid[0]) * configuration.grid[1] * configuration.grid[2];
  unsigned hostThreads = configuration.hostThreads ? configuration.hostThreads : std::thread::hardware_concurrency();
  if (program.hasGlobalAtomics)
    hostThreads = 1;
  hostThreads = unsigned(std::min<uint64_t>(hostThreads, programs));

  std::vector<std::vector<std::byte>> contents;
  if (hostThreads > 1)
    contents = memory.save();
  std::string printed;
  uint64_t laneInstructions = runPrograms(state, arguments, hostThreads, printed);
  if (hostThreads > 1 && report.has(FindingKind::GlobalRace)) {
    memory.restore(contents);
    report.clear();
    laneInstructions = runPrograms(state, arguments, 1, printed);
  }
  if (configuration.print)
    configuration.print(printed);
  else
    (llvm::outs() << printed).flush();
  return {report.findings(), laneInstructions};
}

} // namespace triton::simulator
