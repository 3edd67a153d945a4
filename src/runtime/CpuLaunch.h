// Running a compiled CPU kernel over a grid.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace triton::runtime {

/// The entry point of a compiled CPU kernel. Runs programs [begin, end) of the grid, numbered with x fastest:
/// p = x + grid[0] * (y + grid[1] * z). `arguments` holds one 8-byte slot for each runtime argument, in order: pointers
/// and integers in their own width at the start of the slot, fp16/bf16/fp32/fp64 by their bits. `scratch` is
/// CompiledKernel::scratchBytes bytes, 64-byte aligned, private to the calling thread.
using CpuEntry = void (*)(const void *arguments, const int32_t *grid, int64_t begin, int64_t end, void *scratch);

/// Timing of one kernel's programs, kept across launches to decide whether waking other threads pays.
struct LaunchHistory {
  double nanosecondsPerProgram = 0; ///< moving average; 0: not known yet
};

/// Asked on the launching thread, between programs, when a launch takes long: whether to give it up.
using InterruptCheck = llvm::function_ref<bool()>;

/// Thrown by a launch that its InterruptCheck ended before all programs ran.
struct LaunchInterrupted : std::runtime_error {
  LaunchInterrupted() : std::runtime_error("the launch was interrupted") {}
};

/// Runs all programs of `grid` (each extent >= 1) on the calling thread and the pool, at most `maxThreads` (0: all
/// cores). Returns when all programs are done. A failed device_assert throws std::runtime_error with its message.
void launchCpu(CpuEntry entry, const void *arguments, std::array<int32_t, 3> grid, std::size_t scratchBytes,
               LaunchHistory &history, int maxThreads = 0, InterruptCheck interrupted = nullptr);

} // namespace triton::runtime
