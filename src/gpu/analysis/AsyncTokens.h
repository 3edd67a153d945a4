// Which asynchronous copies a token stands for.
#pragma once

#include "gpu/ir/Dialect.h"

#include "llvm/ADT/SetVector.h"

namespace triton::analysis {

/// Whether `op` starts to write a buffer and goes on until a wait for its token.
bool isAsynchronousCopy(mlir::Operation *op);

/// The copies that `wait` is for: those of the groups that its tokens name, or all of the function where it has none.
llvm::SetVector<mlir::Operation *> findCopies(ttg::AsyncWaitOp wait);

} // namespace triton::analysis
