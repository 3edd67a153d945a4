// One version of an open file, and what the parser makes of it.
#pragma once

#include "base/Diagnostics.h"
#include "frontend/AST.h"
#include "frontend/ModuleLoader.h"
#include "frontend/Parser.h"
#include "language_server/LineTable.h"

#include <mutex>
#include <set>

namespace triton::language_server {

using namespace base;
namespace ast = frontend::ast;
using FunctionRef = std::shared_ptr<const frontend::Function>;

/// The tree of a text, possibly with errors, and its kernels.
struct Syntax {
  std::shared_ptr<const Source> source;
  std::vector<Diagnostic> errors;
  std::shared_ptr<frontend::LoadedModule> module;
  std::vector<FunctionRef> kernels; ///< in the order of the text

  /// The kernel whose text holds this place, white space at its end included; null outside of kernels.
  FunctionRef kernelAt(uint32_t offset) const;
};

/// A version of a text. It does not change.
class Document {
public:
  Document(lsp::URIForFile uri, int64_t version, std::string text, frontend::ModuleSources sources);

  const lsp::URIForFile uri;
  const int64_t version;
  const std::string text;
  const LineTable lines;

  std::string path() const { return uri.file().str(); }
  /// Parses on first use.
  std::shared_ptr<const Source> source() const;
  /// Finds the kernels on first use, for which it may read files that this one imports.
  const Syntax &syntax() const;
  /// The files that were read so far because this one imports them.
  std::set<std::string> imports() const;

private:
  frontend::ModuleSources sources;
  mutable std::mutex importsMutex;
  mutable std::set<std::string> importedPaths;
  mutable std::once_flag parsedOnce, loadedOnce;
  mutable frontend::RecoveredModule parsed;
  mutable Syntax loaded;
};
using DocumentRef = std::shared_ptr<const Document>;

/// The first statement of a function if it is a string, else empty.
std::string docstring(const ast::FunctionDef &definition);
/// The range of a function with its decorators.
SourceRange wholeRange(const ast::FunctionDef &definition);

} // namespace triton::language_server
