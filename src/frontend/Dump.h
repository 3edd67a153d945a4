// The syntax tree as text, for tests and for people who look at what the parser understood.
#pragma once

#include "frontend/AST.h"

#include "llvm/Support/raw_ostream.h"

namespace triton::frontend {

/// One line for each statement, with blocks indented. Expressions have Python's notation with every operation in
/// parentheses.
void dumpTree(const ast::Module &module, llvm::raw_ostream &stream);
/// One line for each node in the order of the text: kind, begin and end of its range.
void dumpRanges(const ast::Module &module, llvm::raw_ostream &stream);

} // namespace triton::frontend
