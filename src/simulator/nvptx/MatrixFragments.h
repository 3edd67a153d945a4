// Says which lane and register hold which element of the operands of matrix instructions. One rule covers all forms.
#pragma once

#include <cstdint>

namespace triton::simulator::nvptx {

struct Position {
  unsigned outer, inner; ///< (row, k) of A, (column, k) of B
};

/// The place in A (outer: row) or B (outer: column) of element `index` of register `reg` of lane `lane`.
inline Position operandPosition(bool isA, unsigned rows, unsigned bits, unsigned lane, unsigned reg, unsigned index) {
  unsigned perRegister = bits == 64 ? 1 : 32 / bits;
  Position position{(lane >> 2), (lane & 3) * perRegister + index};
  if (isA && rows == 16) {
    position.outer += 8 * (reg & 1);
    reg >>= 1;
  }
  position.inner += reg * 4 * perRegister;
  return position;
}

/// Row and column in C and D of element `index` of register `reg` of lane `lane`. Each 8 columns have separate
/// registers: two that contain halves, or four.
inline Position accumulatorPosition(bool half, unsigned lane, unsigned reg, unsigned index) {
  unsigned row = lane >> 2, column = (lane & 3) * 2;
  if (half)
    return {row + 8 * (reg & 1), column + index + 8 * (reg >> 1)};
  return {row + 8 * ((reg >> 1) & 1), column + (reg & 1) + 8 * (reg >> 2)};
}

/// Where a panel of B and a matrix of f32 results have a column: the columns that four neighbouring lanes hold in one
/// register lie side by side.
constexpr unsigned slotOfColumn(unsigned column) { return (column & ~7u) | (column & 1) << 2 | (column >> 1 & 3); }

/// Calls `body(number of the register, first lane, elements)` for each four lanes of registers of f32 results, which
/// hold neighbouring elements of a matrix with that many columns.
template <typename Body> void forEachRun(unsigned registers, uint32_t *matrix, unsigned columns, Body body) {
  for (unsigned reg = 0; reg < registers; ++reg)
    for (unsigned lane = 0; lane < 32; lane += 4) {
      Position at = accumulatorPosition(false, lane, reg, 0);
      body(reg, lane, matrix + at.outer * columns + slotOfColumn(at.inner));
    }
}

} // namespace triton::simulator::nvptx
