// What is known about tensors before any code is emitted: how elements change along a dimension, powers of two that
// divide them, what an element costs, and which memory an access reaches.
#pragma once

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

#include <cstdint>
#include <optional>

namespace mlir {
class Operation;
}
namespace mlir::arith {
class CmpIOp;
}

namespace triton::cpu {

/// How a tensor's elements change along one dimension.
struct LaneForm {
  enum class Kind { Uniform, Affine, Prefix, General };
  Kind kind = Kind::General;
  int64_t step = 0; ///< of Affine: the difference of neighbours, in elements for pointers
  /// A remainder or quotient, and what is computed from it, has this form only within aligned chunks, so that vectors
  /// must not be longer than a chunk.
  bool isOfChunks = false;
};

class TileAnalysis {
public:
  /// `chunk` is the number of lanes of a vector. Affine remainders and quotients hold within aligned chunks of that
  /// size.
  explicit TileAnalysis(int64_t chunk) : chunk(chunk) {}

  LaneForm laneForm(mlir::Value tensor, int64_t dim);
  int64_t chunkLanes() const { return chunk; }

  /// A power of two that divides the scalar or, for a tensor, each element whose coordinate in `dim` is a multiple of
  /// the chunk (-1: each element). At most 2^20.
  int64_t divisor(mlir::Value value, int64_t dim = -1);

  /// Whether the scalar, or each element, is known not to be negative if nothing overflows.
  bool isNonNegative(mlir::Value value);

  /// Whether `index`, an operand of a comparison or of a conversion of an integer, may wrap around the end of its type
  /// between lanes where that changes a value.
  bool mayWrap(mlir::OpOperand &index);
  /// Whether a number says in how many lanes the operand `index`, which grows by one from lane to lane, is below the
  /// other one: the comparison orders numbers that do not wrap, and whose difference is an i64.
  bool comparesAsPrefix(mlir::arith::CmpIOp compare, unsigned index);

  /// Roughly the number of instructions that compute one vector of the tensor. Index arithmetic stays scalar and counts
  /// as free. Loads count little, because reading again is cheap.
  unsigned cost(mlir::Value tensor);

  /// Whether computing the tensor reads memory that the program can see.
  bool readsMemory(mlir::Value tensor);

  /// Whether computing the tensor involves `mask`.
  bool dependsOn(mlir::Value tensor, mlir::Value mask);

  /// Declares that the tensor is in a buffer, so that its definition does not matter any more.
  void setMaterialized(mlir::Value tensor, bool isInBuffer) { materialized[tensor] = isInBuffer; }
  bool isMaterialized(mlir::Value tensor) const { return materialized.lookup(tensor); }

private:
  LaneForm computeForm(mlir::Value tensor, int64_t dim);
  LaneForm computeElementwiseForm(mlir::Operation *op, int64_t dim);
  int64_t computeDivisor(mlir::Value value, int64_t dim);

  int64_t chunk;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, LaneForm> forms;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, int64_t> divisors;
  llvm::DenseMap<mlir::OpOperand *, bool> wraps;
  llvm::DenseMap<mlir::Value, unsigned> costs;
  llvm::DenseMap<mlir::Value, bool> reads;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Value>, bool> dependences;
  llvm::DenseMap<mlir::Value, bool> materialized;
};

/// The scalar pointer from which all addresses of a pointer or pointer tensor derive: a kernel argument, or null when
/// no single one is known.
mlir::Value findBasePointer(mlir::Value pointer);

/// Whether accesses through the two pointers may reach the same bytes. Different arguments may point anywhere.
bool haveSameBase(mlir::Value pointer, mlir::Value other);

/// The dimension of the operand of a shape-changing operation from which dimension `dim` of its result comes; none when
/// there is no such dimension or the operand does not vary along it.
std::optional<int64_t> operandDimension(mlir::Operation *op, int64_t dim);

/// Whether `op` computes tensors element by element from tensors of the same shape.
bool isElementwise(mlir::Operation *op);

/// Whether `op` only renames coordinates: splat, broadcast, expand_dims, trans.
bool isShapeChange(mlir::Operation *op);

} // namespace triton::cpu
