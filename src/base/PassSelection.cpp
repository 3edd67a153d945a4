#include "base/PassSelection.h"

#include "mlir/Pass/Pass.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace triton::base;

/// Steps on LLVM IR that only make it better.
static bool isLlvmOptimization(llvm::StringRef name) { return name == "early-cse" || name == "optimize"; }

/// Passes without which the stages after them still work: what may be left out when looking for a wrong one.
static bool isOptional(llvm::StringRef name) {
  static constexpr llvm::StringLiteral optional[] = {
      "canonicalize",   "control-flow-sink",  "cse",
      "sccp",           "symbol-dce",         "loop-invariant-code-motion",
      "triton-combine", "triton-loop-unroll", "triton-reorder-broadcast",
      "triton-licm",    "trivial-dce",        "triton-loop-aware-cse"};
  return llvm::is_contained(optional, name) || isLlvmOptimization(name);
}

PassSelection::PassSelection(const Environment &environment)
    : skipsLlvm(!environment.disableLlvmOpt.empty() && environment.disableLlvmOpt != "0") {
  for (llvm::StringRef name : llvm::split(environment.skipPasses, ','))
    if (!name.trim().empty())
      skipped.push_back(name.trim().str());
  llvm::StringRef(environment.stopAfterPass).getAsInteger(10, limit);
}

bool PassSelection::shouldRun(llvm::StringRef name) {
  if (llvm::is_contained(skipped, name) || (skipsLlvm && isLlvmOptimization(name)))
    return false;
  if (!isOptional(name) || count++ < limit)
    return true;
  if (count == limit + 1)
    llvm::errs() << "note: TRITON_STOP_AFTER_PASS: `" << name << "` is the first pass that does not run\n";
  return false;
}

void PassSelection::attach(mlir::MLIRContext &context, const std::atomic<bool> *isAbandoned) {
  if (skipped.empty() && limit == ~0u && !isAbandoned)
    return;
  context.registerActionHandler(
      [this, isAbandoned](llvm::function_ref<void()> run, const mlir::tracing::Action &action) {
        auto *execution = llvm::dyn_cast<mlir::PassExecutionAction>(&action);
        if (execution && isAbandoned && isAbandoned->load(std::memory_order_relaxed))
          return;
        if (!execution || shouldRun(execution->getPass().getArgument()))
          run();
      });
}
