// AMD's matrix instructions, v_mfma and v_wmma: their names in LLVM, shapes and rates (AMD's matrix instruction
// calculator and the ISA documents).
#pragma once

#include "backends/amd/lowering/Architecture.h"

#include "mlir/IR/BuiltinTypes.h"

namespace triton::amd {

/// The elements of operands, as instructions distinguish them.
enum class MatrixElement : uint8_t { Half, BFloat, Single, Tf32, Double, Byte, Float8E4, Float8E5, Float4 };

/// How an instruction takes the elements of a lane.
enum class OperandForm : uint8_t {
  Scalar, ///< one element
  Vector, ///< of the elements
  Bits16, ///< a vector of i16
  Word,   ///< one integer
  Bits32, ///< a vector of i32
};

/// An instruction that multiplies `extent` rows and as many columns, of `depth` elements each.
struct MatrixInstruction {
  const char *name; ///< of the intrinsic, after "llvm.amdgcn."; "{0}" and "{1}" are the formats of 8-bit floats
  MatrixElement element;
  unsigned extent, depth;
  unsigned elements; ///< of an operand that a lane holds
  OperandForm form;
  unsigned clocks = 0; ///< between two of them on one scheduler
  /// Elements of an operand that a lane holds side by side along K, if these are not all; 0: all.
  unsigned neighbours = 0;

  /// Elements of the result that a lane holds.
  unsigned results(unsigned lanes) const { return extent * extent / lanes; }
  /// Whether it takes scales, and formats of its operands that may differ.
  bool isScaled() const { return llvm::StringRef(name).contains(".scale."); }
  unsigned run() const { return neighbours == 0 ? elements : neighbours; }
  /// Groups of lanes with different parts of K.
  unsigned groups() const { return depth / elements; }
  /// Of all schedulers, in a clock.
  double flops(unsigned schedulers) const { return 2.0 * extent * extent * depth / clocks * schedulers; }
};

/// The element that units multiply; none if they do not multiply such types.
std::optional<MatrixElement> findMatrixElement(const Architecture &architecture, mlir::Type type, bool isTf32);

/// The instructions for such elements, the one with the largest result first.
llvm::SmallVector<MatrixInstruction> findMatrixInstructions(const Architecture &architecture, MatrixElement element);

/// The instructions that take scales, for 8- and 4-bit floats.
llvm::SmallVector<MatrixInstruction> findScaledInstructions(const Architecture &architecture);
/// Their depths for results of 16 rows and columns, and of 32, see tt::TtirOptions. `extent` chooses among them, unless
/// it is 0.
llvm::SmallVector<unsigned> findScaledDepths(const Architecture &architecture, unsigned extent);

/// The instruction with that extent and depth; a depth of 0 is any.
std::optional<MatrixInstruction> findMatrixInstruction(const Architecture &architecture, MatrixElement element,
                                                       unsigned extent, unsigned depth);

} // namespace triton::amd
