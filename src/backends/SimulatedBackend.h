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
  void registerDialects(mlir::DialectRegistry &registry) const override { device.registerDialects(registry); }
  llvm::Error check(const compiler::Target &target, const compiler::Options &options) const override {
    return device.check(target, options);
  }
  std::string fingerprint(const compiler::Target &target, const compiler::Options &options) const override {
    return device.fingerprint(target, options);
  }
  DeviceLimits limits(const compiler::Target &target) const override { return device.limits(target); }
  /// Decodes the kernel for the simulator.
  llvm::Error load(compiler::CompiledKernel &kernel) const override;

private:
  llvm::StringRef ownName;
  const Backend &device;
  llvm::ArrayRef<Stage> deviceStages; ///< the device's, up to and with "llir"
};

} // namespace triton::backends
