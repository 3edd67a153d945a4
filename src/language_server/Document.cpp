#include "language_server/Document.h"

#include "frontend/lowering/BuiltinModules.h"

namespace triton::language_server {

Document::Document(lsp::URIForFile uri, int64_t version, std::string text, frontend::ModuleSources sources)
    : uri(std::move(uri)), version(version), text(std::move(text)), lines(this->text), sources(std::move(sources)) {}

std::shared_ptr<const Source> Document::source() const {
  std::call_once(parsedOnce, [this] { parsed = frontend::recoverModule(path(), text); });
  return parsed.source;
}

const Syntax &Document::syntax() const {
  std::call_once(loadedOnce, [this] {
    loaded.source = source();
    loaded.errors = parsed.diagnostics;
    auto open = [this](const std::string &imported) {
      {
        std::lock_guard lock(importsMutex);
        importedPaths.insert(imported);
      }
      return sources(imported);
    };
    loaded.module = frontend::LoadedModule::fromSource(loaded.source, frontend::builtinModule, open);
    loaded.kernels = loaded.module->kernels();
  });
  return loaded;
}

std::set<std::string> Document::imports() const {
  std::lock_guard lock(importsMutex);
  return importedPaths;
}

/// Whether all lines of a text that follows a function belong to it: they are blank, or indented further.
static bool continuesBlock(llvm::StringRef rest, size_t column) {
  llvm::SmallVector<llvm::StringRef> lines;
  rest.split(lines, '\n');
  return llvm::all_of(llvm::drop_begin(lines), [&](llvm::StringRef line) {
    size_t indentation = line.find_first_not_of(" \t\r");
    return indentation == llvm::StringRef::npos || indentation > column;
  });
}

FunctionRef Syntax::kernelAt(uint32_t offset) const {
  FunctionRef innermost;
  for (const FunctionRef &kernel : kernels)
    if (wholeRange(*kernel->definition).begin <= offset)
      innermost = kernel;
  if (!innermost || offset <= innermost->definition->range.end)
    return innermost;
  uint32_t lineBegin = 0;
  source->lineAt(innermost->definition->range.begin, &lineBegin);
  llvm::StringRef rest = source->text().slice(innermost->definition->range.end, offset);
  // White space before the place is an indentation only if something follows.
  bool isInside = continuesBlock((rest + "x").str(), innermost->definition->range.begin - lineBegin);
  return isInside ? innermost : nullptr;
}

std::string docstring(const ast::FunctionDef &definition) {
  auto *statement = definition.body.empty() ? nullptr : llvm::dyn_cast<ast::ExpressionStatement>(definition.body[0]);
  auto *constant = statement ? llvm::dyn_cast<ast::Constant>(statement->value) : nullptr;
  return constant && constant->constantKind == ast::ConstantKind::String ? constant->text.str() : "";
}

SourceRange wholeRange(const ast::FunctionDef &definition) {
  SourceRange range = definition.range;
  for (const ast::Expression *decorator : definition.decorators)
    range.begin = std::min(range.begin, decorator->range.begin);
  return range;
}

} // namespace triton::language_server
