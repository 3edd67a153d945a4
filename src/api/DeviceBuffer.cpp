#include "api/Errors.h"
#include "backends/nvidia/Driver.h"

using namespace triton;
using namespace triton::api;
using nvidia::Driver;

static uint64_t toDevice(const void *address) { return uint64_t(reinterpret_cast<uintptr_t>(address)); }

DeviceBuffer::DeviceBuffer(std::size_t bytes) : length(bytes) {
  translateErrors([&] {
    const Driver &driver = Driver::get();
    driver.currentContext();
    uint64_t allocated = 0;
    driver.check(driver.cuMemAlloc_v2(&allocated, std::max<std::size_t>(bytes, 1)), "cannot allocate device memory");
    address = reinterpret_cast<void *>(uintptr_t(allocated));
  });
}

DeviceBuffer::~DeviceBuffer() {
  if (address)
    Driver::get().cuMemFree_v2(toDevice(address)); // Fails only after another error, which was reported.
}

void DeviceBuffer::upload(const void *host, std::size_t bytes) {
  if (bytes > length)
    throwLaunchError("cannot upload " + std::to_string(bytes) + " bytes to a buffer of " + std::to_string(length));
  translateErrors([&] {
    const Driver &driver = Driver::get();
    driver.currentContext();
    driver.check(driver.cuMemcpyHtoD_v2(toDevice(address), host, bytes), "cannot upload to the device");
  });
}

void DeviceBuffer::download(void *host, std::size_t bytes) const {
  if (bytes > length)
    throwLaunchError("cannot download " + std::to_string(bytes) + " bytes from a buffer of " + std::to_string(length));
  translateErrors([&] {
    const Driver &driver = Driver::get();
    driver.currentContext();
    driver.check(driver.cuMemcpyDtoH_v2(host, toDevice(address), bytes), "cannot download from the device");
  });
}

void triton::synchronize() {
  translateErrors([] { Driver::get().synchronize(); });
}
