// A launch on the simulator that people look at.
#pragma once

#include "KernelInput.h"

#include "llvm/Support/JSON.h"

#include <atomic>

namespace tritonc {

/// The object `memory` of docs/explorer.md of a launch over `grid` with these arguments, `name=value` each, on the
/// simulated GPU of `target`. Empty when it was abandoned. Throws what launches throw.
llvm::json::Object mapLaunch(const triton::Module &module, const triton::Kernel &kernel,
                             const triton::LaunchOptions &options, const std::string &target, const std::string &grid,
                             const std::vector<std::string> &values, const std::atomic<bool> &isAbandoned);

/// What `mapLaunch` says of time as lanes of letters, and the longest waits. `source` is the text of the kernel's
/// `file`.
std::string describeTime(const llvm::json::Object &memory, const std::string &file, const std::string &source);

} // namespace tritonc
