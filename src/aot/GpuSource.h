// The C source of a kernel that a vendor's driver loads and launches.
#pragma once

#include "aot/CTypes.h"

#include "base/CompiledKernel.h"

namespace triton::aot {

/// Throws Error when the kernel needs what a call from C or C++ cannot give it.
void requireLaunchable(const Specification &specification, const base::CompiledKernel &kernel);

/// Throws Error when the kernel needs what a call from C cannot give it.
std::string writeGpuSource(const Specification &specification, const base::CompiledKernel &kernel,
                           const AotBackend &words);

} // namespace triton::aot
