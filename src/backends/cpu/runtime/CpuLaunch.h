// Runs a compiled CPU kernel over a grid.
#pragma once

#include "base/LoadedKernel.h"
#include "base/ThreadCounters.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace triton::cpu {

/// The entry point of a compiled CPU kernel. Runs programs [begin, end) of the grid, numbered with x fastest: p = x +
/// grid[0] * (y + grid[1] * z). `arguments` contains one 8-byte slot for each runtime argument, in order, as
/// base/Signature.h describes it. `scratch` points to StageResults::scratchBytes bytes, which are 64-byte aligned and
/// private to the calling thread.
using CpuEntry = void (*)(const void *arguments, const int32_t *grid, int64_t begin, int64_t end, void *scratch);

/// Timing of one kernel's programs, kept across launches to decide whether waking other threads pays.
struct LaunchHistory {
  double nanosecondsPerProgram = 0; ///< moving average; 0: not known yet
};

/// What each thread did of a launch, the launching thread first.
struct ThreadParts {
  explicit ThreadParts(const base::ThreadCounters *counters = nullptr) : counters(counters) {}
  void resize(std::size_t threads);

  const base::ThreadCounters *counters;  ///< null: only time is measured
  std::vector<int64_t> nanoseconds;      ///< in which it ran programs
  std::vector<base::CounterSums> counts; ///< empty without counters
};

/// Runs all programs of `grid` (each extent >= 1) on the calling thread and the pool, on at most `maxThreads` threads
/// (0: all cores). Returns when all programs have ended. A failed device_assert throws std::runtime_error with its
/// message. `interrupted` is called between programs and between the iterations of their loops. Only one thread of the
/// process may pass one at a time. `parts`, if any, gets what each thread spent.
void launchCpu(CpuEntry entry, const void *arguments, std::array<int32_t, 3> grid, std::size_t scratchBytes,
               LaunchHistory &history, int maxThreads = 0, base::InterruptCheck interrupted = nullptr,
               ThreadParts *parts = nullptr);

} // namespace triton::cpu
