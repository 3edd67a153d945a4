// What is known about the values of integer and pointer tensors along each dimension. Wide accesses depend on it.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace mlir {
class DataFlowSolver;
}

namespace triton::analysis {

/// Facts that hold along one dimension, whatever the other coordinates are. All numbers are powers of two, and groups
/// are aligned.
struct AxisFacts {
  int64_t contiguity = 1;   ///< in each group of this size, a value is its predecessor plus `step`
  int64_t divisibility = 1; ///< divides the first value of every group of `contiguity`; for pointers, in bytes
  int64_t constancy = 1;    ///< in each group of this size, values are equal
  int64_t step = 1;         ///< 1 for integers, the bytes of an element for pointers

  /// Divides the values at all positions that are multiples of `group`.
  int64_t at(int64_t group) const { return group >= contiguity ? divisibility : std::min(divisibility, group * step); }
  bool operator==(const AxisFacts &) const = default;
};

/// The facts of a value; a scalar has one axis.
struct AxisInfo {
  llvm::SmallVector<AxisFacts, 4> axes; ///< empty as long as the analysis has not reached the value
  std::optional<int64_t> constant;      ///< all elements are this
  bool isNonNegative = false;           ///< no element is negative as a signed number

  /// Nothing is known about a value of this type.
  static AxisInfo unknown(mlir::Type type);
  static AxisInfo ofConstant(mlir::Type type, int64_t value);
  /// What holds for both values.
  static AxisInfo join(const AxisInfo &left, const AxisInfo &right);
  void print(llvm::raw_ostream &stream) const;
  bool operator==(const AxisInfo &) const = default;
};

/// Whether `tt.contiguity` on an operation is believed. Programs state it of indices that wrap around within a block,
/// `max_contiguous(offsets % n, BLOCK)`, where it holds for neighbours but not for the block as a whole. One access may
/// rely on it, and what joins elements that are further apart may not.
enum class StatedRuns { Believed, Ignored };

/// Facts of all values of a module, by forward dataflow through loops, branches and calls.
///
/// Hints (`tt.divisibility`, `tt.contiguity`, `tt.constancy` on operations and parameters) and assumptions made where
/// a value is defined are trusted, but for the runs that `runs` says to ignore. Sums and products of indices are taken
/// not to overflow, and scalar divisors not to be negative.
class AxisInfoAnalysis {
public:
  explicit AxisInfoAnalysis(mlir::ModuleOp module);
  AxisInfoAnalysis(mlir::ModuleOp module, StatedRuns runs);
  ~AxisInfoAnalysis();

  AxisInfo getAxisInfo(mlir::Value value) const;

  /// Whether an operation of the module states runs, so that the two ways to treat them may differ.
  static bool hasStatedRuns(mlir::ModuleOp module);

private:
  std::unique_ptr<mlir::DataFlowSolver> solver;
};

/// The size in bytes of an element to which a pointer of this type, or a tensor of such pointers, points.
unsigned getPointeeBytes(mlir::Type pointer);

} // namespace triton::analysis
