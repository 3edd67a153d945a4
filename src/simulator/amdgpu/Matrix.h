// One matrix instruction, as its handler needs it.
#pragma once

#include "simulator/amdgpu/MatrixForms.h"
#include "simulator/amdgpu/MatrixSum.h"
#include "simulator/core/Decoder.h"

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
  bool isSigned = true;
  bool isNegated = false;
  /// Of the scaled forms: the register whose byte `scaleByte` of a lane is the exponent of that lane's row and of 32
  /// elements along the sum. On gfx1250, the bytes are those of the row's four groups of elements, in the half
  /// `scaleHalf` of the lanes.
  std::optional<RegisterOffset> scales;
  unsigned scaleByte = 0, scaleHalf = 0;
  bool hasScalesOfRow = false;
};

struct MatrixInstruction {
  MatrixForm form;
  MatrixSum sum;
  MatrixOperand a, b;
  MatrixRegisters c, d;
  Fragment result;
  bool negatesC = false, clamps = false;
  unsigned firstHalf = 0;                                       ///< of 32 bits that contain a result of 16 bits
  unsigned broadcastBits = 0, broadcastBlock = 0, lanesOfB = 0; ///< cbsz, abid, blgp
};

Handler matrixHandler(); ///< `detail` is a MatrixInstruction

} // namespace triton::simulator::amdgpu
