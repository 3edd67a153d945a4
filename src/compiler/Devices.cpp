#include "compiler/Devices.h"

#include "backends/simulated/SimulatedDevices.h"
#include "compiler/BackendRegistry.h"

using namespace triton;
using namespace triton::compiler;

const base::DeviceDriver *compiler::deviceDriver(std::string_view backend) {
  const backends::Backend *found = findBackend(backend);
  return found ? found->driver() : nullptr;
}

bool compiler::hasBackend(std::string_view backend) { return findBackend(backend) != nullptr; }

base::ArgumentRanges compiler::argumentRanges(std::string_view backend, const std::string &arch) {
  const backends::Backend *found = findBackend(backend);
  return found ? found->argumentRanges(arch) : base::ArgumentRanges();
}

const base::DeviceDriver &compiler::gpuDriver() {
  const base::DeviceDriver &nvidia = *deviceDriver("cuda"), &amd = *deviceDriver("hip");
  return !nvidia.exists() && amd.exists() ? amd : nvidia;
}

std::shared_ptr<base::DeviceGroup> compiler::makeDeviceGroup(unsigned count) {
  return std::make_shared<backends::SimulatedDevices>(count);
}

base::Target compiler::parseTarget(std::string_view text) {
  if (const backends::Backend *backend = findBackend(text)) {
    const base::DeviceDriver *driver = backend->driver();
    base::Target target{std::string(text)};
    if (driver)
      target.arch = driver->arch(driver->currentDevice());
    target.warpSize = backend->warpSize(target.arch);
    return target;
  }
  auto [name, arch] = llvm::StringRef(text).rsplit(':');
  const backends::Backend *backend = findBackend(name);
  return {name.str(), arch.str(), backend ? backend->warpSize(arch.str()) : 0};
}

base::LanguageOptions compiler::languageOptions(const base::Target &target, const base::Environment &environment) {
  base::LanguageOptions options = requireBackend(target).languageOptions(target);
  if (!environment.f32Default.empty())
    options.defaultInputPrecision = environment.f32Default;
  return options;
}

std::pair<int64_t, int64_t> compiler::operandPacking(std::string_view backend, const std::string &arch,
                                                     std::string_view type, std::array<int64_t, 3> mnk) {
  const backends::Backend *found = findBackend(backend);
  if (!found)
    throw base::LaunchError("there is no backend `" + std::string(backend) + "`");
  llvm::Expected<backends::OperandPacking> packing = found->operandPacking(arch, type, mnk);
  if (!packing)
    throw base::LaunchError(llvm::toString(packing.takeError()));
  return {packing->panel, packing->group};
}

void compiler::addToolkitDirectory(std::string_view backend, const std::string &path) {
  if (const backends::Backend *found = findBackend(backend))
    found->addToolkitDirectory(path);
}

std::string compiler::findTool(std::string_view backend, const std::string &name) {
  const backends::Backend *found = findBackend(backend);
  if (!found)
    throw base::LaunchError("there is no backend `" + std::string(backend) + "`");
  llvm::Expected<std::string> path = found->findTool(name);
  if (!path)
    throw base::LaunchError(llvm::toString(path.takeError()));
  return *path;
}
