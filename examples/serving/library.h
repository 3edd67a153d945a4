// Libraries of kernels, which are loaded while the server runs and unloaded when nothing uses them any more.
#ifndef SERVING_LIBRARY_H
#define SERVING_LIBRARY_H

#include "kernel_table.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace serving {

/// A loaded library. Who holds it may run its kernels; the last holder that drops it unloads it.
class KernelLibrary {
public:
  /// Loads a copy of the file, so that the file may be replaced at any time, and the kernels for the device. Throws
  /// std::runtime_error, which says why, where it is not a complete library of the kernels here, or has none for the
  /// device. `generation` numbers the copies of one process.
  static std::shared_ptr<const KernelLibrary> open(const std::string &path, DeviceId device, std::uint64_t generation);

  KernelLibrary(const KernelLibrary &) = delete;
  KernelLibrary &operator=(const KernelLibrary &) = delete;
  ~KernelLibrary();

  const Kernels &kernels() const { return *opened; }
  std::uint64_t generation() const { return number; }

private:
  KernelLibrary(void *handle, std::uint64_t number) : handle(handle), number(number) {}

  void *handle;
  std::unique_ptr<const Kernels> opened;
  std::uint64_t number;
};

/// The library that serves at present, which a reload replaces.
class CurrentLibrary {
public:
  /// Throws if a library cannot work, before any request sees it.
  using Check = std::function<void(const Kernels &)>;

  CurrentLibrary(std::string path, DeviceId device, Check check);

  /// The library for new work. Work that has begun keeps the one that it began with.
  std::shared_ptr<const KernelLibrary> get() const;
  /// Loads the file anew; the new library's generation. If that throws, the old library goes on serving.
  std::uint64_t reload();

private:
  std::string path;
  DeviceId device;
  Check check;
  std::mutex reloading;
  mutable std::mutex access;
  std::shared_ptr<const KernelLibrary> library;
  std::uint64_t opened = 0;
};

} // namespace serving

#endif
