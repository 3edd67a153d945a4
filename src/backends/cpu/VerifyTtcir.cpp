#include "backends/cpu/Passes.h"
#include "backends/cpu/codegen/Support.h"
#include "base/PassRunner.h"

#include "ir/UserNames.h"

#include "mlir/IR/BuiltinDialect.h"

namespace triton::cpu {

#define GEN_PASS_DEF_VERIFYTTCIR
#include "backends/cpu/Passes.h.inc"

namespace {

bool isLoopType(mlir::Type type) {
  if (auto vector = llvm::dyn_cast<mlir::VectorType>(type)) {
    mlir::Type element = vector.getElementType();
    int64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
    return vector.getRank() <= 1 && vector.getNumElements() * bits <= maximumVectorBits;
  }
  return !llvm::isa<mlir::ShapedType>(type);
}

bool isLoopDialect(mlir::Dialect *dialect) {
  return llvm::isa_and_nonnull<mlir::BuiltinDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                               mlir::vector::VectorDialect, mlir::scf::SCFDialect, mlir::cf::ControlFlowDialect,
                               mlir::func::FuncDialect, mlir::ub::UBDialect, mlir::LLVM::LLVMDialect>(dialect);
}

struct VerifyTtcirPass : impl::VerifyTtcirBase<VerifyTtcirPass> {
  void runOnOperation() override {
    mlir::WalkResult result = getOperation().walk([](mlir::Operation *op) {
      if (!isLoopDialect(op->getDialect())) {
        op->emitError() << base::unsupportedPrefix << "cpu yet: " << tt::describeUnsupported(op);
        return mlir::WalkResult::interrupt();
      }
      for (mlir::Type type : op->getResultTypes())
        if (!isLoopType(type)) {
          op->emitError() << "`" << op->getName() << "` still makes a value of type " << type
                          << "; after this stage only scalars and native one-dimensional vectors are left";
          return mlir::WalkResult::interrupt();
        }
      return mlir::WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
} // namespace triton::cpu
