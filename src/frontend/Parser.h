// Source text → syntax tree. Errors are reported several at a time: the parser continues after one at the next
// statement. Both functions throw DiagnosticError.
#pragma once

#include "frontend/AST.h"
#include "frontend/Source.h"

namespace triton::frontend {

/// Parses a whole file; the result's module() is the tree.
std::shared_ptr<const Source> parseModule(std::string fileName, std::string text);

struct ParsedFunction {
  std::shared_ptr<const Source> source;
  const ast::FunctionDef *definition = nullptr;
};

/// Parses the text of one function as Python's `inspect.getsource` cuts it out of its file: decorators included, every
/// line possibly indented. `firstLine` is the number of the text's first line in the file; `columnOffset` the number of
/// characters that the caller already removed from the start of each line.
ParsedFunction parseFunction(std::string fileName, std::string text, unsigned firstLine = 1, unsigned columnOffset = 0);

} // namespace triton::frontend
