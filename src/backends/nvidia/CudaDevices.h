// The CUDA devices of this machine.
#pragma once

#include "base/DeviceDriver.h"

namespace triton::nvidia {

const base::DeviceDriver &cudaDevices();

} // namespace triton::nvidia
