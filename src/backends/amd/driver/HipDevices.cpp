#include "backends/amd/driver/HipDevices.h"

#include "backends/amd/driver/HipDriver.h"
#include "backends/gpu/driver/DriverDevices.h"

namespace triton::amd {

const base::DeviceDriver &hipDevices() {
  static const backends::DriverDevices<HipDriver> devices;
  return devices;
}

void addHipDirectory(const std::string &path) { HipDriver::addDirectory(path); }

} // namespace triton::amd
