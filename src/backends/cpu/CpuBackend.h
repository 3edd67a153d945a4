// The backend "cpu": machine code of x86-64 and AArch64. That of this processor is linked into this process.
#pragma once

#include "backends/Backend.h"

namespace triton::cpu {

const backends::Backend &cpuBackend();

} // namespace triton::cpu
