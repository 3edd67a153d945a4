// Splits the text of inline assembly into PTX instructions.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace triton::ptx {

/// `$0`, a register's name, an immediate, or several of these in braces. For an address with coordinates, `[$0, {$1,
/// $2}]`, this is the address in brackets and then each coordinate.
using PtxOperand = llvm::SmallVector<llvm::StringRef, 1>;

struct PtxInstruction {
  llvm::StringRef text;      ///< as it was written, without the semicolon
  llvm::StringRef predicate; ///< the guard's register; empty: none
  bool isNegated = false;    ///< runs if the guard is false
  llvm::StringRef opcode;
  llvm::SmallVector<llvm::StringRef, 4> modifiers; ///< `rn`, `f32` in `add.rn.f32`
  llvm::SmallVector<PtxOperand, 4> operands;       ///< the result first

  bool has(llvm::StringRef modifier) const;
};

struct PtxDeclaration {
  llvm::StringRef type; ///< `b32`, `pred`
  llvm::StringRef name;
};

struct PtxLabel {
  llvm::StringRef name;
  unsigned instruction; ///< the number of the one that follows
};

/// The parsed form of a text, to which it refers.
struct PtxText {
  std::vector<PtxDeclaration> declarations;
  std::vector<PtxLabel> labels; ///< in order
  std::vector<PtxInstruction> instructions;
};

/// The text must not contain comments (removeComments). The error says what is not understood.
llvm::Expected<PtxText> parsePtx(llvm::StringRef text);

std::string removeComments(llvm::StringRef text);

/// The bits of an immediate: `17`, `-1`, `0x1f`, `0f3f800000`, `0d3ff0000000000000`, or `1.5` where a float of
/// `floatBytes` is expected, which is 0 for other types.
std::optional<uint64_t> parseImmediate(llvm::StringRef text, unsigned floatBytes);

} // namespace triton::ptx
