#include "frontend/ModuleLoader.h"

#include "base/Files.h"
#include "frontend/ModuleFile.h"
#include "frontend/Parser.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace triton::frontend {

using llvm::cast;
using llvm::dyn_cast;
namespace path = llvm::sys::path;

std::shared_ptr<LoadedModule> LoadedModule::fromFile(const std::string &path, BuiltinModules builtinModules) {
  auto graph = std::make_shared<ModuleGraph>(std::move(builtinModules));
  return graph->share<LoadedModule>(&graph->load(path));
}

std::shared_ptr<LoadedModule> LoadedModule::fromText(std::string text, const std::string &name,
                                                     BuiltinModules builtinModules, HostNames hostNames) {
  auto graph = std::make_shared<ModuleGraph>(std::move(builtinModules), nullptr, std::move(hostNames));
  return graph->share<LoadedModule>(&graph->add(parseModule(name, std::move(text)), name));
}

std::shared_ptr<LoadedModule> LoadedModule::fromSource(std::shared_ptr<const Source> source,
                                                       BuiltinModules builtinModules, ModuleSources sources) {
  auto graph = std::make_shared<ModuleGraph>(std::move(builtinModules), std::move(sources));
  std::string name = source->fileName();
  return graph->share<LoadedModule>(&graph->add(std::move(source), name));
}

/// The same for all ways to name a file.
static std::string keyOf(const std::string &path) {
  llvm::SmallString<256> real;
  return llvm::sys::fs::real_path(path, real) ? path : std::string(real);
}

ModuleFile &ModuleGraph::load(const std::string &path) {
  std::string key = keyOf(path);
  if (auto found = files.find(key); found != files.end())
    return *found->second;
  if (sources)
    return *(files[key] = std::make_unique<ModuleFile>(*this, sources(path), path));
  if (llvm::sys::fs::is_directory(path))
    throwError(diagnostics::FileUnreadable, path, "it is a folder");
  llvm::ErrorOr<std::string> text = base::readWholeFile(path);
  if (!text)
    throwError(diagnostics::FileUnreadable, path, text.getError().message());
  auto file = std::make_unique<ModuleFile>(*this, parseModule(path, *text), path);
  return *(files[key] = std::move(file));
}

ModuleFile &ModuleGraph::add(std::shared_ptr<const Source> source, const std::string &path) {
  auto file = std::make_unique<ModuleFile>(*this, std::move(source), path);
  return *(files[keyOf(path)] = std::move(file));
}

ModuleFile::ModuleFile(ModuleGraph &graph, std::shared_ptr<const Source> source, std::string path)
    : graph(graph), source(std::move(source)), path(std::move(path)),
      bindings(collectBindings(moduleOf(*this->source))) {}

std::vector<std::string> ModuleFile::functionNames() {
  std::lock_guard lock(graph.mutex);
  std::vector<std::pair<unsigned, std::string>> found;
  for (const auto &entry : bindings.names) {
    const ModuleBinding &binding = entry.second.back();
    if (binding.kind == ModuleBinding::Kind::Function &&
        decoratorUse(*cast<ast::FunctionDef>(binding.node), binding.order).isJit)
      found.push_back({binding.order, entry.getKey().str()});
  }
  llvm::sort(found);
  std::vector<std::string> names;
  names.reserve(found.size());
  for (auto &[order, name] : found)
    names.push_back(std::move(name));
  return names;
}

std::shared_ptr<const Function> ModuleFile::function(std::string_view name) {
  std::lock_guard lock(graph.mutex);
  llvm::StringRef text(name.data(), name.size());
  std::optional<ModuleValue> value = resolveWithHost(text);
  if (value && value->object)
    if (auto *function = value->object->get<std::shared_ptr<const Function>>())
      return *function;
  auto found = bindings.names.find(text);
  if (found != bindings.names.end() && found->second.back().kind == ModuleBinding::Kind::Function) {
    const auto &definition = *cast<ast::FunctionDef>(found->second.back().node);
    throwError(diagnostics::NotAKernel, *source, definition.name.range, text);
  }
  std::vector<std::string> names = functionNames();
  if (names.empty())
    throwError(diagnostics::NoKernels, path, text);
  throwError(diagnostics::KernelNotFound, path, text, llvm::join(names, "`, `"));
}

