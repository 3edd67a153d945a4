// The one door for passes: adds to each pipeline what every pass shares (verification, timing, dumps, bisection, crash
// notes), so that no pass prints, times or reads the environment itself.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace triton::compiler {

class PassRunner {
public:
  virtual ~PassRunner() = default;
  /// Runs the pipeline that `build` adds, as the stage `stage`. Diagnostics of passes become the returned error.
  virtual llvm::Error run(mlir::ModuleOp module, llvm::StringRef stage,
                          llvm::function_ref<void(mlir::OpPassManager &)> build) = 0;
  /// Times a step that is not an MLIR pass (translation, code generation) under `name`.
  virtual llvm::Error step(llvm::StringRef stage, llvm::StringRef name, llvm::function_ref<llvm::Error()> body) = 0;
};

} // namespace triton::compiler
