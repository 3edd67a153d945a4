// The part of a function that decides when certain operations run and with which scalars: what another thread must
// execute to perform them by itself.
#pragma once

#include "ir/Dialect.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringRef.h"

namespace triton::analysis {

class ControlSlice {
public:
  /// The slice for `targets`, operations of `function` whose operands are scalars or no tensors. `mayRepeat` is asked
  /// about each operation with an effect on memory: whether it may run a second time, at another moment.
  ControlSlice(tt::FuncOp function, llvm::ArrayRef<mlir::Operation *> targets,
               llvm::function_ref<bool(mlir::Operation *)> mayRepeat);

  /// What stands in the way; null where the slice is whole.
  mlir::Operation *obstacle() const { return refused; }
  /// Why, as a clause about the obstacle.
  llvm::StringRef reason() const { return why; }

  bool contains(mlir::Operation *op) const { return operations.contains(op); }
  /// Whether a result of a loop or branch, or what a loop carries, belongs to it.
  bool contains(mlir::Value value) const { return values.contains(value); }

private:
  void add(mlir::Value value);
  void addOperation(mlir::Operation *op);
  void addAncestors(mlir::Operation *op);
  void addCarried(mlir::Operation *loop, unsigned index);
  void follow(mlir::Value value);
  void refuse(mlir::Operation *op, llvm::StringRef text);

  tt::FuncOp function;
  llvm::function_ref<bool(mlir::Operation *)> mayRepeat;
  llvm::DenseSet<mlir::Operation *> operations;
  llvm::DenseSet<mlir::Value> values;
  llvm::SmallVector<mlir::Value> open;
  mlir::Operation *refused = nullptr;
  llvm::StringRef why;
};

} // namespace triton::analysis
