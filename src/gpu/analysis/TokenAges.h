// How many groups of copies have been closed since the one that a token stands for.
#pragma once

#include "gpu/ir/Dialect.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"

namespace triton::analysis {

/// For each wait with tokens, the least number of groups that were closed after those of its tokens, over all paths: as
/// many may be under way when it ends. 0 where a token cannot be followed.
llvm::DenseMap<mlir::Operation *, unsigned> countLaterGroups(mlir::FunctionOpInterface function);

} // namespace triton::analysis
