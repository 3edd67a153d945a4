#include "compiler/PassSelection.h"

#include "base/OptionalPass.h"
#include "base/PassName.h"

#include "mlir/Pass/Pass.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace triton;
using namespace triton::base;
using namespace triton::compiler;

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

/// The outermost operation around what the pass ran on.
static mlir::Operation *moduleOf(const mlir::PassExecutionAction &execution) {
  mlir::Operation *op = execution.getOp();
  while (mlir::Operation *parent = op->getParentOp())
    op = parent;
  return op;
}

void PassSelection::attach(mlir::MLIRContext &context, const std::atomic<bool> *isAbandoned, const PassEdit *edit) {
  if (skipped.empty() && limit == ~0u && !isAbandoned && !edit)
    return;
  attached = &context;
  context.registerActionHandler(
      [this, isAbandoned, edit](llvm::function_ref<void()> run, const mlir::tracing::Action &action) {
        auto *execution = llvm::dyn_cast<mlir::PassExecutionAction>(&action);
        if (!execution)
          return run();
        if (isAbandoned && isAbandoned->load(std::memory_order_relaxed))
          return;
        const mlir::Pass &pass = execution->getPass();
        if (!shouldRun(pass.getArgument(), isOptional(pass)))
          return;
        run();
        if (edit && !isAdaptor(pass))
          (*edit)(passName(pass), moduleOf(*execution));
      });
}

PassSelection::~PassSelection() {
  if (attached)
    attached->registerActionHandler({});
}
