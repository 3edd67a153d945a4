// The forms of matrix instructions, and which lane holds which element of their operands.
#pragma once

#include "simulator/amdgpu/Architecture.h"

#include <cstdint>
#include <optional>

namespace triton::simulator::amdgpu {

/// The elements of a matrix. The formats of narrow floats depend on the processor.
enum class MatrixType : uint8_t { F64, F32, XF32, F16, BF16, Fp8, Bf8, Fp6, Bf6, Fp4, I32, I8, I4 };
unsigned bitsOf(MatrixType type);

/// Where an element lies: its row of A or column of B, or, in D, its row; the position along the sum, or, in D, the
/// row; and the number of the matrix, where an instruction multiplies several.
struct Position {
  unsigned outer, inner, block;
};

/// How a matrix is dealt to lanes and their slots, the elements of a lane's operand. The numbers of lanes are divided
/// by `size`: the remainder is the row or column. The quotient numbers the blocks that lie in lanes and, above them,
/// groups of lanes. Along the other axis, each group has a run of `run` elements in turn.
struct Fragment {
  unsigned size, lanesOfBlocks, groups, run, slots;
  unsigned blocksInSlots = 1;
  bool swapsGroups = false; ///< the two bits of a group's number change places
  unsigned copies = 1;      ///< groups of lanes that hold the same elements
  unsigned stride = 1;      ///< of elements among the slots; the slots between them are not used

  Position at(unsigned lane, unsigned slot) const {
    unsigned rest = lane / size, block = rest % lanesOfBlocks, group = rest / lanesOfBlocks % groups;
    if (swapsGroups)
      group = (group & 1) << 1 | group >> 1;
    unsigned slotsOfBlock = slots / blocksInSlots, place = slot % slotsOfBlock;
    block += slot / slotsOfBlock;
    return {lane % size, groups * run * (place / run) + run * group + place % run, block};
  }
  /// The lanes from this number on hold nothing, or copies.
  unsigned lanes() const { return size * lanesOfBlocks * groups; }
};

/// One instruction on matrices of m rows and as many columns.
struct MatrixForm {
  unsigned size, depth, blocks;
  MatrixType a, b, c; ///< c: also of the result
  bool isWmma = false;
  /// What of the immediate operands cbsz, abid and blgp exists.
  bool broadcasts = false;

  Fragment operand(const Architecture &architecture, MatrixType type) const;
  Fragment result(const Architecture &architecture) const;
};

/// The form of an intrinsic, by its name after "mfma." or with "wmma.". None if the processor does not have it. The
/// scaled forms have the types of their operands in other operands.
std::optional<MatrixForm> findMatrixForm(llvm::StringRef name, const Architecture &architecture);

} // namespace triton::simulator::amdgpu
