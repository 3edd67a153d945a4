#include "backends/nvidia/CudaKernel.h"

#include "backends/ExtraOptions.h"
#include "backends/gpu/driver/DeviceKernel.h"
#include "backends/nvidia/Driver.h"
#include "backends/nvidia/NvidiaOptions.h"
#include "backends/nvidia/TensorMapEncoder.h"
#include "backends/nvidia/target/Architecture.h"

namespace triton::nvidia {
namespace {

using base::KernelLaunch;

constexpr int invalidValue = 1; // CUDA_ERROR_INVALID_VALUE
constexpr int sharedWithoutOptIn = 48 << 10;

std::vector<LaunchAttribute> launchAttributes(const base::Options &options) {
  std::vector<LaunchAttribute> attributes;
  if (backends::isSet(options, backends::cooperativeOption))
    attributes.emplace_back(LaunchAttribute::Cooperative);
  if (backends::isSet(options, dependentOption))
    attributes.emplace_back(LaunchAttribute::ProgrammaticSerialization);
  return attributes;
}

constexpr unsigned warpSize = 32;

class CudaKernel final : public backends::DeviceKernel {
public:
  explicit CudaKernel(const base::CompiledKernel &kernel)
      : DeviceKernel(kernel, "cubin", warpSize), attributes(launchAttributes(kernel.options)), tensorMaps(kernel) {}

  void launch(const KernelLaunch &launch) const override {
    const Driver &driver = Driver::get();
    const Loaded &loaded = loadedIn(driver, driver.currentPlace(), launch.stream);
    llvm::SmallVector<void *, 32> parameters = addressesOf(launch.arguments);
    if (tensorMaps.count() == 0)
      return launchWith(parameters, driver, loaded, launch);
    constexpr std::size_t few = 8;
    std::array<EncodedTensorMap, few> onStack;
    std::vector<EncodedTensorMap> onHeap(tensorMaps.count() > few ? tensorMaps.count() : 0);
    std::span<EncodedTensorMap> maps = onHeap.empty() ? std::span(onStack).first(tensorMaps.count()) : onHeap;
    tensorMaps.encode(driver, reinterpret_cast<void *>(loaded.place), launch.arguments, maps);
    for (EncodedTensorMap &map : maps)
      parameters.push_back(&map);
    launchWith(parameters, driver, loaded, launch);
  }

private:
  const Driver &driver() const override { return Driver::get(); }

  void launchWith(llvm::MutableArrayRef<void *> parameters, const Driver &driver, const Loaded &loaded,
                  const KernelLaunch &launch) const {
    auto grid = launch.grid;
    if (blocks > 1 && __builtin_mul_overflow(grid[0], int32_t(blocks), &grid[0]))
      return fail(driver, launch, invalidValue);
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

  int prepare(const Loaded &loaded) const override {
    if (int(sharedBytes) + loaded.staticSharedBytes <= sharedWithoutOptIn)
      return 0;
    return Driver::get().cuFuncSetAttribute(loaded.function, MaxDynamicShared, int(sharedBytes));
  }

  std::string explain(const KernelLaunch &launch, int) const override {
    if (int64_t(launch.grid[0]) * blocks > INT32_MAX)
      return "each program has " + std::to_string(blocks) + " blocks, and a launch at most 2147483647";
    if (launch.grid[1] <= maxGridYZ && launch.grid[2] <= maxGridYZ)
      return "";
    return "the second and third extent of a grid are at most 65535";
  }

  std::vector<LaunchAttribute> attributes;
  TensorMapEncoder tensorMaps;
};

} // namespace

std::shared_ptr<const base::LoadedKernel> makeCudaKernel(const base::CompiledKernel &kernel) {
  return std::make_shared<const CudaKernel>(kernel);
}

} // namespace triton::nvidia
