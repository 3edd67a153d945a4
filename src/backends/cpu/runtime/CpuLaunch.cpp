#include "backends/cpu/runtime/CpuLaunch.h"
#include "backends/cpu/runtime/CpuRuntimeFunctions.h"
#include "backends/cpu/runtime/InterruptTimer.h"
#include "backends/cpu/runtime/ThreadPool.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <optional>
#include <stdexcept>

using namespace triton::cpu;
using Clock = std::chrono::steady_clock;

static const bool functionsRegistered = (registerCpuRuntimeFunctions(), true);

// Below this much work, waking a sleeping thread costs more than it gains. With a spinning thread the limit is lower.
static constexpr double wakeThresholdNanoseconds = 20000;
static constexpr double shareThresholdNanoseconds = 2000;
// How often threads may claim work: a claim takes some tenths of a microsecond where many threads compete.
static constexpr double chunkNanoseconds = 1500;

/// Mixes a measurement into the average. Launches of one kernel at the same time may lose an update, which does no
/// harm.
static void record(LaunchHistory &history, double nanosecondsPerProgram) {
  std::atomic_ref<double> average(history.nanosecondsPerProgram);
  double previous = average.load(std::memory_order_relaxed);
  average.store(previous == 0 ? nanosecondsPerProgram : 0.75 * previous + 0.25 * nanosecondsPerProgram,
                std::memory_order_relaxed);
}

/// Runs the rest of the range on as many threads as are fastest, and records how long a program took.
static void runTimed(ProgramRange &range, LaunchHistory &history, int maxThreads) {
  double perProgram = std::atomic_ref<double>(history.nanosecondsPerProgram).load(std::memory_order_relaxed);
  double estimate = perProgram * double(range.end - range.begin);
  Clock::time_point start = Clock::now();
  int64_t programs = range.end - range.begin;
  if (maxThreads != 1 && programs > 1 && estimate >= shareThresholdNanoseconds) {
    ThreadPool &pool = ThreadPool::get();
    unsigned threads = maxThreads > 0 ? unsigned(maxThreads) : pool.threadCount();
    threads = std::min(threads, pool.threadCount());
    bool isAwake = pool.hasSpinningWorker();
    bool wake = estimate >= wakeThresholdNanoseconds && (isAwake || pool.paysToWake(estimate, threads));
    auto leastChunk = int64_t(std::ceil(chunkNanoseconds / std::max(perProgram, 1.0)));
    if (threads > 1 && (wake || isAwake) && pool.tryRun(range, threads, wake, leastChunk)) {
      if (range.ownPrograms != 0)
        record(history, range.ownNanoseconds / double(range.ownPrograms));
      return;
    }
  }
  range.runAs(0, range.begin, range.end, [&] { range.stopIfInterrupted(); });
  record(history, nanosecondsSince(start) / double(programs));
}

void ThreadParts::resize(std::size_t threads) {
  nanoseconds.resize(threads);
  if (counters)
    counts.resize(threads);
}

void triton::cpu::launchCpu(CpuEntry entry, const void *arguments, std::array<int32_t, 3> grid,
                            std::size_t scratchBytes, LaunchHistory &history, int maxThreads,
                            base::InterruptCheck interrupted, ThreadParts *parts) {
  __int128 programs = __int128(grid[0]) * grid[1] * grid[2];
  if (programs <= 0)
    return;
  if (programs > INT64_MAX)
    throw std::runtime_error("the grid has more than 2^63 - 1 programs");
  ProgramRange range;
  range.entry = entry;
  range.arguments = arguments;
  range.grid = grid.data();
  range.scratchBytes = scratchBytes;
  range.end = int64_t(programs);
  range.interrupted = interrupted;
  range.parts = parts;
  if (parts)
    parts->resize(1);
  std::optional<InterruptTimer> timer;
  if (interrupted)
    timer.emplace();
  auto tick = [&] { range.stopIfInterrupted(); };
  if (programs == 1) {
    range.runAs(0, 0, 1, tick);
  } else {
    if (history.nanosecondsPerProgram == 0) {
      // Nothing is known yet. One program on this thread shows whether sharing the others pays.
      Clock::time_point start = Clock::now();
      range.runAs(0, 0, 1, tick);
      record(history, nanosecondsSince(start));
      range.begin = 1;
    }
    runTimed(range, history, maxThreads);
  }
  if (range.wasInterrupted)
    throw base::LaunchInterrupted();
  if (range.failed.load(std::memory_order_acquire))
    throw std::runtime_error(range.failure);
}
