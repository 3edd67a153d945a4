// Where the server computes: memory there, copies, and streams in whose order copies and kernels run.
#ifndef SERVING_DEVICE_H
#define SERVING_DEVICE_H

#include "kernel_table.h"

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>

namespace serving {

/// A device that cannot do what it is asked for, with the reason.
struct DeviceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Memory of the device, or memory of the processor that copies from and to the device begin and end in.
enum class Memory { device, staging };

/// All functions but `release` and `drain` throw DeviceError. Several threads may call them.
class Device {
public:
  /// Opens it. Throws DeviceError where there is none, or no driver for it.
  static std::unique_ptr<Device> open(DeviceId id);

  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;
  virtual ~Device() = default;

  DeviceId id() const { return identity; }
  /// Such as "cuda:0, NVIDIA H200".
  virtual std::string name() const = 0;

  /// At an address that is a multiple of 64.
  virtual void *allocate(std::size_t bytes, Memory memory) = 0;
  virtual void release(void *address, Memory memory) noexcept = 0;
  /// Copies from any memory of the processor, and has done so when it returns.
  virtual void upload(void *to, const void *from, std::size_t bytes) = 0;

  virtual void *openStream() = 0;
  virtual void closeStream(void *stream) noexcept = 0;
  /// From staging memory to the device, and from the device to staging memory.
  virtual void copyToDevice(void *stream, void *to, const void *from, std::size_t bytes) = 0;
  virtual void copyFromDevice(void *stream, void *to, const void *from, std::size_t bytes) = 0;
  /// Returns when all that was given to the stream has run, or throws if something of it failed.
  virtual void synchronize(void *stream) = 0;
  /// The same, for when something has failed already.
  virtual void drain(void *stream) noexcept = 0;

protected:
  explicit Device(DeviceId id) : identity(id) {}

private:
  DeviceId identity;
};

/// A GPU of NVIDIA, by the driver's library.
std::unique_ptr<Device> openCuda(DeviceId id);

/// Elements in memory of the given kind, whose values are not defined at first.
template <typename Element> class Array {
public:
  Array(Device &device, std::size_t count, Memory memory = Memory::device)
      : elements(static_cast<Element *>(device.allocate(count * sizeof(Element), memory)), Release{&device, memory}),
        count(count) {}

  Element *data() const { return elements.get(); }
  std::size_t size() const { return count; }

private:
  struct Release {
    Device *device;
    Memory memory;
    void operator()(Element *address) const { device->release(address, memory); }
  };
  std::unique_ptr<Element, Release> elements;
  std::size_t count;
};

/// A stream from its beginning to its end.
class Stream {
public:
  explicit Stream(Device &device) : device(device), handle(device.openStream()) {}
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;
  ~Stream() { device.closeStream(handle); }

  void *get() const { return handle; }
  template <typename Element> void copyToDevice(Array<Element> &to, const Array<Element> &from, std::size_t count) {
    device.copyToDevice(handle, to.data(), from.data(), count * sizeof(Element));
  }
  template <typename Element> void copyFromDevice(Array<Element> &to, const Array<Element> &from, std::size_t count) {
    device.copyFromDevice(handle, to.data(), from.data(), count * sizeof(Element));
  }
  void synchronize() { device.synchronize(handle); }
  void drain() noexcept { device.drain(handle); }

private:
  Device &device;
  void *handle;
};

} // namespace serving

#endif
