#include "backends/nvidia/CudaDevices.h"

#include "backends/nvidia/Driver.h"

#include <algorithm>

namespace triton::nvidia {
namespace {

uint64_t addressOf(const void *memory) { return uint64_t(reinterpret_cast<uintptr_t>(memory)); }

class CudaDevices final : public base::DeviceDriver {
public:
  bool exists() const override { return Driver::exists(); }
  bool isAvailable() const override { return Driver::isAvailable(); }
  int deviceCount() const override { return Driver::get().deviceCount(); }
  base::DeviceProperties properties(int device) const override {
    using Attribute = DeviceAttribute;
    const Driver &driver = Driver::get();
    base::DeviceProperties result;
    result.name = driver.deviceName(device);
    result.arch = arch(device);
    result.maxSharedBytes = driver.attribute(device, Attribute::MaxSharedOptIn);
    result.maxRegisters = driver.attribute(device, Attribute::MaxRegisters);
    result.multiprocessors = driver.attribute(device, Attribute::Multiprocessors);
    result.warpSize = driver.attribute(device, Attribute::WarpSize);
    result.clockKilohertz = driver.attribute(device, Attribute::ClockRate);
    result.memoryClockKilohertz = driver.attribute(device, Attribute::MemoryClockRate);
    result.memoryBusBits = driver.attribute(device, Attribute::MemoryBusWidth);
    return result;
  }
  std::string arch(int device) const override { return std::to_string(Driver::get().capability(device)); }
  int currentDevice() const override { return Driver::get().currentDevice(); }
  void setCurrentDevice(int device) const override { Driver::get().setCurrentDevice(device); }
  void synchronize() const override { Driver::get().synchronize(); }
  uint64_t deviceAddress(const void *host) const override { return Driver::get().deviceAddress(host); }

  void *allocate(std::size_t bytes) const override {
    const Driver &driver = inContext();
    uint64_t allocated = 0;
    driver.check(driver.cuMemAlloc_v2(&allocated, std::max<std::size_t>(bytes, 1)), "cannot allocate device memory");
    return reinterpret_cast<void *>(uintptr_t(allocated));
  }
  void free(void *memory) const override { Driver::get().cuMemFree_v2(addressOf(memory)); }
  void upload(void *memory, const void *host, std::size_t bytes) const override {
    const Driver &driver = inContext();
    driver.check(driver.cuMemcpyHtoD_v2(addressOf(memory), host, bytes), "cannot upload to the device");
  }
  void download(void *host, const void *memory, std::size_t bytes) const override {
    const Driver &driver = inContext();
    driver.check(driver.cuMemcpyDtoH_v2(host, addressOf(memory), bytes), "cannot download from the device");
  }

private:
  /// The driver, with a context current on this thread.
  static const Driver &inContext() {
    const Driver &driver = Driver::get();
    driver.currentContext();
    return driver;
  }
};

} // namespace

const base::DeviceDriver &cudaDevices() {
  static const CudaDevices devices;
  return devices;
}

} // namespace triton::nvidia
