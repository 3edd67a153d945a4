#include "backends/gpu/driver/GpuDriver.h"

#include "base/LoadedKernel.h"
#include "base/SharedLibrary.h"

namespace triton::backends {

using base::LaunchError;

// What every driver returns in a process that was forked from an initialized one.
constexpr int notInitialized = 3;

void *GpuDriver::openFirst(const std::vector<std::string> &paths) {
  base::SharedLibrary library = base::openFirst(paths);
  if (!library.handle)
    failure = "cannot load the " + std::string(names.api) + " driver: " + library.reasons + "; " + names.remedy;
  return library.handle;
}

void GpuDriver::start(const char *missing) {
  std::string driver = std::string("the ") + names.api + " driver ";
  if (missing) {
    failure = driver + "is too old: it lacks `" + missing + "`";
    return;
  }
  if (int code = initialize()) {
    usedBeforeFork = code == notInitialized;
    failure = driver + "cannot be used: " + describe(code);
    if (usedBeforeFork)
      failure += "; this process was forked from one that uses the driver: start it by `spawn`";
    return;
  }
  if (int code = countDevices(&devices); code != 0 || devices == 0)
    failure = std::string("there is no ") + names.api + " device" + (code ? ": " + describe(code) : std::string());
}

void GpuDriver::refuse() const { throw LaunchError(failure); }

std::string GpuDriver::describe(int code) const {
  const char *name = errorName(code), *text = errorText(code);
  std::string number = std::to_string(code);
  if (!name || !text)
    return "error " + number;
  return std::string(text) + " (" + name + ", " + number + ")";
}

void GpuDriver::check(int code, const char *action) const {
  if (code != 0) [[unlikely]]
    throw LaunchError(std::string(action) + ": " + describe(code));
}

void GpuDriver::requireDevice(int device) const {
  if (device < 0 || device >= devices)
    throw LaunchError(std::string("there is no ") + names.api + " device " + std::to_string(device) + "; there are " +
                      std::to_string(devices));
}

base::DeviceProperties GpuDriver::properties(int device) const {
  using Attribute = DeviceAttribute;
  base::DeviceProperties result;
  result.name = deviceName(device);
  result.arch = arch(device);
  result.maxSharedBytes = maxSharedBytes(device);
  result.maxRegisters = attribute(device, Attribute::MaxRegisters);
  result.multiprocessors = attribute(device, Attribute::Multiprocessors);
  result.threadsOfMultiprocessor = attribute(device, Attribute::ThreadsOfMultiprocessor);
  result.launchesCooperatively = attribute(device, Attribute::CooperativeLaunch) != 0;
  result.warpSize = attribute(device, Attribute::WarpSize);
  result.clockKilohertz = attribute(device, Attribute::ClockRate);
  result.memoryClockKilohertz = attribute(device, Attribute::MemoryClockRate);
  result.memoryBusBits = attribute(device, Attribute::MemoryBusWidth);
  return result;
}

std::string GpuDriver::deviceName(int device) const {
  requireDevice(device);
  char name[256] = "";
  check(askName(name, sizeof(name), device), "cannot ask the device");
  return name;
}

int GpuDriver::attribute(int device, int number) const {
  requireDevice(device);
  std::lock_guard lock(mutex);
  auto [entry, isNew] = known.try_emplace({device, number}, 0);
  if (isNew) {
    if (int code = askAttribute(&entry->second, number, device)) {
      known.erase(entry);
      check(code, "cannot ask the device");
    }
  }
  return entry->second;
}

} // namespace triton::backends
