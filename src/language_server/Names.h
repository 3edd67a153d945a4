// The local names of a function: every place that binds or reads one, by Python's rules of scopes.
#pragma once

#include "language_server/Document.h"

namespace triton::language_server {

struct Occurrence {
  llvm::StringRef name;
  SourceRange range;
  unsigned scope = 0; ///< 0: the function itself; others are comprehensions, lambdas and functions inside it
  bool isBinding = false;
};

struct FunctionNames {
  std::vector<Occurrence> local;   ///< in the order of the text
  std::vector<Occurrence> globals; ///< names that the function reads but does not bind
  bool declaresGlobals = false;    ///< has a `global` or `nonlocal` statement

  /// The occurrence of a local name at a place, its end included; null when there is none.
  const Occurrence *at(uint32_t offset) const;
  /// All occurrences of the same name in the same scope.
  std::vector<Occurrence> same(const Occurrence &occurrence) const;
};

FunctionNames namesOf(const ast::FunctionDef &definition);

} // namespace triton::language_server
