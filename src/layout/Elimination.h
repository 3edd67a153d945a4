// Gaussian elimination over the field of two elements, on matrices whose columns are words of 64 bits.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace triton::layout {

/// The span of a sequence of columns. For each of its elements, it is known which columns sum to it.
class Span {
public:
  /// Adds columns in order, at most 64 in all. A column that is in the span of earlier ones is free: no solution uses
  /// it.
  explicit Span(llvm::ArrayRef<uint64_t> columns);

  unsigned rank() const { return pivots.size(); }
  /// Bit i: column i is free.
  uint64_t freeColumns() const { return free; }
  /// The columns whose sum is `value`, as a mask without free columns; none when there is no such sum.
  std::optional<uint64_t> solve(uint64_t value) const;

private:
  /// An element of the span with a leading bit that no other pivot has as its leading bit.
  struct Pivot {
    uint64_t value;
    uint64_t columns; ///< which columns sum to the value
  };
  /// `value` reduced by all pivots; `columns` collects the columns that were added.
  uint64_t reduce(uint64_t value, uint64_t &columns) const;

  llvm::SmallVector<Pivot> pivots; ///< by descending leading bit
  uint64_t free = 0;
};

} // namespace triton::layout
