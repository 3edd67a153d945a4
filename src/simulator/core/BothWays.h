// Launches that run twice: by the fast code, and by the plain code, which computes, moves and records each element by
// itself. Both must agree.
#pragma once

#include "simulator/core/Launch.h"

#include <atomic>

namespace triton::simulator {

/// Whether each launch of the process runs both ways, unless somebody wants its map.
std::atomic<bool> &runsBothWays();

/// Runs a launch by the fast code, and again from the same contents by the plain code, one program after another. Ends
/// the process if the two leave other bytes in the arrays, or have other findings, texts or counts of instructions.
LaunchResult launchBothWays(const Program &program, LaunchConfiguration configuration,
                            llvm::ArrayRef<uint64_t> arguments, std::vector<Allocation> allocations);

/// Runs a launch once (Launch.cpp).
LaunchResult launchOneWay(const Program &program, LaunchConfiguration configuration, llvm::ArrayRef<uint64_t> arguments,
                          std::vector<Allocation> allocations);

} // namespace triton::simulator
