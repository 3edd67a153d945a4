// Software pipelining as such: a loop whose operations have stages becomes a loop in which one iteration runs the
// stages of several iterations of the old one.
#pragma once

#include "gpu/analysis/LoopSchedule.h"

#include "mlir/IR/PatternMatch.h"

namespace triton::ttg {

/// Replaces `loop` by a prologue, in which the first iterations run their early stages, and a loop over the same range,
/// which runs each stage for another iteration. Early stages are predicated where their iteration does not exist.
/// The schedule must be one that analysis::verifySchedule accepts: nothing fails here.
mlir::scf::ForOp expandLoop(mlir::RewriterBase &rewriter, mlir::scf::ForOp loop,
                            const analysis::LoopSchedule &schedule);

} // namespace triton::ttg
