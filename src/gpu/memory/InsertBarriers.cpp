// Inserts barriers between dependent accesses of shared memory, see Passes.td.
#include "gpu/analysis/Scratch.h"
#include "gpu/analysis/SharedConflicts.h"
#include "gpu/ir/Dialect.h"
#include "gpu/memory/Passes.h"
#include "gpu/target/TargetInfo.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUINSERTBARRIERS
#include "gpu/memory/Passes.h.inc"

namespace {

struct TritonGPUInsertBarriers : impl::TritonGPUInsertBarriersBase<TritonGPUInsertBarriers> {
  void runOnOperation() override {
    if (!gpu::findTarget(getOperation()) || failed(analysis::verifyHavePlaces(getOperation())))
      return signalPassFailure();
    using analysis::SharedConflicts;
    getOperation().walk([&](FunctionOpInterface function) {
      SharedConflicts(function, SharedConflicts::Precision::Bytes).forEach([](Operation *op) {
        OpBuilder builder(op);
        BarrierOp::create(builder, op->getLoc());
      });
    });
  }
};

} // namespace

} // namespace triton::ttg
