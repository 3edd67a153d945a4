#include "language_server/Names.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

namespace triton::language_server {

using llvm::dyn_cast;

namespace {

class Resolver {
public:
  explicit Resolver(FunctionNames &result) : result(result) {}

  void run(const ast::FunctionDef &definition) {
    Scope function;
    for (const ast::Parameter &parameter : definition.parameters)
      function.names.insert(parameter.name.name);
    for (const ast::Statement *statement : definition.body)
      collectBound(*statement, function.names);
    scopes.push_back(std::move(function));
    for (const ast::Parameter &parameter : definition.parameters)
      add(parameter.name.name, parameter.name.range, /*isBinding=*/true);
    for (const ast::Statement *statement : definition.body)
      visit(*statement);
    auto isBefore = [](const Occurrence &a, const Occurrence &b) { return a.range.begin < b.range.begin; };
    llvm::sort(result.local, isBefore);
    llvm::sort(result.globals, isBefore);
  }

private:
  struct Scope {
    unsigned number = 0;
    llvm::StringSet<> names;
  };

  static bool hasOwnScope(const ast::Node &node) {
    return llvm::isa<ast::FunctionDef, ast::ClassDef, ast::Lambda, ast::ListComp, ast::SetComp, ast::DictComp,
                     ast::GeneratorExp>(node);
  }

  static void collectTarget(const ast::Expression &target, llvm::StringSet<> &names) {
    if (auto *name = dyn_cast<ast::Name>(&target))
      names.insert(name->id);
    else if (llvm::isa<ast::Tuple, ast::List, ast::Starred>(target))
      ast::forEachChild(target,
                        [&](const ast::Node &child) { collectTarget(llvm::cast<ast::Expression>(child), names); });
  }

  /// The names that a statement binds in its function.
  static void collectBound(const ast::Node &node, llvm::StringSet<> &names) {
    if (auto *assign = dyn_cast<ast::Assign>(&node))
      for (const ast::Expression *target : assign->targets)
        collectTarget(*target, names);
    else if (auto *augmented = dyn_cast<ast::AugAssign>(&node))
      collectTarget(*augmented->target, names);
    else if (auto *annotated = dyn_cast<ast::AnnAssign>(&node))
      collectTarget(*annotated->target, names);
    else if (auto *loop = dyn_cast<ast::For>(&node))
      collectTarget(*loop->target, names);
    else if (auto *walrus = dyn_cast<ast::NamedExpr>(&node))
      names.insert(walrus->target.name);
    else if (auto *function = dyn_cast<ast::FunctionDef>(&node))
      names.insert(function->name.name);
    if (!hasOwnScope(node))
      ast::forEachChild(node, [&](const ast::Node &child) { collectBound(child, names); });
  }

  void add(llvm::StringRef name, SourceRange range, bool isBinding) {
    for (const Scope &scope : llvm::reverse(scopes))
      if (scope.names.contains(name)) {
        result.local.push_back({name, range, scope.number, isBinding});
        return;
      }
    result.globals.push_back({name, range, 0, isBinding});
  }

  void visit(const ast::Node &node, bool isTarget = false) {
    if (auto *name = dyn_cast<ast::Name>(&node))
      return add(name->id, name->range, isTarget);
    if (hasOwnScope(node))
      return visitScope(node);
    result.declaresGlobals |= llvm::isa<ast::Global, ast::Nonlocal>(node);
    if (auto *walrus = dyn_cast<ast::NamedExpr>(&node))
      add(walrus->target.name, walrus->target.range, /*isBinding=*/true);
    ast::forEachChild(node, [&](const ast::Node &child) { visit(child, bindsChild(node, child, isTarget)); });
  }

  static bool bindsChild(const ast::Node &node, const ast::Node &child, bool isTarget) {
    if (auto *assign = dyn_cast<ast::Assign>(&node))
      return &child != assign->value;
    if (auto *augmented = dyn_cast<ast::AugAssign>(&node))
      return &child == augmented->target;
    if (auto *annotated = dyn_cast<ast::AnnAssign>(&node))
      return &child == annotated->target;
    if (auto *loop = dyn_cast<ast::For>(&node))
      return &child == loop->target;
    return isTarget && llvm::isa<ast::Tuple, ast::List, ast::Starred>(node);
  }

  static llvm::ArrayRef<ast::Comprehension> generatorsOf(const ast::Node &node) {
    if (auto *list = dyn_cast<ast::ListComp>(&node))
      return list->generators;
    if (auto *set = dyn_cast<ast::SetComp>(&node))
      return set->generators;
    if (auto *dict = dyn_cast<ast::DictComp>(&node))
      return dict->generators;
    if (auto *generator = dyn_cast<ast::GeneratorExp>(&node))
      return generator->generators;
    return {};
  }

  void visitScope(const ast::Node &node) {
    Scope scope{++lastNumber, {}};
    llvm::ArrayRef<ast::Parameter> parameters;
    if (auto *lambda = dyn_cast<ast::Lambda>(&node))
      parameters = lambda->parameters;
    if (auto *function = dyn_cast<ast::FunctionDef>(&node)) {
      parameters = function->parameters;
      for (const ast::Statement *statement : function->body)
        collectBound(*statement, scope.names);
    }
    for (const ast::Parameter &parameter : parameters)
      scope.names.insert(parameter.name.name);
    llvm::ArrayRef<ast::Comprehension> generators = generatorsOf(node);
    for (const ast::Comprehension &generator : generators)
      collectTarget(*generator.target, scope.names);
    // The first iterable belongs to the scope around the comprehension.
    const ast::Node *outer = generators.empty() ? nullptr : generators.front().iterable;
    if (outer)
      visit(*outer);
    scopes.push_back(std::move(scope));
    for (const ast::Parameter &parameter : parameters)
      add(parameter.name.name, parameter.name.range, /*isBinding=*/true);
    ast::forEachChild(node, [&](const ast::Node &child) {
      bool isTarget = llvm::any_of(generators, [&](const ast::Comprehension &part) { return part.target == &child; });
      if (&child != outer)
        visit(child, isTarget);
    });
    scopes.pop_back();
  }

  FunctionNames &result;
  std::vector<Scope> scopes;
  unsigned lastNumber = 0;
};

} // namespace

const Occurrence *FunctionNames::at(uint32_t offset) const {
  for (const Occurrence &occurrence : local)
    if (occurrence.range.begin <= offset && offset <= occurrence.range.end)
      return &occurrence;
  return nullptr;
}

std::vector<Occurrence> FunctionNames::same(const Occurrence &occurrence) const {
  std::vector<Occurrence> found;
  llvm::copy_if(local, std::back_inserter(found), [&](const Occurrence &other) {
    return other.name == occurrence.name && other.scope == occurrence.scope;
  });
  return found;
}

FunctionNames namesOf(const ast::FunctionDef &definition) {
  FunctionNames names;
  Resolver(names).run(definition);
  return names;
}

} // namespace triton::language_server
