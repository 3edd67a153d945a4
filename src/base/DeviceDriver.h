// The devices of one kind that this machine has, through their vendor's driver.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace triton::base {

struct DeviceProperties {
  std::string name;
  std::string arch; ///< as targets name it: "90", "gfx942"
  int maxSharedBytes = 0, maxRegisters = 0, multiprocessors = 0, warpSize = 0;
  int threadsOfMultiprocessor = 0; ///< at most
  bool launchesCooperatively = false;
  int clockKilohertz = 0, memoryClockKilohertz = 0, memoryBusBits = 0;
};

/// All but exists and isAvailable throw LaunchError, which says why there is no driver or what it refused.
class DeviceDriver {
public:
  virtual ~DeviceDriver() = default;
  /// Whether the machine has a driver and a device. Does not throw.
  virtual bool exists() const = 0;
  /// Whether this process can use them: one that was forked from a process that uses the driver cannot. Does not throw.
  virtual bool isAvailable() const = 0;

  virtual int deviceCount() const = 0;
  virtual DeviceProperties properties(int device) const = 0;
  /// The architecture of a device, without asking for anything else.
  virtual std::string arch(int device) const = 0;
  virtual int currentDevice() const = 0;
  virtual void setCurrentDevice(int device) const = 0;
  /// Waits until everything that was started on the current device has ended.
  virtual void synchronize() const = 0;

  /// Whether what is launched on the stream becomes part of a graph instead of running. Does not throw.
  virtual bool isCapturing(void *stream) const = 0;

  /// The address by which the device knows host memory that it can access; 0 when it cannot.
  virtual uint64_t deviceAddress(const void *host) const = 0;
  virtual void *allocate(std::size_t bytes) const = 0;
  /// Does not throw: it fails only after another error, which was reported.
  virtual void free(void *memory) const = 0;
  virtual void upload(void *memory, const void *host, std::size_t bytes) const = 0;
  virtual void download(void *host, const void *memory, std::size_t bytes) const = 0;
};

} // namespace triton::base
