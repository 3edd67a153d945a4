// Loops over ranges of integers as blocks and branches.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/DenseSet.h"

namespace triton::passes {

/// Whether an index below the upper bound plus the step may be past the end of the type.
bool mayWrap(mlir::scf::ForOp loop);

/// The patterns that lower structured control flow to branches. A loop ends as Python's ranges do: also one whose next
/// index would be past the end of its type, which MLIR's own pattern lets wrap around. The first indices of `upwards`,
/// loops of signed integers, are known not to be negative, so that their next ones wrap around to none below the end.
void populateControlFlowPatterns(mlir::RewritePatternSet &patterns,
                                 const llvm::DenseSet<mlir::Operation *> &upwards = {});

} // namespace triton::passes
