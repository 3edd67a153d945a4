#include "backends/gpu/driver/DeviceKernel.h"

#include "base/LoadCount.h"

#include "llvm/Support/FormatVariadic.h"

namespace triton::backends {

using base::LaunchError;
using base::OutOfResourcesError;

base::KernelFacts DeviceKernel::load() const {
  const GpuDriver &driver = this->driver();
  return loadedIn(driver, driver.currentPlace()).facts;
}

void DeviceKernel::unload() const {
  std::lock_guard lock(mutex);
  latest.store(nullptr, std::memory_order_release);
  if (all.empty())
    return;
  const GpuDriver &driver = this->driver();
  // A device that has failed keeps its modules until the process ends; there is nothing to say about it here.
  for (const std::unique_ptr<Loaded> &each : all)
    driver.visit(each->place, [&] { driver.moduleFunctions().unload(each->module); });
  all.clear();
}

void DeviceKernel::fail(const GpuDriver &driver, const base::KernelLaunch &launch, int code) const {
  constexpr int firstSticky = 700, outOfResources = 701, lastSticky = 719;
  const auto &grid = launch.grid;
  std::string text = llvm::formatv("cannot launch kernel `{0}` over the grid ({1}, {2}, {3}) with {4} threads and "
                                   "{5} bytes of shared memory: {6}",
                                   name, grid[0], grid[1], grid[2], threads, sharedBytes, driver.describe(code))
                         .str();
  if (code >= firstSticky && code <= lastSticky && code != outOfResources)
    text += "; the failure may be an earlier kernel's, and only a new process can use the device again";
  else if (std::string more = explain(launch, code); !more.empty())
    text += "; " + more;
  throw LaunchError(text);
}

const DeviceKernel::Loaded &DeviceKernel::findLoaded(const GpuDriver &driver, uintptr_t place, void *stream) const {
  std::lock_guard lock(mutex);
  for (const std::unique_ptr<Loaded> &known : all)
    if (known->place == place) {
      latest.store(known.get(), std::memory_order_release);
      return *known;
    }
  if (stream && driver.isCapturing(stream)) // the default stream captures nothing
    throw LaunchError("cannot launch kernel `" + name +
                      "`: it is not loaded on the device yet, and its stream captures a graph, which loading would "
                      "spoil; launch it once before the capture, or load all kernels with `triton.freeze()`");
  all.push_back(std::make_unique<Loaded>(loadIn(driver, place)));
  latest.store(all.back().get(), std::memory_order_release);
  return *all.back();
}

DeviceKernel::Loaded DeviceKernel::loadIn(const GpuDriver &driver, uintptr_t place) const {
  base::CountedLoad counted;
  int device = driver.currentDevice();
  checkDevice(device);
  int sharedLimit = driver.maxSharedBytes(device);
  if (int64_t(sharedBytes) > sharedLimit)
    throw OutOfResourcesError(name, sharedBytes, sharedLimit, "shared memory");
  Loaded result;
  result.place = place;
  auto check = [&](int failure) {
    if (failure == 0)
      return;
    std::string action = "cannot load kernel `" + name + "` on device " + std::to_string(device) + " (" +
                         driver.describeDevice(device) + ")";
    driver.check(failure, action.c_str());
  };
  ModuleFunctions functions = driver.moduleFunctions();
  check(functions.load(&result.module, code.data()));
  check(functions.find(&result.function, result.module, name.c_str()));
  auto attribute = [&](FunctionAttribute which) {
    int value = 0;
    check(functions.functionAttribute(&value, which, result.function));
    return value;
  };
  result.facts = {reinterpret_cast<uintptr_t>(result.function), attribute(Registers), attribute(LocalBytes),
                  attribute(MaxThreads)};
  if (int(threads) > result.facts.maxThreads)
    throw OutOfResourcesError(name, threads, result.facts.maxThreads, "threads");
  result.staticSharedBytes = attribute(StaticShared);
  check(prepare(result));
  return result;
}

} // namespace triton::backends
