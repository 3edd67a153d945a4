// One matrix instruction, as its handler needs it.
#pragma once

#include "simulator/amdgpu/MatrixForms.h"
#include "simulator/amdgpu/MatrixSum.h"
#include "simulator/core/Decoder.h"

#include <vector>

namespace triton::simulator::amdgpu {

/// The registers of an operand of a lane, which together are a string of bits.
struct MatrixRegisters {
  Registers registers;
  unsigned bytes = 0; ///< of each register's element
};

/// One of the two factors.
struct MatrixOperand {
  MatrixRegisters values;
  MatrixType type;
  Fragment fragment;
  std::vector<uint32_t> places = {}; ///< of each lane's slots, in the factors row by row or column by column
  bool isSigned = true;
  bool isNegated = false;
  /// Of the scaled forms: the register whose byte `scaleByte` of a lane is the exponent of that lane's row and of 32
  /// elements along the sum. On gfx1250, the bytes are those of the row's four groups of elements, in the half
  /// `scaleHalf` of the lanes.
  std::optional<RegisterOffset> scales;
  unsigned scaleByte = 0, scaleHalf = 0;
  bool hasScalesOfRow = false;
};

/// The row of A and the column of B that an element of the result is computed of.
struct MatrixLines {
  uint32_t a, b;
};

struct MatrixInstruction {
  MatrixForm form;
  MatrixSum sum;
  MatrixOperand a, b;
  MatrixRegisters c, d;
  Fragment result;
  std::vector<MatrixLines> lines = {}; ///< of each lane's slots of the result
  bool negatesC = false, clamps = false;
  unsigned firstHalf = 0;                                       ///< of 32 bits that contain a result of 16 bits
  unsigned broadcastBits = 0, broadcastBlock = 0, lanesOfB = 0; ///< cbsz, abid, blgp
};

/// Fills in `places` and `lines`, when all else is known.
void locateElements(MatrixInstruction &matrix);

/// Computes the usual products of floats. Returns false, and writes nothing, if this is not one: of other forms, and
/// where factors are not finite or exponents are near the limits of f32 or far from one another.
bool multiplyByVectors(Warp &warp, const MatrixInstruction &matrix);

Handler matrixHandler(); ///< `detail` is a MatrixInstruction

} // namespace triton::simulator::amdgpu
