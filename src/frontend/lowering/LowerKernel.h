// The frontend's second half: from a parsed kernel and the types of its arguments to TTIR.
#pragma once

#include "base/LanguageOptions.h"
#include "frontend/KernelArgument.h"
#include "frontend/lowering/Observer.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OwningOpRef.h"

#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace triton::frontend {

/// The facts of the target and of the options on which the language itself depends.
struct LoweringOptions {
  base::LanguageOptions language;
  int numWarps = 4;              ///< of a program, on GPUs
  int numCtas = 1;               ///< blocks of a program, on GPUs
  bool debug = false;            ///< `device_assert` and `assert` are compiled
  bool sanitizeOverflow = false; ///< with debug: integer `+ - *` check for overflow
  /// Receives the lines of `tl.static_print` and warnings; standard output and standard error when unset.
  std::function<void(const std::string &)> print, warn;
  /// Another thread sets this to end the lowering with CompilationAbandoned. Null: never.
  const std::atomic<bool> *isAbandoned = nullptr;
  /// Null: the lowering ends at the first error.
  LoweringObserver *observer = nullptr;
};

/// Adds the dialects that lowered kernels use.
void registerFrontendDialects(mlir::DialectRegistry &registry);

/// Lowers `function` for these arguments (one for each parameter, in order) to a module. The module has the public
/// tt.func `kernelName` and a private one for each specialization of a called function. Loads the dialects that it
/// needs. Throws DiagnosticError when the user's program has an error.
mlir::OwningOpRef<mlir::ModuleOp> lowerKernel(mlir::MLIRContext &context, const Function &function,
                                              const std::vector<KernelArgument> &arguments,
                                              const LoweringOptions &options, llvm::StringRef kernelName);

} // namespace triton::frontend
