// triton-loop-unroll: unrolls the loops that ask for it.
#include "base/OptionalPass.h"
#include "passes/tt/Passes.h"

#include "ir/Debug.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/BuiltinOps.h"

#define DEBUG_TYPE "triton-loop-unroll"

using namespace mlir;

namespace triton::tt {

#define GEN_PASS_DEF_TRITONLOOPUNROLL
#include "passes/tt/Passes.h.inc"

namespace {

constexpr llvm::StringLiteral unrollFactorName = "tt.loop_unroll_factor";
// Factors are hints: a factor that would give more operations than this is ignored.
constexpr int64_t mostOperations = 1 << 16;

/// A loop must have a positive step, because the function that unrolls divides by it.
bool hasPositiveStep(scf::ForOp loop) {
  std::optional<APInt> step = loop.getConstantStep();
  return !step || step->isStrictlyPositive();
}

int64_t operationsIn(scf::ForOp loop) {
  int64_t count = 0;
  loop->walk([&](Operation *) { ++count; });
  return count;
}

struct LoopUnroll : impl::TritonLoopUnrollBase<LoopUnroll>, base::OptionalPass {
  void runOnOperation() override {
    // Collected first, inner loops before outer ones, because unrolling makes new loops, which do not ask for anything.
    SmallVector<std::pair<scf::ForOp, int64_t>> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (auto factor = loop->getAttrOfType<IntegerAttr>(unrollFactorName))
        loops.emplace_back(loop, factor.getInt());
    });
    for (auto [loop, factor] : loops) {
      loop->removeAttr(unrollFactorName);
      if (factor < 2)
        continue;
      if (factor > mostOperations / operationsIn(loop)) {
        loop.emitWarning() << "is not unrolled by " << factor << ": that would make more than " << mostOperations
                           << " operations";
        continue;
      }
      TRITON_DEBUG(llvm::dbgs() << "unrolling by " << factor << ": " << loop.getLoc() << "\n");
      if (!hasPositiveStep(loop) || failed(loopUnrollByFactor(loop, factor)))
        loop.emitWarning() << "cannot be unrolled by " << factor;
    }
  }
};

} // namespace

} // namespace triton::tt

#undef DEBUG_TYPE // which sources that are compiled together define, too
