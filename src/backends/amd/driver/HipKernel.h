// A kernel of machine code for AMD GPUs, ready to be launched through the driver.
#pragma once

#include "base/CompiledKernel.h"

#include <memory>

namespace triton::amd {

/// Does not need a driver; the first launch on a device loads the kernel there. `warpSize` is that of the architecture.
std::shared_ptr<const base::LoadedKernel> makeHipKernel(const base::CompiledKernel &kernel, unsigned warpSize);

} // namespace triton::amd
