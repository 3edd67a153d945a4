// Which values are computed in the same way from the same values: what CSE would make one, without a change of the
// program.
#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace triton::analysis {

class EqualValues {
public:
  /// Of all that is computed in `function`, in any region. Values of iterations of a loop count as equal if they are
  /// computed in the same way in one iteration.
  explicit EqualValues(mlir::Operation *function);

  /// The first of the values that equal `value` or that it was converted from. Equal values have the same first one.
  mlir::Value firstOf(mlir::Value value) const {
    mlir::Value first = firsts.lookup(value);
    return first ? first : value;
  }

private:
  void add(mlir::Operation *op);
  llvm::hash_code hash(mlir::Operation *op) const;
  bool areEqual(mlir::Operation *left, mlir::Operation *right) const;

  llvm::DenseMap<mlir::Value, mlir::Value> firsts; ///< of values that are not the first ones themselves
  llvm::DenseMap<std::size_t, llvm::SmallVector<mlir::Operation *, 1>> byHash;
};

} // namespace triton::analysis
