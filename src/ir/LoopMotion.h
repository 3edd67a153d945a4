// Whether what is the same in all iterations may leave a loop: `disable_licm` of the language.
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

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

} // namespace triton::tt
