// Which values meet in computations of single elements, or are carried from one to the next by loops and branches: for
// these a common layout saves conversions.
#pragma once

#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace triton::ttg {

/// Only what depends on data counts: on what was loaded, carried, or computed from several elements each. Positions of
/// elements, and masks and addresses that follow from them alone, are cheap to compute in any layout.
class MeetingValues {
public:
  explicit MeetingValues(mlir::FunctionOpInterface function);

  /// Makes two values meet.
  void join(mlir::Value left, mlir::Value right) { groups.unionSets(left, right); }
  /// The same value for all that meet; `value` itself if it meets none.
  mlir::Value firstOf(mlir::Value value) const;
  /// Whether `value` is a tensor that depends on data.
  bool isData(mlir::Value value) const;

private:
  void add(mlir::Operation *op);

  llvm::EquivalenceClasses<mlir::Value> groups;
  llvm::DenseSet<mlir::Value> positions; ///< tensors that do not depend on data
};

} // namespace triton::ttg
