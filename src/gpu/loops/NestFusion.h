// Two nested loops as a single loop, each iteration of which runs one iteration of the inner loop.
#pragma once

#include "gpu/loops/PipelinedLoads.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace triton::ttg {

/// The single loop counts the iterations of both:
///
///     for flat = 0 to outer iterations * inner iterations, carrying position = 0, outer induction, ...
///       if position == 0:        what stands before the inner loop
///       body of the inner loop
///       if position is the last: what stands after the inner loop
///       if position is the last: position = 0, next outer iteration; else: position + 1
///
/// It runs where both loops have iterations; elsewhere a copy of the outer loop without the inner one does.
///
/// What is pure is computed again wherever it is needed, from what the outer loop carries. So what the next iterations'
/// addresses need does not wait for what stands after the inner loop.
class NestFusion {
public:
  /// None if it cannot be done; `refusal` then says why.
  static std::optional<NestFusion> plan(mlir::scf::ForOp outer, Refusal &refusal);

  mlir::scf::ForOp outerLoop() { return outer; }
  mlir::scf::ForOp innerLoop() { return inner; }

  struct Result {
    mlir::scf::ForOp loop;
    llvm::SmallVector<mlir::Value> replacements; ///< of the outer loop's results
  };
  /// Emits the single loop before the outer one, which remains.
  Result emit(mlir::OpBuilder &builder);

private:
  using Mapping = mlir::IRMapping;
  struct Count {
    mlir::Value isSome, number; ///< `number`, in the loop's type, is meaningful where there are some
  };

  NestFusion(mlir::scf::ForOp outer, mlir::scf::ForOp inner) : outer(outer), inner(inner) {}

  bool isInOuterBody(mlir::Value value);
  bool isInvariant(mlir::Value value);
  bool isPureOf(mlir::Value value, const llvm::DenseSet<unsigned> &carried);
  bool isReset(unsigned argument);
  bool isResetWithEpilogue(unsigned argument);
  void findPinned();
  void findShared();
  void findEarlyCarried();

  mlir::Value copy(mlir::OpBuilder &builder, mlir::Value value, Mapping &mapping);
  void copyOperation(mlir::OpBuilder &builder, mlir::Operation *op, Mapping &mapping);
  Count countIterations(mlir::OpBuilder &builder, mlir::scf::ForOp loop, Mapping &mapping);
  mlir::scf::ForOp emitLoop(mlir::OpBuilder &builder, Count outerCount, Count innerCount, Mapping &outside);
  llvm::SmallVector<mlir::Value> initialValues(mlir::OpBuilder &builder);
  void emitBody(mlir::OpBuilder &builder, mlir::Value lastPosition, Mapping &outside);
  llvm::SmallVector<mlir::Value> emitBefore(mlir::OpBuilder &builder, mlir::Value isFirst);
  llvm::SmallVector<mlir::Value> emitInner(mlir::OpBuilder &builder, mlir::Value isFirst, Mapping &outside,
                                           mlir::ValueRange shared);
  void emitAfter(mlir::OpBuilder &builder, mlir::Value isLast, llvm::ArrayRef<mlir::Value> innerResults,
                 llvm::MutableArrayRef<mlir::Value> next);
  void emitResets(mlir::OpBuilder &builder, mlir::Value isLast, llvm::ArrayRef<mlir::Value> innerResults,
                  llvm::MutableArrayRef<mlir::Value> next);
  void emitAdvance(mlir::OpBuilder &builder, mlir::Value isLast, llvm::MutableArrayRef<mlir::Value> next);
  llvm::SmallVector<mlir::Value> emitWithoutInner(mlir::OpBuilder &builder);

  // What the single loop carries, in this order.
  unsigned outerArgument(unsigned index) { return 2 + index; } ///< after the position and the outer induction
  unsigned innerArgument(unsigned index) { return outerArgument(outer.getNumRegionIterArgs()) + index; }
  unsigned sharedArgument(unsigned index) { return innerArgument(inner.getNumRegionIterArgs()) + index; }

  mlir::scf::ForOp outer, inner, fused;
  llvm::SmallVector<mlir::Operation *> pinned; ///< before the inner loop, and run once for each outer iteration
  llvm::SetVector<mlir::Value> shared;         ///< values from before the inner loop that the single loop carries
  unsigned pinnedResults = 0;                  ///< of pinned operations, the first ones of `shared`
  llvm::DenseSet<unsigned> earlyCarried;       ///< carried by the outer loop, independent of what both loops compute
  Mapping base;                                ///< what the single loop has for what the outer one carries
  Mapping section;                             ///< and for the results of pinned operations
};

} // namespace triton::ttg
