// A GPU backend up to its LLVM IR, which the SIMT simulator then runs on this processor.
#pragma once

#include "backends/Backend.h"

namespace triton::backends {

class SimulatedBackend final : public Backend {
public:
  /// `name` is "sim:" and the name of `device`.
  SimulatedBackend(llvm::StringRef name, const Backend &device);

  llvm::StringRef name() const override { return ownName; }
  llvm::ArrayRef<Stage> stages() const override { return deviceStages; }
  std::string usualArch() const override { return device.usualArch(); }
  int warpSize(const std::string &arch) const override { return device.warpSize(arch); }
  void registerDialects(mlir::DialectRegistry &registry) const override { device.registerDialects(registry); }
  llvm::Expected<std::unique_ptr<const BackendOptions>>
  readOptions(const base::Target &target, const base::Options &options,
              const base::Environment &environment) const override {
    return device.readOptions(target, options, environment);
  }
  /// Kernels see the device that is simulated.
  base::LanguageOptions languageOptions(const base::Target &target) const override {
    return device.languageOptions({device.name().str(), target.arch, target.warpSize});
  }
  bool reservesSymbol(llvm::StringRef name) const override { return device.reservesSymbol(name); }
  llvm::Error adopt(llvm::Module &module, const Compilation &compilation) const override {
    return device.adopt(module, compilation);
  }
  llvm::json::Object describeResources(const Compilation &compilation) const override {
    return device.describeResources(compilation);
  }
  std::string fingerprint(const BackendOptions &options) const override { return device.fingerprint(options); }
  DeviceLimits limits(const base::Target &target) const override { return device.limits(target); }
  base::ArgumentRanges argumentRanges(const std::string &arch) const override { return device.argumentRanges(arch); }
  /// Decodes the kernel for the simulator.
  llvm::Expected<std::shared_ptr<const base::LoadedKernel>> load(const base::CompiledKernel &kernel,
                                                                 const llvm::Module *module) const override;

private:
  llvm::StringRef ownName;
  const Backend &device;
  llvm::ArrayRef<Stage> deviceStages; ///< the device's, up to and with "llir"
};

} // namespace triton::backends
