// Loads kernels from a `.py` file without a Python interpreter. This is the second implementation of name resolution.
// The file's module-level statements are read, not run: imports, `@triton.jit` functions, constants, named tuples.
// Everything else in the file (NumPy or PyTorch code, classes, a main program) is ignored.
#pragma once

#include "frontend/Object.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace triton::frontend {

/// Finds the compiler's own modules by their name (lowering/BuiltinModules.h); null for others.
using BuiltinModules = std::function<ObjectRef(std::string_view name)>;

/// Gives the parsed text of another file that the loaded one imports, never null. Editors use it to keep files in
/// memory, some of them with changes that were not saved.
using ModuleSources = std::function<std::shared_ptr<const Source>(const std::string &path)>;

/// The place in a text that defines a name.
struct DefinitionPlace {
  std::shared_ptr<const Source> source;
  SourceRange range;
};

/// A loaded file. The file, its sibling modules and their functions live as long as any pointer to one of them.
class LoadedModule {
public:
  virtual ~LoadedModule() = default;

  /// Throws DiagnosticError when the file cannot be read or parsed.
  static std::shared_ptr<LoadedModule> fromFile(const std::string &path, BuiltinModules builtinModules);
  /// `name` stands for the file's name in messages; relative imports start from its folder.
  static std::shared_ptr<LoadedModule> fromText(std::string text, const std::string &name,
                                                BuiltinModules builtinModules);

  /// A file that is already parsed, possibly with errors (recoverModule). Its name is as for fromText.
  static std::shared_ptr<LoadedModule> fromSource(std::shared_ptr<const Source> source, BuiltinModules builtinModules,
                                                  ModuleSources sources);

  /// The kernel of that name. If there is none, throws DiagnosticError, which names the kernels of the file.
  virtual std::shared_ptr<const Function> function(std::string_view name) = 0;
  /// The names of the file's own `@triton.jit` functions, in the order of the file.
  virtual std::vector<std::string> functionNames() = 0;
  /// Every `@triton.jit` function in the text, also where a later one has the same name or Python alone can know
  /// whether it is defined. Functions in functions and in classes see the global names only.
  virtual std::vector<std::shared_ptr<const Function>> kernels() = 0;
  /// The global names, sorted.
  virtual std::vector<std::string> names() = 0;
  /// Where a global name is defined, imports followed as far as they lead to files; the import itself where they lead
  /// to none. None for unknown names.
  virtual std::optional<DefinitionPlace> definition(std::string_view name) = 0;
  /// What the file's global names denote.
  virtual ObjectRef lookup(std::string_view name) = 0;
};

} // namespace triton::frontend
