// Results without which a test cannot continue, and the passes of stages without a compilation around them.
#pragma once

#include "backends/nvidia/DefineNegation.h"
#include "backends/nvidia/Ptx.h"

#include <stdexcept>

namespace triton::nvidia {

/// The value. If there is none, for example because this machine has no ptxas, the test fails with the error's text.
template <typename T> T require(llvm::Expected<T> value) {
  if (!value)
    throw std::runtime_error(llvm::toString(value.takeError()));
  return std::move(*value);
}

inline void require(llvm::Error error) {
  if (error)
    throw std::runtime_error(llvm::toString(std::move(error)));
}

/// Runs each step and nothing else.
class BareRunner : public base::PassRunner {
public:
  llvm::Error run(mlir::ModuleOp, llvm::StringRef, llvm::function_ref<void(mlir::OpPassManager &)>) override {
    return llvm::createStringError("there is no MLIR here");
  }
  llvm::Error step(llvm::StringRef, base::StepInfo, llvm::function_ref<llvm::Error()> body) override { return body(); }
};

inline void optimize(llvm::Module &module, const PtxOptions &options) {
  BareRunner runner;
  require(optimizeModule(module, options, runner));
}

/// The stage ptx.
inline std::string writePtx(llvm::Module &module, const PtxOptions &options) {
  BareRunner runner;
  require(runPassesBeforePtx(module, runner));
  return defineNegation(require(generatePtx(module, options)));
}

} // namespace triton::nvidia