/// Numbers, strings and tuples are globals that could change between launches, so kernels see them only as constexpr.
static std::string describeGlobal(const Object &object) {
  if (object.is<bool>())
    return "a bool that is not a tl.constexpr";
  if (object.is<llvm::APSInt>())
    return "an int that is not a tl.constexpr";
  if (object.is<double>())
    return "a float that is not a tl.constexpr";
  if (object.is<std::string>())
    return "a str that is not a tl.constexpr";
  if (object.is<Tuple>())
    return "a tuple that is not a tl.constexpr";
  return "";
}

ObjectRef ModuleFile::lookup(std::string_view name) {
  std::lock_guard lock(graph.mutex);
  std::optional<ModuleValue> value = resolveWithHost(llvm::StringRef(name.data(), name.size()));
  if (!value)
    return nullptr;
  if (!value->object)
    return makeObject(Unsupported{value->description, /*isUnknown=*/true});
  std::string description = describeGlobal(*value->object);
  if (description.empty() || value->isConstexpr || allowsNonConstexprGlobals())
    return value->object;
  return makeObject(Unsupported{description});
}

ObjectRef ModuleFile::evaluate(std::string_view text) {
  std::lock_guard lock(graph.mutex);
  RecoveredModule parsed = recoverModule("<expression>", "_ = (" + std::string(text) + "\n)\n");
  const ast::Module &module = moduleOf(*parsed.source);
  auto *assignment = module.body.size() == 1 ? dyn_cast<ast::Assign>(module.body.front()) : nullptr;
  if (!parsed.diagnostics.empty() || !assignment)
    return nullptr;
  return evaluateModuleExpression(*this, *assignment->value, UINT_MAX).object;
}

ObjectRef ModuleFile::attribute(std::string_view name) {
  std::lock_guard lock(graph.mutex);
  std::optional<ModuleValue> value = resolveWithHost(llvm::StringRef(name.data(), name.size()));
  if (!value)
    return nullptr;
  return value->object ? value->object : makeObject(Unsupported{value->description, /*isUnknown=*/true});
}

/// True when the value owns no function or module, which would own this graph.
static bool isSelfContained(const Object &object) {
  if (auto *tuple = object.get<Tuple>())
    return !tuple->aggregate &&
           llvm::all_of(tuple->elements, [](const ObjectRef &element) { return isSelfContained(*element); });
  return !object.is<std::shared_ptr<const Function>>() && !object.is<std::shared_ptr<const Module>>() &&
         !object.is<std::shared_ptr<const HostFunction>>() && !object.is<std::shared_ptr<const AggregateClass>>();
}

std::optional<ModuleValue> ModuleFile::resolve(llvm::StringRef name, unsigned order) {
  auto found = bindings.names.find(name);
  if (found != bindings.names.end())
    for (const ModuleBinding &binding : llvm::reverse(found->second))
      if (binding.order < order)
        return resolveBinding(binding);
  for (const ast::ImportFrom *statement : llvm::reverse(bindings.starImports)) {
    ModuleValue member = moduleMember(importModule(statement->module.name, statement->level), name);
    if (member.object || member.file)
      return member;
  }
  return std::nullopt;
}

