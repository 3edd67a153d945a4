// The text of inline assembly, taken apart into PTX instructions.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace triton::simulator::nvptx {

/// `$0`, a register's name, an immediate, or several in braces. Of an address with coordinates, `[$0, {$1, $2}]`, first
/// the address in brackets and then each coordinate.
using PtxOperand = llvm::SmallVector<llvm::StringRef, 1>;

struct PtxInstruction {
  llvm::StringRef text;      ///< as it was written, without the semicolon
  llvm::StringRef predicate; ///< the guard's register; empty: none
  bool isNegated = false;    ///< runs where the guard is false
  llvm::StringRef opcode;
  llvm::SmallVector<llvm::StringRef, 4> modifiers; ///< `rn`, `f32` of `add.rn.f32`
  llvm::SmallVector<PtxOperand, 4> operands;       ///< the result first

  bool has(llvm::StringRef modifier) const;
};

struct PtxDeclaration {
  llvm::StringRef type; ///< `b32`, `pred`
  llvm::StringRef name;
};

/// What a text says; refers to the text.
struct PtxText {
  std::vector<PtxDeclaration> declarations;
  std::vector<PtxInstruction> instructions;
};

/// Comments must be gone (removeComments). The error says what is not understood.
llvm::Expected<PtxText> parsePtx(llvm::StringRef text);

std::string removeComments(llvm::StringRef text);

} // namespace triton::simulator::nvptx
