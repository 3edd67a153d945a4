// AMD's driver: the run-time library of HIP.
#pragma once

#include "backends/gpu/driver/GpuDriver.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace triton::amd {

using backends::DeviceAttribute;

class HipDriver final : public backends::SingleDriver<HipDriver> {
public:
  /// "gfx942", without the features behind it. Asks the driver once for each device.
  std::string arch(int device) const override;
  std::string describeDevice(int device) const override { return deviceName(device) + ", " + arch(device); }
  backends::ModuleFunctions moduleFunctions() const override {
    return {hipModuleLoadData, hipModuleGetFunction, hipFuncGetAttribute, hipModuleUnload};
  }

  int currentDevice() const override;
  uintptr_t currentPlace() const override { return uintptr_t(currentDevice()); }
  bool isCapturing(void *stream) const override;
  void visit(uintptr_t place, llvm::function_ref<void()> use) const override;
  void setCurrentDevice(int device) const;
  /// The address by which the GPU knows host memory that it can access; 0 when it cannot.
  uint64_t deviceAddress(const void *host) const;
  void synchronize() const;

  void *allocate(std::size_t bytes) const;
  void free(void *memory) const;
  void upload(void *memory, const void *host, std::size_t bytes) const;
  void download(void *host, const void *memory, std::size_t bytes) const;
  /// hipMemcpyKind, as the driver numbers them.
  enum CopyKind { HostToDevice = 1, DeviceToHost = 2 };

#define HIP_FUNCTION(name, ...) int (*name)(__VA_ARGS__) = nullptr;
#define HIP_TEXT_FUNCTION(name, ...) const char *(*name)(__VA_ARGS__) = nullptr;
#include "backends/amd/driver/HipFunctions.def"

  /// Another folder in which the library may be. Has an effect before the library is loaded.
  static void addDirectory(const std::string &path);

private:
  friend class backends::SingleDriver<HipDriver>;
  /// Loads libamdhip64.so: the one that TRITON_LIBHIP_PATH names or whose folder it names; the one that this process
  /// already uses, because two would not know of each other's memory; or one of the usual places.
  HipDriver();

  int initialize() override { return hipInit(0); }
  int countDevices(int *count) override { return hipGetDeviceCount(count); }
  int numberOf(DeviceAttribute which) const override;
  int askAttribute(int *value, int number, int device) const override {
    return hipDeviceGetAttribute(value, number, device);
  }
  int askName(char *name, int bytes, int device) const override { return hipDeviceGetName(name, bytes, device); }
  const char *errorName(int code) const override { return hipGetErrorName(code); }
  const char *errorText(int code) const override { return hipGetErrorString(code); }
};

} // namespace triton::amd
