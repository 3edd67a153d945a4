// Splits the text of inline assembly into instructions of AMD's GPUs.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace triton::simulator::amdgpu {

/// `$0`, `vcc`, or a number, with what is done to it first: `-$0`, `|$0|`, `neg($0)`, `abs($0)`.
struct AssemblyOperand {
  llvm::StringRef name;
  bool isNegated = false, isAbsolute = false;
};

struct AssemblyInstruction {
  llvm::StringRef text;                            ///< as it was written
  llvm::StringRef name;                            ///< without the encoding: `v_add_f32` for `v_add_f32_e64`
  llvm::SmallVector<AssemblyOperand, 4> operands;  ///< the result first
  llvm::SmallVector<llvm::StringRef, 2> modifiers; ///< what follows the operands: `op_sel:[0,1]`, `clamp`

  /// The numbers of a modifier such as `op_sel:[0,1]`, or what they are without it.
  llvm::SmallVector<unsigned, 3> list(llvm::StringRef modifier, unsigned count, unsigned otherwise) const;
};

/// One instruction a line. The text must not contain comments (removeComments), and the result refers to it.
std::vector<AssemblyInstruction> parseAssembly(llvm::StringRef text);

/// Comments begin with `;` or `//`, or lie between `/*` and `*/`.
std::string removeComments(llvm::StringRef text);

} // namespace triton::simulator::amdgpu
