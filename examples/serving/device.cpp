#include "device.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace serving {
namespace {

/// Kernels have run when their launch returns, so that copies need no order, either.
class Cpu final : public Device {
public:
  Cpu() : Device({}) {}

  std::string name() const override { return "cpu"; }

  void *allocate(std::size_t bytes, Memory) override {
    constexpr std::size_t alignment = 64;
    void *address = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (address == nullptr)
      throw DeviceError("cannot allocate " + std::to_string(bytes) + " bytes: " + std::strerror(ENOMEM));
    return address;
  }
  void release(void *address, Memory) noexcept override { std::free(address); }
  void upload(void *to, const void *from, std::size_t bytes) override { std::memcpy(to, from, bytes); }

  void *openStream() override { return nullptr; }
  void closeStream(void *) noexcept override {}
  void copyToDevice(void *, void *to, const void *from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
  void copyFromDevice(void *, void *to, const void *from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
  void synchronize(void *) override {}
  void drain(void *) noexcept override {}
};

} // namespace

std::unique_ptr<Device> Device::open(DeviceId id) { return id.isCuda ? openCuda(id) : std::make_unique<Cpu>(); }

} // namespace serving
