// Kernels that run at once, by code that was generated quickly, and by better code once they have run for a while.
#pragma once

#include "base/LoadedKernel.h"

#include <functional>
#include <memory>
#include <string>

namespace triton::compiler {

/// Makes what replaces the quick code of a kernel, or throws. Called at most once, on a thread in the background.
using MakeBetterCode = std::function<std::shared_ptr<const base::LoadedKernel>()>;

/// A kernel that launches `quick` until launches have taken some time, and what `makeBetter` gives as soon as it is
/// there. If that fails, a warning says so, and the kernel goes on with the quick code.
std::shared_ptr<const base::LoadedKernel>
makeTieredKernel(std::string name, std::shared_ptr<const base::LoadedKernel> quick, MakeBetterCode makeBetter);

/// Waits until all kernels have been replaced that have run for long enough.
void waitForBetterCode();

/// Waits for the kernel that is being replaced and replaces no more. Before static objects are destroyed.
void stopMakingBetterCode();

} // namespace triton::compiler
