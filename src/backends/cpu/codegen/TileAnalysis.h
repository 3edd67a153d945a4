// What is known of tensors before any code is emitted: how elements change along a dimension, powers of two that divide
// them, what computing an element costs, and which memory an access reaches.
#pragma once

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

#include <cstdint>
#include <optional>

namespace mlir {
class Operation;
}

namespace triton::cpu {

/// How a tensor's elements change along one dimension.
struct LaneForm {
  enum class Kind { Uniform, Affine, Prefix, General };
  Kind kind = Kind::General;
  int64_t step = 0; ///< of Affine: the difference of neighbours, in elements for pointers
  /// Of a remainder or quotient: it has this form within aligned chunks alone, so that a vector may not be longer.
  bool isOfChunks = false;
};

class TileAnalysis {
public:
  /// `chunk`: the lanes of a vector; affine remainders and quotients hold within aligned chunks of that many.
  explicit TileAnalysis(int64_t chunk) : chunk(chunk) {}

  LaneForm laneForm(mlir::Value tensor, int64_t dim);
  int64_t chunkLanes() const { return chunk; }

  /// A power of two that divides the scalar or, for a tensor, each element whose coordinate in `dim` is a multiple of
  /// the chunk (-1: each element). At most 2^20.
  int64_t divisor(mlir::Value value, int64_t dim = -1);

  /// Whether the scalar, or each element, is known not to be negative, barring overflow.
  bool isNonNegative(mlir::Value value);

  /// Roughly the instructions that computing one vector of the tensor takes; index arithmetic, which stays scalar, is
  /// free. Loads count little: reading again is cheap.
  unsigned cost(mlir::Value tensor);

  /// Whether computing the tensor reads memory that the program can see.
  bool readsMemory(mlir::Value tensor);

  /// Whether computing the tensor involves `mask`.
  bool dependsOn(mlir::Value tensor, mlir::Value mask);

  /// Declares that the tensor lies in a buffer, so that its definition no longer matters.
  void setMaterialized(mlir::Value tensor, bool isInBuffer) { materialized[tensor] = isInBuffer; }
  bool isMaterialized(mlir::Value tensor) const { return materialized.lookup(tensor); }

private:
  LaneForm computeForm(mlir::Value tensor, int64_t dim);
  LaneForm computeElementwiseForm(mlir::Operation *op, int64_t dim);
  int64_t computeDivisor(mlir::Value value, int64_t dim);

  int64_t chunk;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, LaneForm> forms;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, int64_t> divisors;
  llvm::DenseMap<mlir::Value, unsigned> costs;
  llvm::DenseMap<mlir::Value, bool> reads;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Value>, bool> dependences;
  llvm::DenseMap<mlir::Value, bool> materialized;
};

/// The scalar pointer from which all of a pointer's or pointer tensor's addresses derive: a kernel argument, or null
/// when there is no single known one.
mlir::Value findBasePointer(mlir::Value pointer);

/// Whether accesses through the two pointers may touch the same bytes, assuming nothing about different arguments.
bool haveSameBase(mlir::Value pointer, mlir::Value other);

/// The dimension of the operand of a shape-changing operation that dimension `dim` of its result comes from; nothing
/// when the operand has none such, or does not vary along it.
std::optional<int64_t> operandDimension(mlir::Operation *op, int64_t dim);

/// Whether `op` computes tensors element by element from tensors of the same shape.
bool isElementwise(mlir::Operation *op);

/// Whether `op` only renames coordinates: splat, broadcast, expand_dims, trans.
bool isShapeChange(mlir::Operation *op);

} // namespace triton::cpu
