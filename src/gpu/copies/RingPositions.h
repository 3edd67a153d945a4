// Where in a ring of buffers a program is, as a value that structured control flow carries.
#pragma once

#include "gpu/copies/CopyRings.h"

#include "mlir/IR/PatternMatch.h"

namespace triton::ttg {

/// Counts through all sites of `ring`: the position is the slot in the first round, and the slot plus the number of
/// slots in the second, after which it starts anew. Loops and branches that contain sites carry it. Returns the
/// position of each site, which dominates its first load.
llvm::SmallVector<mlir::Value> carryPositions(tt::FuncOp function, const CopyRing &ring, mlir::Value first);

} // namespace triton::ttg
