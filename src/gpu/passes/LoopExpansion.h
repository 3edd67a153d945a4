// Software pipelining as such: a loop whose operations have stages becomes a loop in which one iteration runs the
// stages of several iterations of the old one.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/DenseMap.h"

namespace triton::ttg {

/// When each operation of a loop's body runs. An operation of stage s runs `lastStage` - s iterations of the new loop
/// before those of the last stage.
struct LoopSchedule {
  /// The operations of the body apart from its terminator, in the order of the new body.
  llvm::SmallVector<mlir::Operation *> order;
  llvm::DenseMap<mlir::Operation *, unsigned> stages;
  unsigned lastStage = 0;

  void append(mlir::Operation *op, unsigned stage);
};

/// Whether `op` may run for an iteration that does not exist: it has no effect then, or can be predicated.
bool mayRunAhead(mlir::Operation *op);

/// Succeeds where expandLoop will. Otherwise an error on the operation that stands in the way says why.
mlir::LogicalResult verifySchedule(mlir::scf::ForOp loop, const LoopSchedule &schedule);

/// Replaces `loop` by a prologue, in which the first iterations run their early stages, and a loop over the same range,
/// which runs each stage for another iteration. Early stages are predicated where their iteration does not exist.
/// The schedule must be one that verifySchedule accepts.
mlir::scf::ForOp expandLoop(mlir::RewriterBase &rewriter, mlir::scf::ForOp loop, const LoopSchedule &schedule);

} // namespace triton::ttg
