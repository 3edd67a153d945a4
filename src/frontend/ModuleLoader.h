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

/// What the host's language knows of a global name whose value no text shows.
struct HostValue {
  /// A number, a text, None, a type or a tuple of these; null when one of the next members says what it is.
  ObjectRef object;
  bool isConstexpr = false;
  std::string member;      ///< of the compiler's own modules, such as "triton.language.exp2", or such a module
  std::string file;        ///< that defines `function`, or that is the module
  std::string function;    ///< a kernel; empty for a module
  unsigned line = 0;       ///< of the function's `def`, where the host has read it
  std::string description; ///< for messages, of what kernels cannot use
};

/// What a global name of a file denotes; none where the host does not know it either.
using HostNames = std::function<std::optional<HostValue>(const std::string &file, std::string_view name)>;

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
  /// `hostNames` is asked for what kernels read and only the host's language can compute.
  static std::shared_ptr<LoadedModule> fromText(std::string text, const std::string &name,
                                                BuiltinModules builtinModules, HostNames hostNames = nullptr);

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
  /// The value of an expression over the file's global names, such as a layout; null where it is not known.
  virtual ObjectRef evaluate(std::string_view text) = 0;
};

} // namespace triton::frontend
