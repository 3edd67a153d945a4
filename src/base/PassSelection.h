// Which passes run: leaving some out shows which one is wrong.
#pragma once

#include "base/Environment.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <atomic>
#include <string>

namespace triton::base {

/// TRITON_SKIP_PASSES, TRITON_STOP_AFTER_PASS and DISABLE_LLVM_OPT. Counts over one compilation.
class PassSelection {
public:
  explicit PassSelection(const Environment &environment);

  /// Whether the step of this name, which is no pass of MLIR, runs; asked once for each, in order.
  bool shouldRunStep(llvm::StringRef name);
  /// Asks for every pass of the context's pipelines from now on. Must outlive them. Once `isAbandoned` is set, unless
  /// it is null, no pass runs any more.
  void attach(mlir::MLIRContext &context, const std::atomic<bool> *isAbandoned);

private:
  bool shouldRun(llvm::StringRef name, bool isOptional);

  llvm::SmallVector<std::string> skipped;
  bool skipsLlvm;
  unsigned limit = ~0u;
  unsigned count = 0;
};

} // namespace triton::base
