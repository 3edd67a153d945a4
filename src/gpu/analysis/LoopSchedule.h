// The times at which the operations of a pipelined loop run: stages and clusters, which are attributes in the IR.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

namespace triton::analysis {

/// On a load: how many iterations before its use the tile is requested.
constexpr llvm::StringLiteral latencyAttribute = "tt.latency";
/// On an operation of a pipelined loop: the iteration of the old loop for which it runs, and its place in the round.
constexpr llvm::StringLiteral stageAttribute = "loop.stage";
constexpr llvm::StringLiteral clusterAttribute = "loop.cluster";
/// On a pipelined loop: its last stage.
constexpr llvm::StringLiteral lastStageAttribute = "tt.scheduled_max_stage";
/// On a loop with loads that run ahead: copies come after the last read of a round, and fill what it has read.
constexpr llvm::StringLiteral refillsSlotsAttribute = "tt.refills_slots";

/// Round r of the pipelined loop runs an operation of stage s for iteration r + `lastStage` - s of the old loop. In a
/// round, clusters run in ascending order, and operations of one cluster in the order of the old body.
struct LoopSchedule {
  /// The operations of the body, except its terminator, in the order of a round.
  llvm::SmallVector<mlir::Operation *> order;
  llvm::DenseMap<mlir::Operation *, unsigned> stages;
  unsigned lastStage = 0;

  void append(mlir::Operation *op, unsigned stage);
};

/// The operation of the body that computes `value`. For a carried value, the operation that computes it for the next
/// iteration. Null for the induction variable and values from outside.
mlir::Operation *sourceInBody(mlir::scf::ForOp loop, mlir::Value value);

/// Calls `handle` with every operand of `op` and of the operations in its regions.
void forEachOperand(mlir::Operation *op, llvm::function_ref<void(mlir::OpOperand &)> handle);

std::optional<int64_t> getIntegerAttribute(mlir::Operation *op, llvm::StringRef name);
void setIntegerAttribute(mlir::Operation *op, llvm::StringRef name, int64_t value);

/// The iterations in flight that the loop asks for, or else `numStages`.
int64_t getStages(mlir::scf::ForOp loop, int64_t numStages);

/// The iterations of the loop where they are known, at least one.
std::optional<int64_t> countIterations(mlir::scf::ForOp loop);
/// So many slots, or as many as the loop has iterations.
int64_t limitToIterations(mlir::scf::ForOp loop, int64_t slots);

void setPlace(mlir::Operation *op, unsigned stage, int64_t cluster);
/// Gives `op` the stage and cluster of `other`, if it has any.
void copyPlace(mlir::Operation *op, mlir::Operation *other);

/// Reads the attributes. An operation without them is an error.
mlir::FailureOr<LoopSchedule> readSchedule(mlir::scf::ForOp loop);
void eraseSchedule(mlir::scf::ForOp loop);

/// Whether `op` may run for an iteration that does not exist: it has no effect then, or it can be predicated.
bool mayRunAhead(mlir::Operation *op);

/// Some carried values are only passed on by the body, from another carried value or from outside. Gives each of them
/// an operation with a stage: a cast to the same type, in the earliest stage that uses the value. This is necessary
/// because a schedule moves operations.
void nameForwardedValues(mlir::scf::ForOp loop);
/// Removes the operations that nameForwardedValues has made.
void eraseForwardedNames(mlir::Operation *root);

/// Succeeds if the loop can be expanded by `schedule` without a change of meaning. Otherwise an error says why, at the
/// operation that prevents it. Each iteration has its own memory in `rings`, which are allocations of the body. All
/// carried values must have operations: see nameForwardedValues.
mlir::LogicalResult verifySchedule(mlir::scf::ForOp loop, const LoopSchedule &schedule,
                                   const llvm::DenseSet<mlir::Operation *> &rings);

} // namespace triton::analysis
