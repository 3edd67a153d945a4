// The HIP devices of this machine.
#pragma once

#include "base/DeviceDriver.h"

namespace triton::amd {

const base::DeviceDriver &hipDevices();
/// A folder in which the driver may be, to be searched before the usual ones.
void addHipDirectory(const std::string &path);

} // namespace triton::amd
