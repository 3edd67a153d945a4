// The C source of a kernel that a vendor's driver loads and launches.
#pragma once

#include "aot/CTypes.h"

#include "base/CompiledKernel.h"

namespace triton::aot {

/// A kernel with more shared memory than this asks the driver for it.
constexpr int64_t sharedWithoutOptIn = 48 << 10;

/// Throws Error when the kernel needs what a call from C or C++ cannot give it.
void requireLaunchable(const Specification &specification, const base::CompiledKernel &kernel);

/// Throws Error when the kernel needs what a call from C cannot give it.
std::string writeGpuSource(const Specification &specification, const base::CompiledKernel &kernel,
                           const CVocabulary &words);

} // namespace triton::aot
