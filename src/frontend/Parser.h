// Source text → syntax tree. Errors are reported several at a time: the parser continues after one at the next
// statement. All functions but recoverModule throw DiagnosticError.
#pragma once

#include "base/Diagnostics.h"
#include "frontend/AST.h"
#include "frontend/Definition.h"

namespace triton::frontend {

/// The tree of a source that this parser made.
const ast::Module &moduleOf(const Source &source);

/// Parses a whole file; moduleOf gives the tree.
std::shared_ptr<const Source> parseModule(std::string fileName, std::string text);

struct RecoveredModule {
  std::shared_ptr<const Source> source; ///< moduleOf gives the tree, in which statements with errors are missing
  std::vector<Diagnostic> diagnostics;  ///< of these statements
};

/// Parses a whole file that may have errors, as it does while somebody types.
RecoveredModule recoverModule(std::string fileName, std::string text);

struct ParsedFunction {
  std::shared_ptr<const Source> source;
  const ast::FunctionDef *definition = nullptr;
};

/// Parses the text of one function as Python's `inspect.getsource` cuts it out of its file: decorators included, every
/// line possibly indented. `firstLine` is the number of the text's first line in the file; `columnOffset` the number of
/// characters that the caller already removed from the start of each line.
ParsedFunction parseFunction(std::string fileName, std::string text, unsigned firstLine = 1, unsigned columnOffset = 0);

struct UnparsedFunction {
  std::shared_ptr<const Source> source;
  Definition definition;
  SourceRange place; ///< of the definition from `def` on, or a little before it
};

/// The same, but it parses when the definition is first used.
UnparsedFunction parseFunctionLater(std::string fileName, std::string text, unsigned firstLine, unsigned columnOffset);

} // namespace triton::frontend
