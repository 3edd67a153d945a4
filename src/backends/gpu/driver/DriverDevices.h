// The devices of a driver, as the rest of the compiler asks about them.
#pragma once

#include "backends/gpu/driver/GpuDriver.h"

#include <algorithm>

namespace triton::backends {

template <typename Driver> class DriverDevices final : public base::DeviceDriver {
public:
  bool exists() const override { return Driver::exists(); }
  bool isAvailable() const override { return Driver::isAvailable(); }
  int deviceCount() const override { return Driver::get().deviceCount(); }
  base::DeviceProperties properties(int device) const override { return Driver::get().properties(device); }
  std::string arch(int device) const override { return Driver::get().arch(device); }
  int currentDevice() const override { return Driver::get().currentDevice(); }
  void setCurrentDevice(int device) const override { Driver::get().setCurrentDevice(device); }
  void synchronize() const override { Driver::get().synchronize(); }
  bool isCapturing(void *stream) const override { return isAvailable() && Driver::get().isCapturing(stream); }
  uint64_t deviceAddress(const void *host) const override { return Driver::get().deviceAddress(host); }
  void *allocate(std::size_t bytes) const override { return Driver::get().allocate(std::max<std::size_t>(bytes, 1)); }
  void free(void *memory) const override { Driver::get().free(memory); }
  void upload(void *memory, const void *host, std::size_t bytes) const override {
    Driver::get().upload(memory, host, bytes);
  }
  void download(void *host, const void *memory, std::size_t bytes) const override {
    Driver::get().download(host, memory, bytes);
  }
};

} // namespace triton::backends
