// A kernel of machine code for NVIDIA GPUs, ready to be launched through the driver.
#pragma once

#include "base/CompiledKernel.h"

#include <memory>

namespace triton::nvidia {

/// Does not need a driver; the first launch on a device loads the kernel there.
std::shared_ptr<const base::LoadedKernel> makeCudaKernel(const base::CompiledKernel &kernel);

} // namespace triton::nvidia
