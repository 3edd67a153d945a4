// Selects the passes that run. Leaving some out shows which pass is wrong.
#pragma once

#include "base/CompilationRecord.h"
#include "base/Environment.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <atomic>
#include <string>

namespace triton::compiler {

/// TRITON_SKIP_PASSES, TRITON_STOP_AFTER_PASS and DISABLE_LLVM_OPT. Counts over one compilation.
class PassSelection {
public:
  explicit PassSelection(const base::Environment &environment);
  ~PassSelection();
  PassSelection(const PassSelection &) = delete;
  PassSelection &operator=(const PassSelection &) = delete;

  /// Whether the step of this name, which is not an MLIR pass, runs. Asked once for each step, in order.
  bool shouldRunStep(llvm::StringRef name, bool isOptional);
  /// While alive, decides for every pass of the context's pipelines. `isAbandoned` may be null; once it is set, no pass
  /// runs any more. `edit` may be null; otherwise it is called after each pass that ran.
  void attach(mlir::MLIRContext &context, const std::atomic<bool> *isAbandoned, const base::PassEdit *edit = nullptr);

private:
  bool shouldRun(llvm::StringRef name, bool isOptional);

  llvm::SmallVector<std::string> skipped;
  bool skipsLlvm;
  unsigned limit = ~0u;
  unsigned count = 0;
  mlir::MLIRContext *attached = nullptr;
};

} // namespace triton::compiler
