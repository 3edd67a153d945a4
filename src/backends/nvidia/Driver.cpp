#include "backends/nvidia/Driver.h"

#include "base/Environment.h"
#include "base/LoadedKernel.h"

#include <atomic>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <sys/stat.h>

namespace triton::nvidia {
namespace {

using base::LaunchError;

constexpr int maxDevices = 64;

// CUpointer_attribute, as the driver numbers them.
constexpr int devicePointer = 3;

// CUresult CUDA_ERROR_NOT_INITIALIZED, which cuInit returns in a process that was forked from an initialized one.
constexpr int notInitialized = 3;

std::string libraryPath() {
  std::string path = base::Environment::read().libcudaPath;
  if (path.empty())
    return "libcuda.so.1";
  struct stat status;
  if (stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode))
    path += "/libcuda.so.1";
  return path;
}

} // namespace

Driver::Driver() {
  std::string path = libraryPath();
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library) {
    initialize(library);
    return;
  }
  const char *reason = dlerror();
  failure = "cannot load the CUDA driver: " + std::string(reason ? reason : path) +
            "; install the NVIDIA driver, or set TRITON_LIBCUDA_PATH";
}

void Driver::initialize(void *library) {
  const char *missing = nullptr;
#define CUDA_FUNCTION(name, ...)                                                                                       \
  if (void *address = dlsym(library, #name))                                                                           \
    name = reinterpret_cast<int (*)(__VA_ARGS__)>(address);                                                            \
  else                                                                                                                 \
    missing = #name;
#define CUDA_OPTIONAL_FUNCTION(name, ...) name = reinterpret_cast<int (*)(__VA_ARGS__)>(dlsym(library, #name));
#include "backends/nvidia/DriverFunctions.def"
  if (missing) {
    failure = "the CUDA driver is too old: it lacks `" + std::string(missing) + "`";
    return;
  }
  if (int code = cuInit(0)) {
    usedBeforeFork = code == notInitialized;
    failure = "the CUDA driver cannot be used: " + describe(code);
    if (usedBeforeFork)
      failure += "; this process was forked from one that uses the driver: start it by `spawn`";
    return;
  }
  if (int code = cuDeviceGetCount(&devices); code != 0 || devices == 0)
    failure = "there is no CUDA device" + (code ? ": " + describe(code) : std::string());
}

const Driver &Driver::instance() {
  static const Driver &driver =
      *new Driver(); // never destroyed, because the library may be unloaded before static objects are destroyed
  return driver;
}

const Driver &Driver::get() {
  const Driver &driver = instance();
  if (!driver.failure.empty())
    throw LaunchError(driver.failure);
  return driver;
}

bool Driver::exists() { return isAvailable() || instance().usedBeforeFork; }

bool Driver::isAvailable() { return instance().failure.empty(); }

std::string Driver::describe(int code) const {
  const char *name = nullptr, *text = nullptr;
  cuGetErrorName(code, &name);
  cuGetErrorString(code, &text);
  std::string number = std::to_string(code);
  if (!name || !text)
    return "error " + number;
  return std::string(text) + " (" + name + ", " + number + ")";
}

void Driver::check(int code, const char *action) const {
  if (code != 0) [[unlikely]]
    throw LaunchError(std::string(action) + ": " + describe(code));
}

void Driver::requireDevice(int device) const {
  if (device < 0 || device >= devices)
    throw LaunchError("there is no CUDA device " + std::to_string(device) + "; there are " + std::to_string(devices));
}

int Driver::attribute(int device, DeviceAttribute which) const {
  requireDevice(device);
  static std::mutex mutex;
  static std::map<std::pair<int, DeviceAttribute>, int> known;
  std::lock_guard lock(mutex);
  auto [entry, isNew] = known.try_emplace({device, which}, 0);
  if (isNew) {
    if (int code = cuDeviceGetAttribute(&entry->second, int(which), device)) {
      known.erase(entry);
      check(code, "cannot ask the device");
    }
  }
  return entry->second;
}

int Driver::capability(int device) const {
  return attribute(device, DeviceAttribute::CapabilityMajor) * 10 + attribute(device, DeviceAttribute::CapabilityMinor);
}

std::string Driver::deviceName(int device) const {
  requireDevice(device);
  char name[256] = "";
  check(cuDeviceGetName(name, sizeof(name), device), "cannot ask the device");
  return name;
}

void *Driver::primaryContext(int device) const {
  static std::atomic<void *> contexts[maxDevices];
  if (device >= 0 && device < maxDevices)
    if (void *known = contexts[device].load(std::memory_order_acquire))
      return known;
  void *context = nullptr;
  check(cuDevicePrimaryCtxRetain(&context, device), "cannot use the CUDA device");
  if (device >= 0 && device < maxDevices)
    contexts[device].store(context, std::memory_order_release);
  return context;
}

void *Driver::currentContext() const {
  void *context = nullptr;
  check(cuCtxGetCurrent(&context), "cannot use the CUDA device");
  if (!context) [[unlikely]] {
    context = primaryContext(0);
    check(cuCtxSetCurrent(context), "cannot use the CUDA device");
  }
  return context;
}

int Driver::currentDevice() const {
  currentContext();
  int device = 0;
  check(cuCtxGetDevice(&device), "cannot use the CUDA device");
  return device;
}

void Driver::setCurrentDevice(int device) const {
  requireDevice(device);
  check(cuCtxSetCurrent(primaryContext(device)), "cannot use the CUDA device");
}

uint64_t Driver::deviceAddress(const void *host) const {
  uint64_t address = 0;
  currentContext();
  if (cuPointerGetAttribute(&address, devicePointer, uint64_t(reinterpret_cast<uintptr_t>(host))) != 0)
    return 0;
  return address;
}

void Driver::synchronize() const {
  currentContext();
  check(cuCtxSynchronize(), "a kernel failed");
}

} // namespace triton::nvidia
