// Finds the asynchronous copies for which a token stands.
#pragma once

#include "gpu/ir/Dialect.h"

#include "llvm/ADT/SetVector.h"

namespace triton::analysis {

/// Whether `op` starts to write a buffer and continues until a wait for its token.
bool isAsynchronousCopy(mlir::Operation *op);

/// The copies for which `wait` waits: those of the groups that its tokens name, or all copies of the function if it has
/// no tokens.
llvm::SetVector<mlir::Operation *> findCopies(ttg::AsyncWaitOp wait);

} // namespace triton::analysis
