#include "backends/nvidia/CudaDevices.h"

#include "backends/gpu/driver/DriverDevices.h"
#include "backends/nvidia/Driver.h"

namespace triton::nvidia {

const base::DeviceDriver &cudaDevices() {
  static const backends::DriverDevices<Driver> devices;
  return devices;
}

} // namespace triton::nvidia
