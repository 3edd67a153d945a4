// Which dimensions of the tensors of a function go together when each of several blocks takes a part of them. Private
// to this folder.
#pragma once

#include "ir/Dialect.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/IntEqClasses.h"

#include <optional>

namespace triton::ttg {

/// The dimensions of all tensors and descriptors of a function, in classes: a block that computes a part of one
/// dimension needs that part of the others of its class, and all of those of other classes.
class TileAxes {
public:
  explicit TileAxes(tt::FuncOp function);

  unsigned classCount() const { return classes.getNumClasses(); }
  /// The dimension of `value` that belongs to `axisClass`; none if there is none.
  std::optional<unsigned> findDimension(mlir::Value value, unsigned axisClass) const;
  /// Whether some operation needs all of the dimensions of the class at once: it reduces them or moves data along them.
  bool isWhole(unsigned axisClass) const { return whole.test(axisClass); }
  /// Of the dimensions of the class.
  int64_t extent(unsigned axisClass) const { return extents[axisClass]; }

  /// The tensors and descriptors of the function, and their shapes.
  llvm::ArrayRef<mlir::Value> values() const { return all; }
  static llvm::ArrayRef<int64_t> shapeOf(mlir::Value value);

private:
  void add(mlir::Value value);
  void visit(mlir::Operation *op);
  void visitLoop(mlir::Operation *op);
  void tie(mlir::Value a, unsigned dimensionOfA, mlir::Value b, unsigned dimensionOfB);
  void tieAll(mlir::Value a, mlir::Value b);
  void tieEach(mlir::ValueRange a, mlir::ValueRange b);
  void tieElements(mlir::Operation *op);
  void keepWhole(mlir::Value value, unsigned dimension);
  void keepWhole(mlir::ValueRange values);
  void finish();

  llvm::SmallVector<mlir::Value> all;
  llvm::DenseMap<mlir::Value, unsigned> firstOf; ///< the number of a value's first dimension
  llvm::IntEqClasses classes;
  llvm::SmallVector<unsigned> wholeDimensions;
  llvm::BitVector whole;              ///< by class
  llvm::SmallVector<int64_t> extents; ///< by class
};

} // namespace triton::ttg