ModuleValue ModuleFile::resolveBinding(const ModuleBinding &binding) {
  if (auto known = values.find(binding.order); known != values.end())
    return known->second;
  if (llvm::is_contained(inProgress, binding.order))
    return ModuleValue::unknown("a name that is defined by itself");
  if (inProgress.size() >= maximumResolutionDepth)
    return {};
  inProgress.push_back(binding.order);
  ModuleValue value;
  switch (binding.kind) {
  case ModuleBinding::Kind::Import:
    value = importModule(binding.imported, 0);
    break;
  case ModuleBinding::Kind::ImportFrom:
    value = resolveMember(*cast<ast::ImportFrom>(binding.node), binding.imported);
    break;
  case ModuleBinding::Kind::Function:
    value = resolveFunction(*cast<ast::FunctionDef>(binding.node), binding.order);
    break;
  case ModuleBinding::Kind::Class:
    value = resolveClass(*cast<ast::ClassDef>(binding.node), binding.order);
    break;
  case ModuleBinding::Kind::Assign:
    value = evaluateModuleExpression(*this, *binding.value, binding.order);
    break;
  case ModuleBinding::Kind::Computed:
    break;
  }
  inProgress.pop_back();
  if (value.object && isSelfContained(*value.object))
    values[binding.order] = value;
  return value;
}

/// A module of the compiler's own, or one whose members the evaluator knows by name.
static std::optional<ModuleValue> knownModule(const BuiltinModules &builtinModules, llvm::StringRef name) {
  ModuleValue value;
  value.qualifiedName = name.str();
  value.object = builtinModules(std::string_view(name.data(), name.size()));
  llvm::StringRef root = name.take_until([](char c) { return c == '.'; });
  bool isKnown =
      value.object || root == "triton" || name == "collections" || name == "typing" || name == "typing_extensions";
  value.description = "the module `" + name.str() + "`";
  return isKnown ? std::optional(value) : std::nullopt;
}

