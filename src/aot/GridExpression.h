// The expressions of C that users give for a launch grid.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace triton::aot {

/// Whether an expression may use the word without its being a parameter: a part of the name of a type, or `sizeof`.
bool isWordOfExpressions(llvm::StringRef word);

/// What is wrong with the text as an expression of C that computes a number from names and numbers; empty: nothing.
std::string findProblem(llvm::StringRef expression);

} // namespace triton::aot
