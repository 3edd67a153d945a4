// triton-inline-calls: the upstream inliner, where there is a call.
#include "passes/tt/Passes.h"

#include "ir/Dialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace triton::tt {

#define GEN_PASS_DEF_TRITONINLINECALLS
#include "passes/tt/Passes.h.inc"

namespace {

struct InlineCalls : impl::TritonInlineCallsBase<InlineCalls> {
  void runOnOperation() override {
    WalkResult search = getOperation().walk([](CallOp) { return WalkResult::interrupt(); });
    if (!search.wasInterrupted())
      return markAllAnalysesPreserved();
    // No pipeline between the steps: the canonicalizer that follows in the stage does that work once.
    OpPassManager inliner(ModuleOp::getOperationName());
    inliner.addPass(createInlinerPass({}, [](OpPassManager &) {}));
    if (failed(runPipeline(inliner, getOperation())))
      signalPassFailure();
  }
};

} // namespace

} // namespace triton::tt
