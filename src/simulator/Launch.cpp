#include "simulator/Launch.h"

#include "simulator/Warp.h"

#include "llvm/Support/FormatVariadic.h"

#include <cstring>
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
    ProgramState state{launch, shared, {}, linearId, 0};
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
  }

  uint64_t laneInstructions = 0;

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
    constexpr uint64_t quantum = 1 << 14, patience = uint64_t(1) << 23;
    uint64_t turns = 0;
    while (true) {
      bool anyRunning = false, anyWaiting = false;
      for (Warp &warp : warps) {
        if (warp.status == Warp::Status::Running)
          warp.run(quantum);
        anyRunning |= warp.status == Warp::Status::Running;
        anyWaiting |= warp.status == Warp::Status::AtBarrier;
      }
      if (!anyRunning && !anyWaiting)
        return;
      if (!anyRunning) {
        ++state.epoch;
        for (Warp &warp : warps)
          if (warp.status == Warp::Status::AtBarrier)
            warp.status = Warp::Status::Running;
        turns = 0;
      } else if (++turns > patience / quantum) {
        for (Warp &warp : warps)
          if (warp.status == Warp::Status::Running)
            warp.report(
                FindingKind::Deadlock, warp.waitLocation, 0,
                llvm::formatv("the warp has not come to an end or a barrier after {0} instructions", patience).str());
        return;
      }
    }
  }

  LaunchState &launch;
  llvm::ArrayRef<uint64_t> arguments;
  SharedMemory shared;
  unsigned warpCount;
  std::vector<AlignedBytes> registers, locals;
};

} // namespace

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

  std::atomic<uint64_t> next{0}, laneInstructions{0};
  auto work = [&] {
    Worker worker(state, arguments);
    for (uint64_t id; (id = next.fetch_add(1)) < programs;)
      worker.runProgram(id);
    laneInstructions += worker.laneInstructions;
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < hostThreads; ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
  return {report.findings(), laneInstructions};
}

} // namespace triton::simulator
