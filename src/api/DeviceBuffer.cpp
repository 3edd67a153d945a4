#include "api/Errors.h"
#include "compiler/Devices.h"

using namespace triton;
using namespace triton::api;

static const base::DeviceDriver &driver() { return compiler::gpuDriver(); }

DeviceBuffer::DeviceBuffer(std::size_t bytes) : length(bytes) {
  translateErrors([&] { address = driver().allocate(bytes); });
}

DeviceBuffer::~DeviceBuffer() {
  if (address)
    driver().free(address);
}

void DeviceBuffer::upload(const void *host, std::size_t bytes) {
  if (bytes > length)
    throwLaunchError("cannot upload " + std::to_string(bytes) + " bytes to a buffer of " + std::to_string(length));
  translateErrors([&] { driver().upload(address, host, bytes); });
}

void DeviceBuffer::download(void *host, std::size_t bytes) const {
  if (bytes > length)
    throwLaunchError("cannot download " + std::to_string(bytes) + " bytes from a buffer of " + std::to_string(length));
  translateErrors([&] { driver().download(host, address, bytes); });
}

void triton::synchronize() {
  translateErrors([] { driver().synchronize(); });
}
