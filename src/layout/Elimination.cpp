// Gaussian elimination over the field of two elements.
#include "layout/Elimination.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

#include <cassert>

namespace triton::layout {

Span::Span(llvm::ArrayRef<uint64_t> columns) {
  assert(columns.size() <= 64 && "a column needs its bit in a mask");
  for (auto [index, column] : llvm::enumerate(columns)) {
    uint64_t used = uint64_t(1) << index;
    uint64_t rest = reduce(column, used);
    if (!rest) {
      free |= uint64_t(1) << index;
      continue;
    }
    auto *place = llvm::find_if(pivots, [&](const Pivot &pivot) { return pivot.value < rest; });
    pivots.insert(place, Pivot{rest, used});
  }
}

uint64_t Span::reduce(uint64_t value, uint64_t &columns) const {
  for (const Pivot &pivot : pivots) {
    if (!(value & llvm::bit_floor(pivot.value)))
      continue;
    value ^= pivot.value;
    columns ^= pivot.columns;
  }
  return value;
}

std::optional<uint64_t> Span::solve(uint64_t value) const {
  uint64_t columns = 0;
  if (reduce(value, columns))
    return std::nullopt;
  return columns;
}

} // namespace triton::layout
