#include "backends/nvidia/Driver.h"

#include "base/Environment.h"
#include "base/SharedLibrary.h"

#include <atomic>
#include <dlfcn.h>

namespace triton::nvidia {
namespace {

constexpr int maxDevices = 64;

// CUpointer_attribute, as the driver numbers them.
constexpr int devicePointer = 3;

constexpr char fileName[] = "libcuda.so.1";

uint64_t addressOf(const void *memory) { return uint64_t(reinterpret_cast<uintptr_t>(memory)); }

} // namespace

Driver::Driver() : SingleDriver({"CUDA", "install the NVIDIA driver, or set TRITON_LIBCUDA_PATH"}) {
  std::string given = base::Environment::read().libcudaPath;
  void *library = openFirst({given.empty() ? fileName : base::libraryIn(given, fileName)});
  if (!library)
    return;
  const char *missing = nullptr;
#define CUDA_FUNCTION(name, ...)                                                                                       \
  if (void *address = dlsym(library, #name))                                                                           \
    name = reinterpret_cast<int (*)(__VA_ARGS__)>(address);                                                            \
  else                                                                                                                 \
    missing = #name;
#define CUDA_OPTIONAL_FUNCTION(name, ...) name = reinterpret_cast<int (*)(__VA_ARGS__)>(dlsym(library, #name));
#include "backends/nvidia/DriverFunctions.def"
  start(missing);
}

const char *Driver::errorName(int code) const {
  const char *name = nullptr;
  cuGetErrorName(code, &name);
  return name;
}

const char *Driver::errorText(int code) const {
  const char *text = nullptr;
  cuGetErrorString(code, &text);
  return text;
}

/// CUdevice_attribute.
int Driver::numberOf(DeviceAttribute which) const {
  switch (which) {
  case DeviceAttribute::ClockRate:
    return 13;
  case DeviceAttribute::CooperativeLaunch:
    return 95;
  case DeviceAttribute::MaxRegisters:
    return 12;
  case DeviceAttribute::MaxShared:
    return 97; // of a kernel that has opted in
  case DeviceAttribute::MemoryBusWidth:
    return 37;
  case DeviceAttribute::MemoryClockRate:
    return 36;
  case DeviceAttribute::Multiprocessors:
    return 16;
  case DeviceAttribute::ThreadsOfMultiprocessor:
    return 39;
  case DeviceAttribute::WarpSize:
    return 10;
  }
  llvm_unreachable("every attribute has a number");
}

int Driver::capability(int device) const {
  constexpr int capabilityMajor = 75, capabilityMinor = 76;
  return attribute(device, capabilityMajor) * 10 + attribute(device, capabilityMinor);
}

std::string Driver::describeDevice(int device) const {
  return deviceName(device) + ", compute capability " + std::to_string(capability(device));
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
  int device = 0;
  if (cuCtxGetDevice(&device) == 0) [[likely]]
    return device;
  currentContext(); // makes one current
  check(cuCtxGetDevice(&device), "cannot use the CUDA device");
  return device;
}

void Driver::visit(uintptr_t place, llvm::function_ref<void()> use) const {
  void *earlier = nullptr;
  if (cuCtxGetCurrent(&earlier) != 0 || cuCtxSetCurrent(reinterpret_cast<void *>(place)) != 0)
    return;
  if (cuCtxSynchronize() == 0)
    use();
  cuCtxSetCurrent(earlier);
}

bool Driver::isCapturing(void *stream) const {
  int status = 0; // 1: active, 2: invalidated
  return cuStreamIsCapturing && cuStreamIsCapturing(stream, &status) == 0 && status == 1;
}

void Driver::setCurrentDevice(int device) const {
  requireDevice(device);
  check(cuCtxSetCurrent(primaryContext(device)), "cannot use the CUDA device");
}

uint64_t Driver::deviceAddress(const void *host) const {
  uint64_t address = 0;
  currentContext();
  if (cuPointerGetAttribute(&address, devicePointer, addressOf(host)) != 0)
    return 0;
  return address;
}

void Driver::synchronize() const {
  currentContext();
  check(cuCtxSynchronize(), "a kernel failed");
}

void *Driver::allocate(std::size_t bytes) const {
  currentContext();
  uint64_t allocated = 0;
  check(cuMemAlloc_v2(&allocated, bytes), "cannot allocate device memory");
  return reinterpret_cast<void *>(uintptr_t(allocated));
}

void Driver::free(void *memory) const { cuMemFree_v2(addressOf(memory)); }

void Driver::upload(void *memory, const void *host, std::size_t bytes) const {
  currentContext();
  check(cuMemcpyHtoD_v2(addressOf(memory), host, bytes), "cannot upload to the device");
}

void Driver::download(void *host, const void *memory, std::size_t bytes) const {
  currentContext();
  check(cuMemcpyDtoH_v2(host, addressOf(memory), bytes), "cannot download from the device");
}

} // namespace triton::nvidia
