// The CUDA driver. It is loaded when it is first needed, so that a machine without a driver can compile.
#pragma once

#include "base/DeviceDriver.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace triton::nvidia {

/// CUdevice_attribute, as the driver numbers them.
enum class DeviceAttribute {
  WarpSize = 10,
  MaxRegisters = 12,
  ClockRate = 13, ///< kHz
  Multiprocessors = 16,
  MemoryClockRate = 36, ///< kHz
  MemoryBusWidth = 37,  ///< bits
  CapabilityMajor = 75,
  CapabilityMinor = 76,
  MaxSharedOptIn = 97, ///< bytes of one program
};

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

class Driver {
public:
  /// Loads libcuda.so.1 (TRITON_LIBCUDA_PATH names another one, or its folder) at the first call. Throws
  /// base::LaunchError, which says why it cannot.
  static const Driver &get();
  /// Whether the machine has a driver and a device. Does not throw.
  static bool exists();
  /// Whether this process can use them. Does not throw.
  static bool isAvailable();

  int deviceCount() const { return devices; }
  /// Asks the driver once for each device and attribute, because some of the answers take a tenth of a millisecond,
  /// under a lock that all processes share. Throws base::LaunchError when the device does not exist.
  int attribute(int device, DeviceAttribute which) const;
  /// 90 for 9.0.
  int capability(int device) const;
  std::string deviceName(int device) const;
  /// The context that launches of this thread use. If there is none, the primary context becomes current, which
  /// PyTorch, CuPy and the CUDA runtime share.
  void *currentContext() const;
  int currentDevice() const;
  void setCurrentDevice(int device) const;
  /// The address by which the GPU knows host memory that it can access; 0 when it cannot.
  uint64_t deviceAddress(const void *host) const;
  void synchronize() const;

  /// "an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS, 700)".
  std::string describe(int code) const;
  /// Throws base::LaunchError with `action` and the code's description unless `code` is success.
  void check(int code, const char *action) const;

  // Optional functions are null if the driver lacks them.
#define CUDA_FUNCTION(name, ...) int (*name)(__VA_ARGS__) = nullptr;
#include "backends/nvidia/DriverFunctions.def"

private:
  Driver();
  void initialize(void *library);
  void *primaryContext(int device) const;
  void requireDevice(int device) const;

  static const Driver &instance();

  std::string failure;         ///< why there is no driver; empty: there is one
  bool usedBeforeFork = false; ///< the reason is that this process was forked from one that uses the driver
  int devices = 0;
};

} // namespace triton::nvidia
