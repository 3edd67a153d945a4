// When the operations of a pipelined loop run: stages and clusters, which stand as attributes in the IR.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

namespace triton::analysis {

/// On a load: by how many iterations its tile is asked for before it is used.
constexpr llvm::StringLiteral latencyAttribute = "tt.latency";
/// On an operation of a pipelined loop: which iteration of the old loop it runs for, and when.
constexpr llvm::StringLiteral stageAttribute = "loop.stage";
constexpr llvm::StringLiteral clusterAttribute = "loop.cluster";
/// On a pipelined loop: its last stage.
constexpr llvm::StringLiteral lastStageAttribute = "tt.scheduled_max_stage";

/// Round r of the pipelined loop runs an operation of stage s for iteration r + `lastStage` - s of the old loop.
/// In a round clusters follow one another in ascending order, operations of one cluster as in the old body.
struct LoopSchedule {
  /// The operations of the body apart from its terminator, in the order of a round.
  llvm::SmallVector<mlir::Operation *> order;
  llvm::DenseMap<mlir::Operation *, unsigned> stages;
  unsigned lastStage = 0;

  void append(mlir::Operation *op, unsigned stage);
};

/// The operation of the body that computes `value`, or, for a carried value, what the next iteration has for it; null
/// for the induction variable and values from outside.
mlir::Operation *sourceInBody(mlir::scf::ForOp loop, mlir::Value value);

/// Calls `handle` with every operand of `op` and of what it holds.
void forEachOperand(mlir::Operation *op, llvm::function_ref<void(mlir::OpOperand &)> handle);

std::optional<int64_t> getIntegerAttribute(mlir::Operation *op, llvm::StringRef name);
void setIntegerAttribute(mlir::Operation *op, llvm::StringRef name, int64_t value);

void setPlace(mlir::Operation *op, unsigned stage, int64_t cluster);
/// Gives `op` the stage and cluster of `other`, if it has any.
void copyPlace(mlir::Operation *op, mlir::Operation *other);

/// What the attributes say; an error on an operation without them.
mlir::FailureOr<LoopSchedule> readSchedule(mlir::scf::ForOp loop);
void eraseSchedule(mlir::scf::ForOp loop);

/// Whether `op` may run for an iteration that does not exist: it has no effect then, or can be predicated.
bool mayRunAhead(mlir::Operation *op);

/// Gives each carried value that the body only passes on, from another carried value or from outside, an operation with
/// a stage of its own: a cast to the same type, in the earliest stage that uses the value. A schedule moves operations.
void nameForwardedValues(mlir::scf::ForOp loop);
/// Removes what nameForwardedValues has made.
void eraseForwardedNames(mlir::Operation *root);

/// Succeeds where the loop can be expanded by `schedule` and keeps its meaning. Otherwise an error on the operation
/// that stands in the way says why. Each iteration has its own memory in `rings`, allocations of the body. What the
/// loop carries must have operations: nameForwardedValues.
mlir::LogicalResult verifySchedule(mlir::scf::ForOp loop, const LoopSchedule &schedule,
                                   const llvm::DenseSet<mlir::Operation *> &rings);

} // namespace triton::analysis
