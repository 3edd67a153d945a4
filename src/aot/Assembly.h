// Assembly that becomes a part of another file.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace triton::aot {

struct AssemblySyntax {
  llvm::StringLiteral comment; ///< what begins one
  bool marksRegisters;         ///< by a character; otherwise a register may have the name of a kernel
};
inline constexpr AssemblySyntax x86Assembly = {"#", true}, aarch64Assembly = {"//", false};

/// The assembly of a module with other names for symbols: `entryName` for `entry`, which other files of the same
/// program can name, and `prefix` before all others that the module defines and before the `imported` ones. Directives
/// that describe the whole file are left out.
std::string embedAssembly(llvm::StringRef text, const AssemblySyntax &syntax, llvm::StringRef prefix,
                          llvm::StringRef entry, llvm::StringRef entryName, llvm::ArrayRef<std::string> imported);

} // namespace triton::aot
