// The backend "cpu": x86-64 machine code, linked into this process.
#pragma once

#include "backends/Backend.h"

namespace triton::cpu {

const backends::Backend &cpuBackend();

} // namespace triton::cpu
