// Says which lane and register hold which element of the operands of matrix instructions. One rule covers all forms.
#pragma once

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

} // namespace triton::simulator::nvptx