/// The file of a module in this folder: `a/b.py` or `a/b/__init__.py` for `a.b`.
static std::optional<std::string> moduleFileIn(llvm::StringRef folder, llvm::StringRef name) {
  llvm::SmallString<256> base(folder);
  llvm::SmallVector<llvm::StringRef> parts;
  name.split(parts, '.', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (llvm::StringRef part : parts)
    path::append(base, part);
  llvm::SmallString<256> package = base;
  path::append(package, "__init__.py");
  if (llvm::sys::fs::exists(package))
    return std::string(package);
  base += ".py";
  if (!parts.empty() && llvm::sys::fs::exists(base))
    return std::string(base);
  return std::nullopt;
}

ModuleValue ModuleFile::importModule(llvm::StringRef name, unsigned level) {
  if (level == 0)
    if (std::optional<ModuleValue> known = knownModule(graph.builtinModules, name))
      return *known;
  llvm::SmallString<256> folder(path::parent_path(path));
  for (unsigned i = 1; i < level; ++i)
    folder.truncate(path::parent_path(folder).size());
  // Absolute imports start from this folder or, inside of a package, from an enclosing folder.
  std::optional<std::string> found = moduleFileIn(folder, name);
  while (!found && level == 0 && !folder.empty()) {
    llvm::SmallString<256> marker = folder;
    path::append(marker, "__init__.py");
    if (!llvm::sys::fs::exists(marker))
      break;
    folder.truncate(path::parent_path(folder).size());
    found = moduleFileIn(folder, name);
  }
  ModuleValue value = ModuleValue::unknown("the module `" + name.str() + "`");
  return found ? moduleOfFile(*found, name) : value;
}

ModuleValue ModuleFile::moduleOfFile(const std::string &path, llvm::StringRef name) {
  ModuleFile &file = graph.load(path);
  auto module = std::make_shared<Module>();
  module->name = name.str();
  module->attribute = [shared = graph.share(&file)](std::string_view member) { return shared->attribute(member); };
  ModuleValue value = ModuleValue::of(makeObject(std::shared_ptr<const Module>(std::move(module))));
  value.file = &file;
  return value;
}

/// `from module import name`: a member, or a module inside of the package.
ModuleValue ModuleFile::resolveMember(const ast::ImportFrom &statement, llvm::StringRef name) {
  ModuleValue module;
  bool isPackageItself = statement.level != 0 && statement.module.name.empty();
  if (!isPackageItself) {
    module = importModule(statement.module.name, statement.level);
    if (!module.file && module.qualifiedName.empty())
      return ModuleValue::unknown("part of " + module.description);
    ModuleValue member = moduleMember(module, name);
    bool isMember = member.object || member.file || (module.file && module.file->resolve(name));
    if (isMember)
      return member;
  }
  std::string full = isPackageItself ? name.str() : (statement.module.name + "." + name).str();
  ModuleValue submodule = importModule(full, statement.level);
  if (submodule.object || submodule.file)
    return submodule;
  return isPackageItself ? submodule : moduleMember(module, name);
}

ModuleValue ModuleFile::resolveFunction(const ast::FunctionDef &definition, unsigned order) {
  JitUse use = decoratorUse(definition, order);
  if (use.isJit)
    return ModuleValue::of(kernelObject(definition, use));
  if (use.isHostFunction)
    return ModuleValue::unknown("a constexpr_function, which only Python can run");
  return ModuleValue::unknown("a function without `@triton.jit`");
}

/// The function that makes a layout of an encoding's text; null where nobody knows Gluon's objects.
static ObjectRef layoutReader(const BuiltinModules &modules) {
  ObjectRef language = modules("triton.experimental.gluon.language");
  const auto *module = language ? language->get<std::shared_ptr<const Module>>() : nullptr;
  ObjectRef layout = module ? (*module)->attribute("BlockedLayout") : nullptr;
  const auto *known = layout ? layout->get<std::shared_ptr<const HostObject>>() : nullptr;
  return known ? (*known)->attribute("from_ir_text") : nullptr;
}

ObjectRef ModuleFile::kernelObject(const ast::FunctionDef &definition, const JitUse &use) {
  std::unique_ptr<Function> &function = functions[&definition];
  if (!function) {
    function = std::make_unique<Function>();
    function->name = definition.name.name.str();
    function->qualifiedName = function->name;
    function->source = source;
    function->definition = &definition;
    function->place = definition.range;
    // Not owned, because the owner of the function owns the graph, and therefore this file.
    function->scope = std::shared_ptr<Scope>(std::shared_ptr<void>(), this);
    function->noInline = use.noInline;
    function->isGluon = use.isGluon;
    if (use.isGluon)
      function->layoutReader = layoutReader(graph.builtinModules);
    evaluateDefaults(*function);
  }
  return makeObject(std::shared_ptr<const Function>(graph.share(function.get())));
}

/// Default values may use any global, unlike the body, so they are evaluated here as far as possible.
void ModuleFile::evaluateDefaults(Function &function) {
  for (const ast::Parameter &parameter : function.definition->parameters) {
    if (!parameter.defaultValue)
      continue;
    ModuleValue value = evaluateModuleExpression(*this, *parameter.defaultValue, UINT_MAX);
    if (value.object && isSelfContained(*value.object))
      function.defaults[parameter.name.name.str()] = value.object;
  }
}

/// The only classes that kernels can use are named tuples and aggregates.
ModuleValue ModuleFile::resolveClass(const ast::ClassDef &definition, unsigned order) {
  bool isAggregate = llvm::any_of(definition.decorators, [&](const ast::Expression *decorator) {
    std::string name = evaluateModuleExpression(*this, *decorator, order).qualifiedName;
    return name == "triton.aggregate" || name == "triton.language.core._aggregate" ||
           name == "triton.experimental.gluon.aggregate";
  });
  if (isAggregate)
    return resolveAggregate(definition, order);
  bool isNamedTuple = llvm::any_of(definition.bases, [&](const ast::Expression *base) {
    std::string name = evaluateModuleExpression(*this, *base, order).qualifiedName;
    return name == "typing.NamedTuple" || name == "typing_extensions.NamedTuple";
  });
  if (!isNamedTuple)
    return ModuleValue::unknown("a class");
  NamedTupleClass type;
  type.name = definition.name.name.str();
  for (const ast::Statement *statement : definition.body)
    if (auto *field = dyn_cast<ast::AnnAssign>(statement))
      if (auto *name = dyn_cast<ast::Name>(field->target))
        type.fieldNames.push_back(name->id.str());
  return ModuleValue::of(makeObject(std::move(type)));
}

} // namespace triton::frontend
