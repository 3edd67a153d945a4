// Puts barriers between dependent accesses of shared memory, see Passes.td.
#include "analysis/SharedConflicts.h"
#include "ir/gpu/Dialect.h"
#include "passes/ttg/Passes.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUINSERTBARRIERS
#include "passes/ttg/Passes.h.inc"

namespace {

struct TritonGPUInsertBarriers : impl::TritonGPUInsertBarriersBase<TritonGPUInsertBarriers> {
  void runOnOperation() override {
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
