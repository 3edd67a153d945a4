#include "language_server/Features.h"

#include "frontend/Parser.h"

#include "llvm/ADT/STLExtras.h"

namespace triton::language_server {

using llvm::dyn_cast;

namespace {

class SymbolCollector {
public:
  explicit SymbolCollector(const Document &document) : document(document) {
    for (const FunctionRef &kernel : document.syntax().kernels)
      kernels.insert(kernel->definition);
  }

  void collect(ast::Statements statements, std::vector<lsp::DocumentSymbol> &symbols, bool isOutermost) {
    for (const ast::Statement *statement : statements) {
      if (auto *function = dyn_cast<ast::FunctionDef>(statement)) {
        addFunction(*function, symbols);
      } else if (auto *type = dyn_cast<ast::ClassDef>(statement)) {
        lsp::DocumentSymbol symbol = make(type->name, lsp::SymbolKind::Class, type->range);
        collect(type->body, symbol.children, /*isOutermost=*/false);
        symbols.push_back(std::move(symbol));
      } else if (auto *assign = dyn_cast<ast::Assign>(statement); assign && isOutermost) {
        addAssigned(*assign, symbols);
      } else if (auto *branch = dyn_cast<ast::If>(statement)) {
        collect(branch->body, symbols, isOutermost);
        collect(branch->orElse, symbols, isOutermost);
      } else if (auto *attempt = dyn_cast<ast::Try>(statement)) {
        collect(attempt->body, symbols, isOutermost);
      }
    }
  }

private:
  lsp::DocumentSymbol make(const ast::Identifier &name, lsp::SymbolKind kind, SourceRange range) const {
    return {name.name, kind, document.lines.range(range), document.lines.range(name.range)};
  }

  void addFunction(const ast::FunctionDef &function, std::vector<lsp::DocumentSymbol> &symbols) {
    lsp::DocumentSymbol symbol = make(function.name, lsp::SymbolKind::Function, wholeRange(function));
    if (kernels.count(&function)) {
      symbol.detail = "kernel";
      for (const ast::Parameter &parameter : function.parameters)
        symbol.children.push_back(make(parameter.name, lsp::SymbolKind::Variable, parameter.range));
    }
    collect(function.body, symbol.children, /*isOutermost=*/false);
    symbols.push_back(std::move(symbol));
  }

  void addAssigned(const ast::Assign &assign, std::vector<lsp::DocumentSymbol> &symbols) const {
    for (const ast::Expression *target : assign.targets)
      if (auto *name = dyn_cast<ast::Name>(target))
        symbols.push_back(make({name->id, name->range}, lsp::SymbolKind::Constant, assign.range));
  }

  const Document &document;
  std::set<const ast::FunctionDef *> kernels;
};

} // namespace

std::vector<lsp::DocumentSymbol> documentSymbols(const Document &document) {
  std::vector<lsp::DocumentSymbol> symbols;
  SymbolCollector(document).collect(frontend::moduleOf(*document.syntax().source).body, symbols, /*isOutermost=*/true);
  return symbols;
}

} // namespace triton::language_server
