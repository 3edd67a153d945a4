// Says which iterations of a loop exist, some iterations ahead.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallVector.h"

namespace triton::ttg {

/// Conditions in the loop's own type whose arithmetic cannot overflow. This requires care, because a bound minus or
/// plus some steps may be outside of the type.
class IterationBounds {
public:
  /// Answers questions up to `farthest` iterations ahead.
  IterationBounds(mlir::scf::ForOp loop, unsigned farthest);

  /// The induction variable of an iteration counted from 0.
  mlir::Value induction(mlir::OpBuilder &builder, unsigned iteration);
  /// The same, or the upper bound if that iteration does not exist. The one before it exists.
  mlir::Value start(mlir::OpBuilder &builder, unsigned iteration);
  /// Whether the iteration exists; null if all iterations up to it are known to exist.
  mlir::Value exists(mlir::OpBuilder &builder, unsigned iteration);
  /// Emits what existsAhead needs before the loop.
  void prepareAhead(mlir::OpBuilder &builder, unsigned distance);
  /// The bound that is above an induction variable exactly if the iteration `distance` after its own exists.
  mlir::Value limitAhead(mlir::OpBuilder &builder, unsigned distance);
  /// Whether the iteration exists that is `distance` after that of `induction`, which exists.
  mlir::Value existsAhead(mlir::OpBuilder &builder, mlir::Value induction, unsigned distance);
  /// Whether no iteration is known to have another one `distance` after it.
  bool isNoneAhead(unsigned distance) const;
  /// The induction variable `distance` iterations after `induction`.
  mlir::Value advance(mlir::OpBuilder &builder, mlir::Value induction, unsigned distance);

private:
  mlir::Value steps(mlir::OpBuilder &builder, unsigned count);
  mlir::Value isBelow(mlir::OpBuilder &builder, mlir::Value left, mlir::Value right);
  mlir::Value compareWithBound(mlir::OpBuilder &builder, unsigned iteration);
  /// Whether the lower bound plus `count` steps, which may be negative, is known to stay inside the type.
  bool staysInside(int64_t count) const;

  mlir::scf::ForOp loop;
  mlir::Location location;
  mlir::Type type;
  bool isUnsigned;
  std::optional<llvm::APInt> lower, upper, step; ///< where constant, in more bits than the type has
  bool allKnown = false;
  llvm::SmallVector<mlir::Value> inductions, existing, limits;
};

} // namespace triton::ttg
