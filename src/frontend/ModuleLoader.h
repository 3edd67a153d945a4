// Loads kernels from a `.py` file without a Python interpreter. This is the second implementation of name resolution.
// The file's module-level statements are read, not run: imports, `@triton.jit` functions, constants, named tuples.
// Everything else in the file (NumPy or PyTorch code, classes, a main program) is ignored.
#pragma once

#include "frontend/Object.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace triton::frontend {

/// Finds the compiler's own modules by their name (lowering/BuiltinModules.h); null for others.
using BuiltinModules = std::function<ObjectRef(std::string_view name)>;

/// A loaded file. The file, its sibling modules and their functions live as long as any pointer to one of them.
class LoadedModule {
public:
  virtual ~LoadedModule() = default;

  /// Throws DiagnosticError when the file cannot be read or parsed.
  static std::shared_ptr<LoadedModule> fromFile(const std::string &path, BuiltinModules builtinModules);
  /// `name` stands for the file's name in messages; relative imports start from its folder.
  static std::shared_ptr<LoadedModule> fromText(std::string text, const std::string &name,
                                                BuiltinModules builtinModules);

  /// The kernel of that name. If there is none, throws DiagnosticError, which names the kernels of the file.
  virtual std::shared_ptr<const Function> function(std::string_view name) = 0;
  /// The names of the file's own `@triton.jit` functions, in the order of the file.
  virtual std::vector<std::string> functionNames() = 0;
  /// What the file's global names denote.
  virtual ObjectRef lookup(std::string_view name) = 0;
};

} // namespace triton::frontend
