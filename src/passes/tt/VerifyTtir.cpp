// triton-verify-ttir: checks what the stage ttir may leave.
#include "passes/tt/BlockAccess.h"
#include "passes/tt/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace triton::tt {

#define GEN_PASS_DEF_TRITONVERIFYTTIR
#include "passes/tt/Passes.h.inc"

namespace {

constexpr llvm::StringLiteral allowedDialects[] = {"arith", "builtin", "cf", "math", "scf", "tt", "ub"};

struct VerifyTtir : impl::TritonVerifyTtirBase<VerifyTtir> {
  void runOnOperation() override {
    WalkResult walk = getOperation().walk([](Operation *op) -> WalkResult {
      // TTIR states facts by `llvm.intr.assume` (`tl.assume`), and `gpu.barrier` lets threads wait
      // (`tl.debug_barrier`), `llvm.fence` orders accesses. No other operation of their dialects belongs here.
      bool isAllowed = llvm::is_contained(allowedDialects, op->getName().getDialectNamespace()) ||
                       isa<LLVM::AssumeOp, LLVM::FenceOp, mlir::gpu::BarrierOp>(op);
      if (!isAllowed)
        return op->emitError() << "`" << op->getName()
                               << "` is left after the stage ttir, which ends with the dialects "
                               << llvm::join(ArrayRef(allowedDialects), ", ");
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return signalPassFailure();
    if (anyType(getOperation(), isBlockPointer)) {
      getOperation().emitError() << "a block pointer is left after the stage ttir";
      return signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};

} // namespace

} // namespace triton::tt
