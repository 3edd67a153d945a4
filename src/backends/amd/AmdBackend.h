// The backend "hip": AMD GPUs.
#pragma once

#include "backends/Backend.h"

namespace triton::amd {

const backends::Backend &amdBackend();

} // namespace triton::amd
