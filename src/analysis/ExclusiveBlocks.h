// Blocks of structured code that never run at the same time.
#pragma once

#include "mlir/IR/Operation.h"

namespace triton::analysis {

/// Whether neither block runs inside the other: what one keeps for itself, the other may use after it.
inline bool excludeEachOther(mlir::Block *left, mlir::Block *right) {
  return left != right && !left->getParentOp()->isAncestor(right->getParentOp()) &&
         !right->getParentOp()->isAncestor(left->getParentOp());
}

} // namespace triton::analysis
