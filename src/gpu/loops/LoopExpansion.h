// The expansion in software pipelining: a loop whose operations have stages becomes a loop in which one iteration runs
// the stages of several iterations of the old one.
#pragma once

#include "gpu/analysis/LoopSchedule.h"

#include "mlir/IR/PatternMatch.h"

namespace triton::ttg {

/// How the last rounds omit the early stages of iterations that do not exist.
enum class Epilogue {
  Predicated, ///< they remain rounds of the loop, with masks, so that no code is added
  Peeled,     ///< they follow the loop, for early stages that cannot be masked
};

/// Replaces `loop` by a prologue, in which the first iterations run their early stages, and a loop each of whose rounds
/// runs each stage for another iteration. Predicated: the new loop has the range of the old one, and early stages are
/// predicated if their iteration may not exist. Peeled: the new loop has fewer rounds, and the others follow it; a loop
/// with fewer iterations than there are early rounds runs one stage after another. The schedule must be one that
/// analysis::verifySchedule accepts, so that nothing can fail here.
void expandLoop(mlir::RewriterBase &rewriter, mlir::scf::ForOp loop, const analysis::LoopSchedule &schedule,
                Epilogue epilogue);

} // namespace triton::ttg
