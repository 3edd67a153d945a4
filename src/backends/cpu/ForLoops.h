// Loops over ranges of integers as blocks and branches.
#pragma once

#include "mlir/IR/PatternMatch.h"

namespace triton::cpu {

/// The patterns that lower structured control flow to branches. A loop ends as Python's ranges do: also one whose next
/// index would be past the end of its type, which MLIR's own pattern lets wrap around.
void populateControlFlowPatterns(mlir::RewritePatternSet &patterns);

} // namespace triton::cpu
