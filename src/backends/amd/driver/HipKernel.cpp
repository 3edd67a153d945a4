#include "backends/amd/driver/HipKernel.h"

#include "backends/ExtraOptions.h"
#include "backends/MessageBuffer.h"
#include "backends/amd/driver/HipDriver.h"
#include "backends/gpu/driver/DeviceKernel.h"

#include "llvm/ADT/ScopeExit.h"

namespace triton::amd {
namespace {

using base::KernelLaunch;
using base::LaunchError;

class HipKernel final : public backends::DeviceKernel {
public:
  HipKernel(const base::CompiledKernel &kernel, unsigned warpSize)
      : DeviceKernel(kernel, "hsaco", warpSize), arch(kernel.target.arch),
        isCooperative(backends::isSet(kernel.options, backends::cooperativeOption)), messages(kernel.results.messages) {
  }

  void launch(const KernelLaunch &launch) const override {
    const HipDriver &driver = HipDriver::get();
    const Loaded &loaded = loadedIn(driver, driver.currentPlace(), launch.stream);
    // The driver finds in the code object which bytes of each slot the kernel takes.
    llvm::SmallVector<void *, 32> parameters = addressesOf(launch.arguments);
    if (messages.empty()) [[likely]]
      return launchWith(parameters, driver, loaded, launch);
    launchAndReport(parameters, driver, loaded, launch);
  }

private:
  const HipDriver &driver() const override { return HipDriver::get(); }

  void launchWith(llvm::MutableArrayRef<void *> parameters, const HipDriver &driver, const Loaded &loaded,
                  const KernelLaunch &launch) const {
    auto grid = [&](unsigned axis) { return unsigned(launch.grid[axis]); };
    int code = isCooperative
                   ? driver.hipModuleLaunchCooperativeKernel(loaded.function, grid(0), grid(1), grid(2), threads, 1, 1,
                                                             sharedBytes, launch.stream, parameters.data())
                   : driver.hipModuleLaunchKernel(loaded.function, grid(0), grid(1), grid(2), threads, 1, 1,
                                                  sharedBytes, launch.stream, parameters.data(), nullptr);
    if (code != 0) [[unlikely]]
      fail(driver, launch, code);
  }

  /// Waits for the kernel's end, because its messages are to appear, and its assertions to be heard of, at the launch.
  void launchAndReport(llvm::SmallVectorImpl<void *> &parameters, const HipDriver &driver, const Loaded &loaded,
                       const KernelLaunch &launch) const {
    backends::MessageBuffer buffer;
    void *memory = driver.allocate(buffer.bytes());
    auto release = llvm::scope_exit([&] { driver.free(memory); });
    auto check = [&](int code) {
      if (code != 0)
        fail(driver, launch, code);
    };
    check(driver.hipMemcpyAsync(memory, buffer.data(), buffer.bytes(), HipDriver::HostToDevice, launch.stream));
    parameters.push_back(&memory);
    launchWith(parameters, driver, loaded, launch);
    check(driver.hipMemcpyAsync(buffer.data(), memory, buffer.bytes(), HipDriver::DeviceToHost, launch.stream));
    check(driver.hipStreamSynchronize(launch.stream));
    buffer.report(messages);
  }

  /// The driver would call the code object invalid and not say why.
  void checkDevice(int device) const override {
    const HipDriver &driver = HipDriver::get();
    if (std::string found = driver.arch(device); found != arch)
      throw LaunchError("cannot load kernel `" + name + "` on device " + std::to_string(device) + " (" +
                        driver.describeDevice(device) + "): it was compiled for " + arch);
    if (isCooperative && driver.attribute(device, DeviceAttribute::CooperativeLaunch) == 0)
      throw LaunchError("cannot launch kernel `" + name + "`: device " + std::to_string(device) + " (" +
                        driver.describeDevice(device) + ") has no cooperative launches, for which the option `" +
                        backends::cooperativeOption + "` asks");
  }

  std::string explain(const KernelLaunch &launch, int code) const override {
    constexpr int invalidValue = 1, invalidConfiguration = 9, outOfResources = 701, cooperativeTooLarge = 720;
    constexpr uint64_t mostThreads = uint64_t(1) << 32;
    switch (code) {
    case invalidValue:
    case invalidConfiguration:
      if (uint64_t(launch.grid[0]) * threads >= mostThreads)
        return "the threads of a launch along the first extent of the grid must be fewer than 4294967296";
      return "";
    case outOfResources:
      return "a program takes more registers or shared memory than a compute unit has; use fewer warps, smaller blocks "
             "or a lower `num_stages`";
    case cooperativeTooLarge:
      return "all programs of a cooperative launch must be on the device at the same time";
    default:
      return "";
    }
  }

  std::string arch;
  bool isCooperative;
  std::vector<base::DeviceMessage> messages;
};

} // namespace

std::shared_ptr<const base::LoadedKernel> makeHipKernel(const base::CompiledKernel &kernel, unsigned warpSize) {
  return std::make_shared<const HipKernel>(kernel, warpSize);
}

} // namespace triton::amd
