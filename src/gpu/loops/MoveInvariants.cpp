// Moves what is the same in all iterations out of loops, see Passes.td.
#include "base/OptionalPass.h"
#include "gpu/loops/Passes.h"
#include "ir/LoopMotion.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUMOVEINVARIANTS
#include "gpu/loops/Passes.h.inc"

namespace {

struct TritonGPUMoveInvariants : impl::TritonGPUMoveInvariantsBase<TritonGPUMoveInvariants>, base::OptionalPass {
  void runOnOperation() override {
    // Inner loops come first, so that what leaves one loop may leave the next.
    getOperation().walk([](LoopLikeOpInterface loop) {
      if (!tt::isMotionDisabled(loop))
        tt::moveInvariants(loop);
    });
  }
};

} // namespace

} // namespace triton::ttg
