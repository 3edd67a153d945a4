// What each name in a kernel is, for editors that color names by it.
#include "language_server/Resolve.h"

#include "frontend/lowering/Constructs.h"

#include "llvm/ADT/STLExtras.h"

namespace triton::language_server {

using llvm::dyn_cast;

namespace {

/// In the order of `semanticTokenTypes` and `semanticTokenModifiers`.
enum class TokenType : uint32_t { Namespace, Class, Function, Method, Parameter, Variable, Property };
enum TokenModifier : uint32_t { NoModifier = 0, IsDeclaration = 1, IsReadonly = 2, IsOfLibrary = 4 };

class TokenCollector {
public:
  explicit TokenCollector(const View &view) : view(view) {}

  std::vector<uint32_t> run() {
    for (const FunctionRef &kernel : view.document->syntax().kernels) {
      addLocals(*kernel->definition);
      visit(*kernel->definition);
    }
    return encode();
  }

private:
  struct Token {
    SourceRange range;
    TokenType type;
    uint32_t modifiers;
  };

  void addLocals(const ast::FunctionDef &definition) {
    tokens.push_back({definition.name.range, TokenType::Function, IsDeclaration});
    for (const Occurrence &name : namesOf(definition).local) {
      const ast::Parameter *parameter = parameterNamed(definition, name);
      uint32_t modifiers = name.isBinding ? IsDeclaration : NoModifier;
      if (parameter && frontend::isConstexprAnnotation(parameter->annotation))
        modifiers |= IsReadonly;
      tokens.push_back({name.range, parameter ? TokenType::Parameter : TokenType::Variable, modifiers});
    }
    for (const Occurrence &name : namesOf(definition).globals)
      addResolved({name.name.str()}, name.range);
  }

  static const ast::Parameter *parameterNamed(const ast::FunctionDef &definition, const Occurrence &name) {
    auto found =
        llvm::find_if(definition.parameters, [&](const ast::Parameter &each) { return each.name.name == name.name; });
    return name.scope == 0 && found != definition.parameters.end() ? &*found : nullptr;
  }

  void visit(const ast::Node &node) {
    if (auto *attribute = dyn_cast<ast::Attribute>(&node))
      addAttribute(*attribute);
    ast::forEachChild(node, [&](const ast::Node &child) { visit(child); });
  }

  /// The parts of a dotted name; empty for an attribute of another expression.
  static std::vector<std::string> partsOf(const ast::Expression &expression) {
    if (auto *name = dyn_cast<ast::Name>(&expression))
      return {name->id.str()};
    auto *attribute = dyn_cast<ast::Attribute>(&expression);
    std::vector<std::string> parts = attribute ? partsOf(*attribute->value) : std::vector<std::string>();
    if (!parts.empty())
      parts.push_back(attribute->attribute.name.str());
    return parts;
  }

  void addAttribute(const ast::Attribute &attribute) {
    SourceRange range = attribute.attribute.range;
    std::vector<std::string> parts = partsOf(attribute);
    if (parts.empty() || !addResolved(parts, range))
      if (methodOf(ValueKind::Tensor, attribute.attribute.name))
        tokens.push_back({range, TokenType::Method, IsOfLibrary});
  }

  /// Whether the name is known.
  bool addResolved(const std::vector<std::string> &parts, SourceRange range) {
    std::optional<Resolved> resolved = resolve(view, parts, range.begin);
    if (!resolved)
      return false;
    if (resolved->isLocal) {
      if (!resolved->callable)
        return false;
      tokens.push_back({range, TokenType::Method, IsOfLibrary});
      return true;
    }
    const frontend::Object &object = *resolved->object;
    bool isUsers = object.is<std::shared_ptr<const frontend::Function>>() &&
                   object.get<std::shared_ptr<const frontend::Function>>()->get()->source == view.document->source();
    uint32_t modifiers = isUsers ? NoModifier : IsOfLibrary;
    if (object.is<std::shared_ptr<const frontend::Module>>())
      tokens.push_back({range, TokenType::Namespace, NoModifier});
    else if (object.is<ElementType>() || object.is<std::shared_ptr<const frontend::AggregateClass>>())
      tokens.push_back({range, TokenType::Class, NoModifier});
    else if (resolved->callable)
      tokens.push_back({range, TokenType::Function, modifiers});
    else
      tokens.push_back({range, parts.size() == 1 ? TokenType::Variable : TokenType::Property, IsReadonly});
    return true;
  }

  /// Five numbers a token, as the protocol has them: lines and characters since the token before.
  std::vector<uint32_t> encode() {
    llvm::sort(tokens, [](const Token &a, const Token &b) { return a.range.begin < b.range.begin; });
    std::vector<uint32_t> encoded;
    lsp::Position last(0, 0);
    uint32_t end = 0;
    for (const Token &token : tokens) {
      if (token.range.begin < end) // a function inside of a kernel was met twice
        continue;
      end = token.range.end;
      lsp::Range range = view.document->lines.range(token.range);
      bool isSameLine = range.start.line == last.line;
      llvm::append_values(encoded, uint32_t(range.start.line - last.line),
                          uint32_t(range.start.character - (isSameLine ? last.character : 0)),
                          uint32_t(range.end.character - range.start.character), uint32_t(token.type), token.modifiers);
      last = range.start;
    }
    return encoded;
  }

  const View &view;
  std::vector<Token> tokens;
};

} // namespace

llvm::ArrayRef<llvm::StringLiteral> semanticTokenTypes() {
  static constexpr llvm::StringLiteral types[] = {"namespace", "class",    "function", "method",
                                                  "parameter", "variable", "property"};
  return types;
}

llvm::ArrayRef<llvm::StringLiteral> semanticTokenModifiers() {
  static constexpr llvm::StringLiteral modifiers[] = {"declaration", "readonly", "defaultLibrary"};
  return modifiers;
}

std::vector<uint32_t> semanticTokens(const View &view) { return TokenCollector(view).run(); }

} // namespace triton::language_server
