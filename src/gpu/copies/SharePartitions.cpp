// Lets two groups of warps that do the same with other integers run the same code, see Passes.td.
#include "gpu/copies/PartitionBodies.h"
#include "gpu/copies/Passes.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUSHAREPARTITIONS
#include "gpu/copies/Passes.h.inc"

namespace {

struct TritonGPUSharePartitions : impl::TritonGPUSharePartitionsBase<TritonGPUSharePartitions> {
  void runOnOperation() override {
    bool hasChanged = false;
    getOperation().walk([&](WarpSpecializeOp op) {
      if (!canShareCode(op))
        return;
      auto different = findDifferentConstants(op.getDefaultRegion(), op.getPartitions().front());
      if (!different || different->empty())
        return;
      chooseByWarp(op, *different);
      hasChanged = true;
    });
    if (!hasChanged)
      markAllAnalysesPreserved();
  }

  static void chooseByWarp(WarpSpecializeOp op, ArrayRef<ConstantPair> different) {
    OpBuilder builder(op);
    int32_t warps = int32_t(getNumWarps(op));
    Value isSecond = InWarpsOp::create(builder, op.getLoc(), warps, warps);
    for (auto [first, second] : different) {
      Value chosen = arith::SelectOp::create(builder, op.getLoc(), isSecond, builder.clone(*second)->getResult(0),
                                             builder.clone(*first)->getResult(0));
      for (arith::ConstantOp constant : {first, second}) {
        constant.replaceAllUsesWith(chosen);
        constant.erase();
      }
    }
  }
};

} // namespace

} // namespace triton::ttg
