// The least and the greatest value that indices may have.
#pragma once

#include "analysis/AxisInfo.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/DenseMap.h"

namespace triton::analysis {

/// The values from `least` to `greatest`, as signed numbers. Bounds beyond those of 63 bits are those of 63 bits.
struct IndexRange {
  int64_t least, greatest;

  bool isNonNegative() const { return least >= 0; }
  bool operator==(const IndexRange &) const = default;
};

/// Finds ranges from constants, `tl.arange`, the numbers of programs, what AxisInfoAnalysis knows of signs, and
/// comparisons that hold wherever the mask of an access is true. Like there, sums and products of indices are taken not
/// to overflow.
class IndexRanges {
public:
  /// `mask` may be null.
  explicit IndexRanges(const AxisInfoAnalysis &axisInfo, mlir::Value mask = {});

  /// Of all elements of `index`, an integer or a tensor of the mask's shape; those that the mask excludes do not count.
  IndexRange find(mlir::Value index) { return find({index, isTensor(index) ? whole : scalar}); }

private:
  /// A value, and which of its elements belongs to an element of the mask: the axes by which the value was expanded.
  /// One vector may be both the rows and the columns of a tile, of which a mask may check only the rows.
  using Place = std::pair<mlir::Value, uint64_t>;
  static constexpr uint64_t scalar = 0, whole = 1, elsewhere = 2;

  static bool isTensor(mlir::Value value) { return mlir::isa<mlir::RankedTensorType>(value.getType()); }
  static std::optional<Place> sourceOf(Place place);
  IndexRange find(Place place);
  IndexRange infer(Place place);
  void appendSources(Place place, llvm::SmallVectorImpl<Place> &sources);
  void addFacts(Place mask);
  void addFacts(mlir::arith::CmpIOp compare, uint64_t path, IndexRanges &unmasked);
  void addFact(Place place, IndexRange range);

  const AxisInfoAnalysis &axisInfo;
  llvm::DenseMap<Place, IndexRange> facts, known;
};

} // namespace triton::analysis
