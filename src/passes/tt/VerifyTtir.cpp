// triton-verify-ttir: checks what the stage ttir may leave, and what users give to it.
#include "analysis/CallCycles.h"
#include "ir/Dialect.h"
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

/// A float type that kernels cannot have.
bool isForeignFloat(Type type) {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  return element && element.getWidth() > 64;
}

struct VerifyTtir : impl::TritonVerifyTtirBase<VerifyTtir> {
  using TritonVerifyTtirBase::TritonVerifyTtirBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (failed(isGiven ? verifyGiven() : verifyLeft()))
      signalPassFailure();
  }

private:
  static bool isAllowed(Operation *op) {
    // TTIR states facts by `llvm.intr.assume` (`tl.assume`), and `gpu.barrier` lets threads wait
    // (`tl.debug_barrier`), `llvm.fence` orders accesses. No other operation of their dialects belongs here.
    return llvm::is_contained(allowedDialects, op->getName().getDialectNamespace()) ||
           isa<LLVM::AssumeOp, LLVM::FenceOp, mlir::gpu::BarrierOp>(op);
  }

  LogicalResult verifyGiven() {
    WalkResult walk = getOperation().walk([](Operation *op) -> WalkResult {
      if (!isAllowed(op))
        return op->emitError() << "`" << op->getName() << "` does not belong in TTIR, which consists of the dialects "
                               << llvm::join(ArrayRef(allowedDialects), ", ") << "; write it with operations of these";
      for (Type type : op->getResultTypes())
        if (isForeignFloat(type))
          return op->emitError() << "kernels have no values of type " << type
                                 << "; the widest type of floats is `f64`, convert to this";
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return failure();
    return analysis::refuseRecursion(getOperation());
  }

  LogicalResult verifyLeft() {
    WalkResult walk = getOperation().walk([](Operation *op) -> WalkResult {
      if (!isAllowed(op))
        return op->emitError() << "`" << op->getName()
                               << "` is left after the stage ttir, which ends with the dialects "
                               << llvm::join(ArrayRef(allowedDialects), ", ");
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return failure();
    if (anyType(getOperation(), isBlockPointer))
      return getOperation().emitError() << "a block pointer is left after the stage ttir";
    return verifyCalls();
  }

  /// A call in the way keeps loops from running ahead, and producer warps from computing what they load.
  LogicalResult verifyCalls() {
    SymbolTable symbols(getOperation());
    WalkResult walk = getOperation().walk([&](CallOp call) -> WalkResult {
      auto callee = symbols.lookup<FuncOp>(call.getCallee());
      if (callee && !callee.isExternal() && !callee.isNoInline())
        return call->emitError() << "a call of `" << call.getCallee()
                                 << "` is left after the stage ttir, which inlines it";
      return WalkResult::advance();
    });
    return failure(walk.wasInterrupted());
  }
};

} // namespace

} // namespace triton::tt
