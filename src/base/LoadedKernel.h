// A compiled kernel that is ready to be launched: on this processor, on a GPU, or in the simulator of one.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace llvm::json {
class Object;
}

namespace triton::base {

/// The memory behind a pointer argument, for devices that check accesses.
struct ArrayExtent {
  static constexpr unsigned noArgument = ~0u;
  unsigned argument = 0; ///< index among the runtime arguments
  uintptr_t begin = 0;
  std::size_t bytes = 0;
  bool live = true; ///< false: was freed, so that an access is an error of its own kind
};

/// Asked on the launching thread when a launch takes long: whether to give it up.
using InterruptCheck = llvm::function_ref<bool()>;

struct KernelLaunch {
  std::array<int32_t, 3> grid{1, 1, 1};     ///< each at least 1
  std::span<const uint64_t> arguments = {}; ///< 8-byte slots, as base/Signature.h describes them
  std::span<const ArrayExtent> arrays = {}; ///< needed where LoadedKernel::checksAccesses
  void *stream = nullptr;                   ///< of a GPU; null: the device's default
  int maxThreads = 0;                       ///< of this processor that may run programs; 0: all cores
  InterruptCheck interrupted = nullptr;     ///< null: the launch cannot be given up
  /// Gets what a simulated launch accessed and found, also when it fails (docs/explorer.md). Null: nobody wants it.
  llvm::json::Object *memoryMap = nullptr;
};

/// Thrown by a launch that its InterruptCheck ended before all programs ran.
struct LaunchInterrupted : std::runtime_error {
  LaunchInterrupted() : std::runtime_error("the launch was interrupted") {}
};

/// A launch that failed; `what()` names kernel and grid.
class LaunchError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// A kernel that needs more of something than the device has.
class OutOfResourcesError : public LaunchError {
public:
  OutOfResourcesError(const std::string &kernel, int64_t required, int64_t limit, std::string resource)
      : LaunchError("kernel `" + kernel + "` needs " + std::to_string(required) + " of " + resource +
                    ", but the device has " + std::to_string(limit) + "; reduce the block sizes or `num_stages`"),
        required(required), limit(limit), resource(std::move(resource)) {}
  int64_t required, limit;
  std::string resource; ///< "shared memory", "threads", "registers"
};

/// What a simulated launch did wrong, one rendered finding each.
class SimulationError : public LaunchError {
public:
  SimulationError(const std::string &text, std::vector<std::string> findings)
      : LaunchError(text), findings(std::move(findings)) {}
  std::vector<std::string> findings;
};

/// What is known of a kernel once it is loaded.
struct KernelFacts {
  uintptr_t function = 0; ///< the driver's handle; on this processor the entry point
  int registers = 0;      ///< of a thread
  int localBytes = 0;     ///< of a thread
  int maxThreads = 0;     ///< that one program may have
};

class LoadedKernel {
public:
  virtual ~LoadedKernel() = default;
  /// Starts the kernel. A GPU's launch returns before the kernel ends, the others afterwards. Throws LaunchError,
  /// LaunchInterrupted, and std::runtime_error with the message of a device_assert that failed. Thread-safe.
  virtual void launch(const KernelLaunch &launch) const = 0;
  /// Loads the kernel on the current device, where that is not done yet. Throws LaunchError.
  virtual KernelFacts load() const { return {}; }
  /// Takes the kernel off all devices, after waiting for what runs there. No launch may be running; the next one
  /// loads it again. Does not throw.
  virtual void unload() const {}
  virtual bool checksAccesses() const { return false; }
};

} // namespace triton::base
