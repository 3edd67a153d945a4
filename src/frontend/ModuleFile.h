// The internals of the module loader: files, what their names are bound to, and the evaluation of module-level
// expressions. Only ModuleLoader.cpp, ModuleBindings.cpp and ModuleEvaluator.cpp use them.
#pragma once

#include "frontend/AST.h"
#include "frontend/ModuleLoader.h"
#include "frontend/ParseDiagnostics.h"
#include "frontend/Parser.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <mutex>

namespace triton::frontend {

/// A statement that gives a module-level name its value.
struct ModuleBinding {
  enum class Kind : uint8_t { Import, ImportFrom, Function, Class, Assign, Computed };
  Kind kind;
  const ast::Node *node = nullptr;        ///< the Import, ImportFrom, FunctionDef, ClassDef
  const ast::Expression *value = nullptr; ///< of Assign; null when an assignment unpacks
  llvm::StringRef imported;               ///< the dotted module, or the name taken from one
  unsigned order = 0;                     ///< position among the bindings of the file
};

/// Every binding of a file's module-level names, in the order of the text.
struct ModuleBindings {
  llvm::StringMap<llvm::SmallVector<ModuleBinding, 1>> names;
  /// `from m import *`.
  llvm::SmallVector<const ast::ImportFrom *> starImports;
};
ModuleBindings collectBindings(const ast::Module &module);

class ModuleFile;

/// What a module-level expression denotes. `object` is null when only Python could know it.
struct ModuleValue {
  ObjectRef object;
  /// The dotted name of something that another module defines, such as `triton.jit`; otherwise empty.
  std::string qualifiedName;
  /// A number, string or tuple that a kernel may use as a global.
  bool isConstexpr = false;
  /// A module read by the loader.
  ModuleFile *file = nullptr;
  /// A description for messages when there is no object.
  std::string description = "a value that only Python can compute";

  static ModuleValue unknown(std::string description) {
    ModuleValue value;
    value.description = std::move(description);
    return value;
  }
  static ModuleValue of(ObjectRef object) {
    ModuleValue value;
    value.object = std::move(object);
    return value;
  }
};

/// All files of one load. The user's pointers to files and functions share its ownership, so that files may refer to
/// each other in circles.
class ModuleGraph : public std::enable_shared_from_this<ModuleGraph> {
public:
  explicit ModuleGraph(BuiltinModules builtinModules, ModuleSources sources = nullptr, HostNames hostNames = nullptr)
      : builtinModules(std::move(builtinModules)), sources(std::move(sources)), hostNames(std::move(hostNames)) {}

  const BuiltinModules builtinModules;
  const ModuleSources sources; ///< null: files are read from the disk
  const HostNames hostNames;   ///< null: only texts are read
  /// The file at this path, loaded on first use.
  ModuleFile &load(const std::string &path);
  ModuleFile &add(std::shared_ptr<const Source> source, const std::string &path);

  template <typename T> std::shared_ptr<T> share(T *part) { return std::shared_ptr<T>(shared_from_this(), part); }

  /// Guards everything: kernels of one module may compile in several threads.
  std::recursive_mutex mutex;

private:
  llvm::StringMap<std::unique_ptr<ModuleFile>> files;
};

class ModuleFile final : public LoadedModule, public Scope {
public:
  ModuleFile(ModuleGraph &graph, std::shared_ptr<const Source> source, std::string path);

  std::shared_ptr<const Function> function(std::string_view name) override;
  std::vector<std::string> functionNames() override;
  std::vector<std::shared_ptr<const Function>> kernels() override;
  std::vector<std::string> names() override;
  std::optional<DefinitionPlace> definition(std::string_view name) override;
  /// The name as a kernel sees a global: numbers and similar values only when they are constexpr.
  ObjectRef lookup(std::string_view name) override;
  ObjectRef evaluate(std::string_view text) override;
  /// The name as `module.name` shows it, unchecked.
  ObjectRef attribute(std::string_view name);

  /// The value that a name has just before the binding `order`; none when there is no such name.
  std::optional<ModuleValue> resolve(llvm::StringRef name, unsigned order = UINT_MAX);
  /// The same after the whole file has run, where the host's language is asked for what no text shows.
  std::optional<ModuleValue> resolveWithHost(llvm::StringRef name);
  const Source &text() const { return *source; }
  ModuleGraph &owner() { return graph; }

  /// The module that `import name` finds, `level` folders up when relative: the compiler's own, a file nearby, or
  /// unknown.
  ModuleValue importModule(llvm::StringRef name, unsigned level);
  /// A module that the loader reads.
  ModuleValue moduleOfFile(const std::string &file, llvm::StringRef name);
  struct JitUse {
    bool isJit = false;
    bool isGluon = false; ///< by `gluon.jit`
    bool isHostFunction = false;
    bool noInline = false;
  };
  /// The object of a definition that a decorator or a call of `triton.jit` makes a kernel.
  ObjectRef kernelObject(const ast::FunctionDef &definition, const JitUse &use);

private:
  friend class ModuleEvaluator;
  std::optional<DefinitionPlace> importedDefinition(const ModuleBinding &binding, llvm::StringRef name);
  JitUse decoratorUse(const ast::FunctionDef &definition, unsigned order);
  ModuleValue resolveBinding(const ModuleBinding &binding);
  ModuleValue resolveFunction(const ast::FunctionDef &definition, unsigned order);
  ModuleValue resolveClass(const ast::ClassDef &definition, unsigned order);
  ModuleValue resolveAggregate(const ast::ClassDef &definition, unsigned order);
  void addFields(AggregateClass &type, const ast::ClassDef &definition, unsigned order);
  void addMembers(AggregateClass &type, const ast::ClassDef &definition, unsigned order);
  ModuleValue resolveMember(const ast::ImportFrom &statement, llvm::StringRef name);
  ModuleValue resolveHostValue(const HostValue &known, llvm::StringRef name);
  std::shared_ptr<const Function> kernelNear(llvm::StringRef name, unsigned line);
  void evaluateDefaults(Function &function);

  ModuleGraph &graph;
  std::shared_ptr<const Source> source;
  std::string path;
  ModuleBindings bindings;
  std::map<const ast::FunctionDef *, std::unique_ptr<Function>> functions;
  std::map<const ast::ClassDef *, std::unique_ptr<AggregateClass>> aggregates;
  /// Values that are already computed, by the binding's order. Values with functions or modules are not kept here,
  /// because their ownership would be circular.
  llvm::DenseMap<unsigned, ModuleValue> values;
  llvm::SmallVector<unsigned> inProgress;
  /// Longer chains of names that are defined by names are not followed, because they would overflow the stack.
  static constexpr size_t maximumResolutionDepth = 300;
};

/// Evaluates an expression of a file as far as constants, names and calls of known functions go.
ModuleValue evaluateModuleExpression(ModuleFile &file, const ast::Expression &expression, unsigned order);
/// The member `name` of a module or of another value.
ModuleValue moduleMember(const ModuleValue &value, llvm::StringRef name);
/// Whether a condition is known without running the file: `TYPE_CHECKING`, `__name__ == "__main__"`, constants.
std::optional<bool> moduleConditionValue(const ast::Expression &condition);

} // namespace triton::frontend
