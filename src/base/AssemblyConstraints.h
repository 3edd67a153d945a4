// Constraints of inline assembly, in LLVM's spelling.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstddef>
#include <string>

namespace triton::base {

/// Whether each constraint has all letters that its codes say they have. LLVM's parser reads past the end of others.
bool hasWholeConstraints(llvm::StringRef constraints);

/// What is wrong with the constraints of assembly with so many results and operands; empty when nothing is. Code
/// generators rely on it, and end where the constraints are others. Processors can pass operands in memory (`m`).
std::string problemInConstraints(llvm::StringRef constraints, size_t results, size_t operands, bool isForProcessor);

/// What is wrong with the operands that the text of assembly names, which has so many, results first; empty when
/// nothing is. Code generators end where it names others.
std::string problemInOperands(llvm::StringRef text, size_t count);

} // namespace triton::base
