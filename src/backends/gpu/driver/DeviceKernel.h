// A kernel of machine code, which is loaded on each device where it is launched.
#pragma once

#include "backends/gpu/driver/GpuDriver.h"
#include "base/CompiledKernel.h"
#include "base/LoadedCode.h"

#include "llvm/ADT/SmallVector.h"

#include <atomic>
#include <span>

namespace triton::backends {

class DeviceKernel : public base::LoadedKernel {
public:
  base::KernelFacts load() const override;
  void unload() const override;

protected:
  /// CUfunction_attribute and hipFunction_attribute, as the drivers number them.
  enum FunctionAttribute { MaxThreads = 0, StaticShared = 1, LocalBytes = 3, Registers = 4, MaxDynamicShared = 8 };

  /// The kernel in one place: a context, or the number of a device.
  struct Loaded {
    uintptr_t place = 0;
    void *module = nullptr, *function = nullptr;
    int staticSharedBytes = 0;
    base::KernelFacts facts;
  };

  /// `artifact` names the machine code.
  DeviceKernel(const base::CompiledKernel &kernel, const char *artifact, unsigned warpSize)
      : name(kernel.name), threads(unsigned(kernel.results.startedWarps()) * warpSize),
        sharedBytes(unsigned(kernel.results.sharedBytes)), blocks(unsigned(kernel.results.blocks)),
        code(kernel.artifacts.at(artifact)) {}

  virtual const GpuDriver &driver() const = 0;

  /// The address of each argument, which drivers ask for.
  static llvm::SmallVector<void *, 32> addressesOf(std::span<const uint64_t> arguments) {
    llvm::SmallVector<void *, 32> addresses;
    for (const uint64_t &argument : arguments)
      addresses.push_back(const_cast<uint64_t *>(&argument));
    return addresses;
  }

  /// The kernel in the current place, loaded there if that is not done yet. Throws base::LaunchError where the stream
  /// of a launch captures a graph, which loading would spoil.
  const Loaded &loadedIn(const GpuDriver &driver, uintptr_t place, void *stream = nullptr) const {
    if (const Loaded *known = latest.load(std::memory_order_acquire); known && known->place == place) [[likely]]
      return *known;
    return findLoaded(driver, place, stream);
  }

  /// What has to be true of a device before the kernel is loaded there. Throws base::LaunchError.
  virtual void checkDevice(int /*device*/) const {}
  /// The code of what a loaded kernel needs before it can be launched.
  virtual int prepare(const Loaded &) const { return 0; }
  /// What else there is to say about a launch that failed; empty: nothing.
  virtual std::string explain(const base::KernelLaunch &, int /*code*/) const { return ""; }

  [[noreturn]] void fail(const GpuDriver &driver, const base::KernelLaunch &launch, int code) const;

  const std::string name;
  const unsigned threads, sharedBytes, blocks;

private:
  const Loaded &findLoaded(const GpuDriver &driver, uintptr_t place, void *stream) const;
  Loaded loadIn(const GpuDriver &driver, uintptr_t place) const;

  std::string code;
  const base::LoadedCode known{code};
  mutable std::mutex mutex;
  mutable std::vector<std::unique_ptr<Loaded>> all; ///< until unload: a running kernel may belong to any of them
  mutable std::atomic<const Loaded *> latest = nullptr;
};

} // namespace triton::backends
