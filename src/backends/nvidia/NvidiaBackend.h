// The backend "cuda": NVIDIA GPUs.
#pragma once

#include "backends/Backend.h"

namespace triton::nvidia {

const backends::Backend &nvidiaBackend();

} // namespace triton::nvidia
