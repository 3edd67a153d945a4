// Software pipelining as such: a loop whose operations have stages becomes a loop in which one iteration runs the
// stages of several iterations of the old one.
#pragma once

#include "gpu/analysis/LoopSchedule.h"

#include "mlir/IR/PatternMatch.h"

namespace triton::ttg {

/// How the last rounds leave out the early stages of iterations that do not exist.
enum class Epilogue {
  Predicated, ///< they stay rounds of the loop, with masks: no code is added
  Peeled,     ///< they stand after the loop: for early stages that have no mask
};

/// Replaces `loop` by a prologue, in which the first iterations run their early stages, and a loop, each round of which
/// runs each stage for another iteration. Predicated, that loop has the range of the old one, and early stages are
/// predicated where their iteration does not exist. Peeled, it has fewer rounds, the others follow it, and a loop of
/// fewer iterations than there are early rounds runs one stage after the other.
/// The schedule must be one that analysis::verifySchedule accepts: nothing fails here.
void expandLoop(mlir::RewriterBase &rewriter, mlir::scf::ForOp loop, const analysis::LoopSchedule &schedule,
                Epilogue epilogue);

} // namespace triton::ttg
