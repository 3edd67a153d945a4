// The driver of a vendor's GPUs: a library that is loaded when it is first needed, so that a machine without a driver
// can compile. All drivers have much the same functions, which return a code, 0 for success.
#pragma once

#include "base/DeviceDriver.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace triton::backends {

/// How messages name a driver.
struct DriverNames {
  const char *api;    ///< "CUDA"
  const char *remedy; ///< what to do where it cannot be loaded
};

/// The functions that load machine code.
struct ModuleFunctions {
  int (*load)(void **module, const void *image);
  int (*find)(void **function, void *module, const char *name);
  int (*functionAttribute)(int *value, int attribute, void *function);
  int (*unload)(void *module);
};

/// What every driver knows of a device, and numbers in its own way.
enum class DeviceAttribute {
  ClockRate,         ///< kHz
  CooperativeLaunch, ///< 0 or 1
  MaxRegisters,      ///< of one program
  MaxShared,         ///< bytes of one program
  MemoryBusWidth,    ///< bits
  MemoryClockRate,   ///< kHz
  Multiprocessors,   ///< compute units
  ThreadsOfMultiprocessor,
  WarpSize,
};

class GpuDriver {
public:
  virtual ~GpuDriver() = default;

  int deviceCount() const { return devices; }
  /// Throws base::LaunchError when the device does not exist.
  void requireDevice(int device) const;
  /// Asks the driver once for each device and attribute, because some of the answers take a tenth of a millisecond,
  /// under a lock that all processes share. Throws base::LaunchError when the device does not exist.
  int attribute(int device, int number) const;
  int attribute(int device, DeviceAttribute which) const { return attribute(device, numberOf(which)); }
  /// Of one program.
  int maxSharedBytes(int device) const { return attribute(device, DeviceAttribute::MaxShared); }
  base::DeviceProperties properties(int device) const;
  std::string deviceName(int device) const;

  virtual ModuleFunctions moduleFunctions() const = 0;
  virtual int currentDevice() const = 0;
  /// Where kernels are loaded for the current device: its context, or the device itself.
  virtual uintptr_t currentPlace() const = 0;
  /// Makes the place current, waits for all kernels there, calls `use`, and makes the earlier place current again.
  virtual void visit(uintptr_t place, llvm::function_ref<void()> use) const = 0;
  /// Whether the stream records a graph, in which nothing can be loaded.
  virtual bool isCapturing(void *stream) const = 0;
  /// The architecture as targets name it.
  virtual std::string arch(int device) const = 0;
  /// The device and its architecture, as messages name them.
  virtual std::string describeDevice(int device) const = 0;

  /// "an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS, 700)".
  std::string describe(int code) const;
  /// Throws base::LaunchError with `action` and the code's description unless `code` is success.
  void check(int code, const char *action) const;

protected:
  explicit GpuDriver(DriverNames names) : names(names) {}
  GpuDriver(const GpuDriver &) = delete;

  /// Loads the first library that there is; null, and the failure is noted, where there is none.
  void *openFirst(const std::vector<std::string> &paths);
  /// Counts the devices of a library whose functions are known. `missing` is a function that it lacks, or null.
  void start(const char *missing);

  virtual int initialize() = 0;
  virtual int countDevices(int *count) = 0;
  virtual int numberOf(DeviceAttribute which) const = 0;
  virtual int askAttribute(int *value, int number, int device) const = 0;
  virtual int askName(char *name, int bytes, int device) const = 0;
  /// What the driver calls a code, and what it says about it; null where it does not know the code.
  virtual const char *errorName(int code) const = 0;
  virtual const char *errorText(int code) const = 0;

  /// Throws base::LaunchError, which says why there is no driver.
  [[noreturn]] void refuse() const;

  std::string failure;         ///< why there is no driver; empty: there is one
  bool usedBeforeFork = false; ///< the reason is that this process was forked from one that uses the driver

private:
  DriverNames names;
  int devices = 0;
  mutable std::mutex mutex; ///< of `known`
  mutable std::map<std::pair<int, int>, int> known;
};

/// The one driver of a kind, which is looked for at the first question.
template <typename Driver> class SingleDriver : public GpuDriver {
public:
  /// Throws base::LaunchError, which says why there is no driver.
  static const Driver &get() {
    const Driver &driver = instance();
    if (!driver.failure.empty()) [[unlikely]]
      driver.refuse();
    return driver;
  }
  /// Whether this process can use the driver and a device. Does not throw.
  static bool isAvailable() { return instance().failure.empty(); }
  /// Whether the machine has them. Does not throw.
  static bool exists() { return isAvailable() || instance().usedBeforeFork; }

protected:
  using GpuDriver::GpuDriver;

private:
  static const Driver &instance() {
    static const Driver &driver =
        *new Driver(); // never destroyed, because the library may be unloaded before static objects are destroyed
    return driver;
  }
};

} // namespace triton::backends
