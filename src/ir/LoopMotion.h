// What is the same in all iterations of a loop: whether it may leave the loop, `disable_licm` of the language, and that
// it does.
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace mlir::scf {
class ForOp;
}

namespace triton::tt {

/// LLVM's hints for a loop. Lowered, the branch back to the start of the loop has them.
inline constexpr llvm::StringLiteral loopHintsAttribute = "llvm.loop_annotation";

inline mlir::LLVM::LoopAnnotationAttr getLoopHints(mlir::Operation *op) {
  return op->getAttrOfType<mlir::LLVM::LoopAnnotationAttr>(loopHintsAttribute);
}

/// For another loop with the same body.
inline void copyLoopHints(mlir::Operation *from, mlir::Operation *to) {
  if (mlir::LLVM::LoopAnnotationAttr hints = getLoopHints(from))
    to->setAttr(loopHintsAttribute, hints);
}

inline bool isMotionDisabled(mlir::Operation *loop) {
  mlir::LLVM::LoopAnnotationAttr hints = getLoopHints(loop);
  return hints && hints.getLicm() && hints.getLicm().getDisable() && hints.getLicm().getDisable().getValue();
}

/// Whether constants say that the loop has an iteration.
bool alwaysRuns(mlir::scf::ForOp loop);

/// Moves operations without memory effects out of the loop, as upstream does, but for loops where this one may have no
/// iteration: how long they run is not known, and bounds that only an iteration may use can be anything.
void moveInvariants(mlir::LoopLikeOpInterface loop);

} // namespace triton::tt
