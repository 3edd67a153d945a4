// What a loaded file contains, for editors: its kernels, its names and where they are defined.
#include "frontend/ModuleFile.h"

#include "llvm/ADT/StringSet.h"

namespace triton::frontend {

using llvm::cast;
using llvm::dyn_cast;

namespace {
/// The names that a kernel inside of a function sees: the file's, and those of the function, whose values only Python
/// knows.
class EnclosedScope final : public Scope {
public:
  EnclosedScope(std::shared_ptr<Scope> file, const ast::FunctionDef &outer) : file(std::move(file)) {
    auto collect = [&](auto &self, const ast::Node &node) -> void {
      if (auto *name = dyn_cast<ast::Name>(&node))
        names.insert(name->id);
      if (auto *inner = dyn_cast<ast::FunctionDef>(&node)) {
        names.insert(inner->name.name);
        for (const ast::Parameter &parameter : inner->parameters)
          names.insert(parameter.name.name);
      }
      ast::forEachChild(node, [&](const ast::Node &child) { self(self, child); });
    };
    collect(collect, outer);
  }

  ObjectRef lookup(std::string_view name) override {
    if (ObjectRef global = file->lookup(name))
      return global;
    if (!names.contains(llvm::StringRef(name.data(), name.size())))
      return nullptr;
    return makeObject(Unsupported{"a name of the function around the kernel", /*isUnknown=*/true});
  }

  ObjectRef evaluate(std::string_view text) override { return file->evaluate(text); }

private:
  std::shared_ptr<Scope> file;
  llvm::StringSet<> names;
};
} // namespace

std::vector<std::shared_ptr<const Function>> ModuleFile::kernels() {
  std::lock_guard lock(graph.mutex);
  std::vector<std::shared_ptr<const Function>> found;
  auto collect = [&](auto &self, const ast::Node &node, const ast::FunctionDef *outer) -> void {
    auto *definition = dyn_cast<ast::FunctionDef>(&node);
    if (JitUse use = definition ? decoratorUse(*definition, UINT_MAX) : JitUse(); use.isJit) {
      found.push_back(*kernelObject(*definition, use)->get<std::shared_ptr<const Function>>());
      if (std::unique_ptr<Function> &kernel = functions[definition]; outer && kernel->scope.get() == this)
        kernel->scope = std::make_shared<EnclosedScope>(kernel->scope, *outer);
    } else if (llvm::isa<ast::Statement>(node)) {
      const ast::FunctionDef *enclosing = outer ? outer : definition;
      ast::forEachChild(node, [&](const ast::Node &child) { self(self, child, enclosing); });
    }
  };
  for (const ast::Statement *statement : moduleOf(*source).body)
    collect(collect, *statement, nullptr);
  return found;
}

std::vector<std::string> ModuleFile::names() {
  std::vector<std::string> found;
  for (const auto &entry : bindings.names)
    found.push_back(entry.getKey().str());
  llvm::sort(found);
  return found;
}

/// The range of the name that a binding binds, rather than of its whole statement.
static SourceRange nameRange(const ModuleBinding &binding, llvm::StringRef name) {
  if (binding.kind == ModuleBinding::Kind::Function)
    return cast<ast::FunctionDef>(binding.node)->name.range;
  if (binding.kind == ModuleBinding::Kind::Class)
    return cast<ast::ClassDef>(binding.node)->name.range;
  SourceRange range = binding.node->range;
  auto search = [&](auto &self, const ast::Node &node) -> bool {
    auto *found = dyn_cast<ast::Name>(&node);
    if (found && found->id == name) {
      range = found->range;
      return true;
    }
    bool isFound = false;
    ast::forEachChild(node, [&](const ast::Node &child) { isFound = isFound || self(self, child); });
    return isFound;
  };
  search(search, *binding.node);
  return range;
}

/// Follows an import to the file that it reads.
std::optional<DefinitionPlace> ModuleFile::importedDefinition(const ModuleBinding &binding, llvm::StringRef name) {
  if (binding.kind == ModuleBinding::Kind::Import) {
    ModuleValue module = importModule(binding.imported, 0);
    return module.file ? std::optional(DefinitionPlace{module.file->source, {}}) : std::nullopt;
  }
  const auto &statement = *cast<ast::ImportFrom>(binding.node);
  ModuleValue module = importModule(statement.module.name, statement.level);
  if (module.file && module.file->resolve(name))
    return module.file->definition(std::string_view(name.data(), name.size()));
  ModuleValue member = resolveMember(statement, name);
  return member.file ? std::optional(DefinitionPlace{member.file->source, {}}) : std::nullopt;
}

std::optional<DefinitionPlace> ModuleFile::definition(std::string_view name) {
  std::lock_guard lock(graph.mutex);
  llvm::StringRef text(name.data(), name.size());
  auto found = bindings.names.find(text);
  if (found == bindings.names.end()) {
    for (const ast::ImportFrom *statement : llvm::reverse(bindings.starImports))
      if (ModuleValue module = importModule(statement->module.name, statement->level);
          module.file && module.file->resolve(text))
        return module.file->definition(name);
    return std::nullopt;
  }
  const ModuleBinding &binding = found->second.back();
  DefinitionPlace here{source, nameRange(binding, text)};
  bool isImport = binding.kind == ModuleBinding::Kind::Import || binding.kind == ModuleBinding::Kind::ImportFrom;
  // A chain of files that import a name from each other in a circle ends like one that is too long.
  if (!isImport || inProgress.size() >= maximumResolutionDepth)
    return here;
  inProgress.push_back(binding.order);
  std::optional<DefinitionPlace> place = importedDefinition(binding, binding.imported);
  inProgress.pop_back();
  return place ? place : here;
}

} // namespace triton::frontend
