// Counts the groups of copies that were closed after the group of a token.
#pragma once

#include "gpu/ir/Dialect.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"

namespace triton::analysis {

/// For each wait with tokens, the smallest number of groups, over all paths, that were closed after those of its
/// tokens. This many groups may be in flight when the wait ends. 0 if a token cannot be followed.
llvm::DenseMap<mlir::Operation *, unsigned> countLaterGroups(mlir::FunctionOpInterface function);

} // namespace triton::analysis
