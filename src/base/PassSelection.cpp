#include "base/PassSelection.h"

#include "base/OptionalPass.h"

#include "mlir/Pass/Pass.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace triton::base;

llvm::ArrayRef<llvm::StringLiteral> triton::base::optionalUpstreamPasses() {
  static constexpr llvm::StringLiteral names[] = {
      "canonicalize", "control-flow-sink", "cse", "loop-invariant-code-motion", "sccp", "symbol-dce"};
  return names;
}

bool triton::base::isOptional(const mlir::Pass &pass) {
  return dynamic_cast<const OptionalPass *>(&pass) || llvm::is_contained(optionalUpstreamPasses(), pass.getArgument());
}

PassSelection::PassSelection(const Environment &environment)
    : skipsLlvm(!environment.disableLlvmOpt.empty() && environment.disableLlvmOpt != "0") {
  for (llvm::StringRef name : llvm::split(environment.skipPasses, ','))
    if (!name.trim().empty())
      skipped.push_back(name.trim().str());
  llvm::StringRef(environment.stopAfterPass).getAsInteger(10, limit);
}

bool PassSelection::shouldRunStep(llvm::StringRef name, bool isOptional) {
  if (skipsLlvm && isOptional) // Optional steps are passes over LLVM IR.
    return false;
  return shouldRun(name, isOptional);
}

bool PassSelection::shouldRun(llvm::StringRef name, bool isOptional) {
  if (llvm::is_contained(skipped, name))
    return false;
  if (!isOptional || count++ < limit)
    return true;
  if (count == limit + 1)
    llvm::errs() << "note: TRITON_STOP_AFTER_PASS: `" << name << "` is the first pass that does not run\n";
  return false;
}

void PassSelection::attach(mlir::MLIRContext &context, const std::atomic<bool> *isAbandoned) {
  if (skipped.empty() && limit == ~0u && !isAbandoned)
    return;
  attached = &context;
  context.registerActionHandler(
      [this, isAbandoned](llvm::function_ref<void()> run, const mlir::tracing::Action &action) {
        auto *execution = llvm::dyn_cast<mlir::PassExecutionAction>(&action);
        if (execution && isAbandoned && isAbandoned->load(std::memory_order_relaxed))
          return;
        if (!execution || shouldRun(execution->getPass().getArgument(), isOptional(execution->getPass())))
          run();
      });
}

PassSelection::~PassSelection() {
  if (attached)
    attached->registerActionHandler({});
}
