#include "backends/nvidia/CudaKernel.h"

#include "backends/ExtraOptions.h"
#include "backends/nvidia/Driver.h"
#include "backends/nvidia/NvidiaOptions.h"
#include "backends/nvidia/TensorMapEncoder.h"
#include "backends/nvidia/target/Architecture.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FormatVariadic.h"

#include <atomic>
#include <mutex>

namespace triton::nvidia {
namespace {

using base::KernelLaunch;
using base::LaunchError;
using base::OutOfResourcesError;

// CUfunction_attribute, as the driver numbers them.
enum FunctionAttribute { MaxThreads = 0, StaticShared = 1, LocalBytes = 3, Registers = 4, MaxDynamicShared = 8 };
constexpr int sharedWithoutOptIn = 48 << 10;

/// The kernel in one context.
struct Loaded {
  void *context = nullptr, *module = nullptr, *function = nullptr;
  base::KernelFacts facts;
};

std::vector<LaunchAttribute> launchAttributes(const base::Options &options) {
  std::vector<LaunchAttribute> attributes;
  if (backends::isSet(options, cooperativeOption))
    attributes.emplace_back(LaunchAttribute::Cooperative);
  if (backends::isSet(options, dependentOption))
    attributes.emplace_back(LaunchAttribute::ProgrammaticSerialization);
  return attributes;
}

constexpr unsigned warpSize = 32;

class CudaKernel final : public base::LoadedKernel {
public:
  explicit CudaKernel(const base::CompiledKernel &kernel)
      : name(kernel.name), cubin(kernel.artifacts.at("cubin")),
        threads(unsigned(kernel.results.startedWarps()) * warpSize), sharedBytes(unsigned(kernel.results.sharedBytes)),
        attributes(launchAttributes(kernel.options)), tensorMaps(kernel) {}

  void launch(const KernelLaunch &launch) const override {
    const Driver &driver = Driver::get();
    const Loaded &loaded = loadedIn(driver, driver.currentContext());
    llvm::SmallVector<void *, 32> parameters;
    for (const uint64_t &slot : launch.arguments)
      parameters.push_back(const_cast<uint64_t *>(&slot));
    if (tensorMaps.count() == 0)
      return launchWith(parameters, driver, loaded, launch);
    constexpr std::size_t few = 8;
    std::array<EncodedTensorMap, few> onStack;
    std::vector<EncodedTensorMap> onHeap(tensorMaps.count() > few ? tensorMaps.count() : 0);
    std::span<EncodedTensorMap> maps = onHeap.empty() ? std::span(onStack).first(tensorMaps.count()) : onHeap;
    tensorMaps.encode(driver, loaded.context, launch.arguments, maps);
    for (EncodedTensorMap &map : maps)
      parameters.push_back(&map);
    launchWith(parameters, driver, loaded, launch);
  }

  base::KernelFacts load() const override {
    const Driver &driver = Driver::get();
    return loadedIn(driver, driver.currentContext()).facts;
  }

private:
  void launchWith(llvm::MutableArrayRef<void *> parameters, const Driver &driver, const Loaded &loaded,
                  const KernelLaunch &launch) const {
    const auto &grid = launch.grid;
    int code;
    if (attributes.empty()) {
      code = driver.cuLaunchKernel(loaded.function, unsigned(grid[0]), unsigned(grid[1]), unsigned(grid[2]), threads, 1,
                                   1, sharedBytes, launch.stream, parameters.data(), nullptr);
    } else {
      LaunchConfiguration configuration{
          unsigned(grid[0]), unsigned(grid[1]), unsigned(grid[2]),          threads, 1, 1, sharedBytes,
          launch.stream,     attributes.data(), unsigned(attributes.size())};
      code = driver.cuLaunchKernelEx(&configuration, loaded.function, parameters.data(), nullptr);
    }
    if (code != 0) [[unlikely]]
      fail(driver, launch, code);
  }

  [[noreturn]] void fail(const Driver &driver, const KernelLaunch &launch, int code) const {
    constexpr int firstSticky = 700, outOfResources = 701, lastSticky = 719;
    const auto &grid = launch.grid;
    std::string text = llvm::formatv("cannot launch kernel `{0}` over the grid ({1}, {2}, {3}) with {4} threads and "
                                     "{5} bytes of shared memory: {6}",
                                     name, grid[0], grid[1], grid[2], threads, sharedBytes, driver.describe(code))
                           .str();
    if (code >= firstSticky && code <= lastSticky && code != outOfResources)
      text += "; the failure may be an earlier kernel's, and only a new process can use the device again";
    else if (grid[1] > maxGridYZ || grid[2] > maxGridYZ)
      text += "; the second and third extent of a grid are at most 65535";
    throw LaunchError(text);
  }

  const Loaded &loadedIn(const Driver &driver, void *context) const {
    if (const Loaded *known = latest.load(std::memory_order_acquire); known && known->context == context) [[likely]]
      return *known;
    std::lock_guard lock(mutex);
    for (const std::unique_ptr<Loaded> &known : all)
      if (known->context == context) {
        latest.store(known.get(), std::memory_order_release);
        return *known;
      }
    all.push_back(std::make_unique<Loaded>(loadModule(driver, context)));
    latest.store(all.back().get(), std::memory_order_release);
    return *all.back();
  }

  Loaded loadModule(const Driver &driver, void *context) const {
    int device = driver.currentDevice();
    int sharedLimit = driver.attribute(device, DeviceAttribute::MaxSharedOptIn);
    if (int64_t(sharedBytes) > sharedLimit)
      throw OutOfResourcesError(name, sharedBytes, sharedLimit, "shared memory");
    Loaded result;
    result.context = context;
    auto check = [&](int code) {
      if (code == 0)
        return;
      std::string action = "cannot load kernel `" + name + "` on device " + std::to_string(device) + " (" +
                           driver.deviceName(device) + ", compute capability " +
                           std::to_string(driver.capability(device)) + ")";
      driver.check(code, action.c_str());
    };
    check(driver.cuModuleLoadData(&result.module, cubin.data()));
    check(driver.cuModuleGetFunction(&result.function, result.module, name.c_str()));
    auto attribute = [&](FunctionAttribute which) {
      int value = 0;
      check(driver.cuFuncGetAttribute(&value, which, result.function));
      return value;
    };
    result.facts = {reinterpret_cast<uintptr_t>(result.function), attribute(Registers), attribute(LocalBytes),
                    attribute(MaxThreads)};
    if (int(threads) > result.facts.maxThreads)
      throw OutOfResourcesError(name, threads, result.facts.maxThreads, "threads");
    if (int(sharedBytes) + attribute(StaticShared) > sharedWithoutOptIn)
      check(driver.cuFuncSetAttribute(result.function, MaxDynamicShared, int(sharedBytes)));
    return result;
  }

  std::string name, cubin;
  unsigned threads, sharedBytes;
  std::vector<LaunchAttribute> attributes;
  TensorMapEncoder tensorMaps;
  mutable std::mutex mutex;
  mutable std::vector<std::unique_ptr<Loaded>> all; ///< stay loaded: a running kernel may belong to any of them
  mutable std::atomic<const Loaded *> latest = nullptr;
};

} // namespace

std::shared_ptr<const base::LoadedKernel> makeCudaKernel(const base::CompiledKernel &kernel) {
  return std::make_shared<const CudaKernel>(kernel);
}

} // namespace triton::nvidia
