// The CUDA driver.
#pragma once

#include "backends/gpu/driver/GpuDriver.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace triton::nvidia {

using backends::DeviceAttribute;

/// CUlaunchAttribute, as the driver lays it out. Every value used here is a boolean.
struct LaunchAttribute {
  enum Kind : int { Cooperative = 2, ProgrammaticSerialization = 6 };

  explicit LaunchAttribute(Kind kind) : kind(kind) {}
  alignas(8) int kind;
  alignas(8) int value = 1;
  char unused[60] = {};
};
static_assert(sizeof(LaunchAttribute) == 72);

/// CUlaunchConfig.
struct LaunchConfiguration {
  unsigned gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes;
  void *stream;
  const LaunchAttribute *attributes;
  unsigned attributeCount;
};

class Driver final : public backends::SingleDriver<Driver> {
public:
  /// 90 for 9.0.
  int capability(int device) const;
  std::string arch(int device) const override { return std::to_string(capability(device)); }
  std::string describeDevice(int device) const override;
  backends::ModuleFunctions moduleFunctions() const override {
    return {cuModuleLoadData, cuModuleGetFunction, cuFuncGetAttribute, cuModuleUnload};
  }

  /// The context that launches of this thread use. If there is none, the primary context becomes current, which
  /// PyTorch, CuPy and the CUDA runtime share.
  void *currentContext() const;
  int currentDevice() const override;
  uintptr_t currentPlace() const override { return reinterpret_cast<uintptr_t>(currentContext()); }
  void visit(uintptr_t place, llvm::function_ref<void()> use) const override;
  bool isCapturing(void *stream) const override;
  void setCurrentDevice(int device) const;
  /// The address by which the GPU knows host memory that it can access; 0 when it cannot.
  uint64_t deviceAddress(const void *host) const;
  void synchronize() const;

  void *allocate(std::size_t bytes) const;
  void free(void *memory) const;
  void upload(void *memory, const void *host, std::size_t bytes) const;
  void download(void *host, const void *memory, std::size_t bytes) const;

  // Optional functions are null if the driver lacks them.
#define CUDA_FUNCTION(name, ...) int (*name)(__VA_ARGS__) = nullptr;
#include "backends/nvidia/DriverFunctions.def"

private:
  friend class backends::SingleDriver<Driver>;
  /// Loads libcuda.so.1. TRITON_LIBCUDA_PATH names another one, or its folder.
  Driver();

  int initialize() override { return cuInit(0); }
  int countDevices(int *count) override { return cuDeviceGetCount(count); }
  int numberOf(DeviceAttribute which) const override;
  int askAttribute(int *value, int number, int device) const override {
    return cuDeviceGetAttribute(value, number, device);
  }
  int askName(char *name, int bytes, int device) const override { return cuDeviceGetName(name, bytes, device); }
  const char *errorName(int code) const override;
  const char *errorText(int code) const override;
  void *primaryContext(int device) const;
};

} // namespace triton::nvidia
