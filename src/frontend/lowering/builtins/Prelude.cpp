#include "frontend/lowering/builtins/Prelude.h"

#include "base/UserErrors.h"
#include "frontend/AST.h"
#include "frontend/Parser.h"
#include "frontend/lowering/BuiltinModules.h"
#include "frontend/lowering/builtins/PreludeText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Casting.h"

#include <mutex>

namespace triton::frontend {
namespace {

class LoadedPrelude;

/// Names inside a prelude file: its own functions, `tl` and Python's `math`.
class PreludeScope : public Scope {
public:
  explicit PreludeScope(LoadedPrelude &prelude) : prelude(prelude) {}
  ObjectRef lookup(std::string_view name) override;

private:
  LoadedPrelude &prelude;
};

class LoadedPrelude {
public:
  explicit LoadedPrelude(const PreludeFile &file) {
    source = parseModule(file.module.str() + ".py", file.text.str());
    auto scope = std::make_shared<PreludeScope>(*this);
    for (const ast::Statement *statement : moduleOf(*source).body) {
      auto *definition = llvm::dyn_cast<ast::FunctionDef>(statement);
      if (!definition)
        continue;
      auto function = std::make_shared<Function>();
      function->name = function->qualifiedName = definition->name.name.str();
      function->source = source;
      function->definition = definition;
      function->place = definition->range;
      function->scope = scope;
      functions[definition->name.name] = makeObject(std::shared_ptr<const Function>(std::move(function)));
    }
  }

  ObjectRef find(llvm::StringRef name) const { return functions.lookup(name); }

  std::shared_ptr<const Source> source;

private:
  llvm::StringMap<ObjectRef> functions;
};

ObjectRef PreludeScope::lookup(std::string_view name) {
  if (name == "tl")
    return builtinModule("triton.language");
  if (name == "math")
    return builtinModule("math");
  return prelude.find(llvm::StringRef(name.data(), name.size()));
}

/// The files stay loaded until the process ends.
LoadedPrelude &load(const PreludeFile &file) {
  static std::mutex mutex;
  static llvm::StringMap<LoadedPrelude *> loaded;
  std::lock_guard lock(mutex);
  LoadedPrelude *&prelude = loaded[file.module];
  if (!prelude)
    prelude = new LoadedPrelude(file);
  return *prelude;
}

/// Whether the file defines the function. Does not parse the file.
bool defines(const PreludeFile &file, llvm::StringRef name) {
  return file.text.contains(("\ndef " + name + "(").str());
}

} // namespace

llvm::ArrayRef<PreludeFile> preludeFiles() {
  static const PreludeFile files[] = {{"triton.language.standard", preludeText::standard},
                                      {"triton.language.random", preludeText::random}};
  return files;
}

ObjectRef preludeFunction(llvm::StringRef module, llvm::StringRef name) {
  // Other people's kernels import `_log2`; the other private names stay private.
  if (name.starts_with("_") && name != "_log2")
    return nullptr;
  for (const PreludeFile &file : preludeFiles())
    if ((module.empty() || file.module == module) && defines(file, name))
      return load(file).find(name);
  return nullptr;
}

ObjectRef preludeFunction(llvm::StringRef name) { return preludeFunction("", name); }

ObjectRef preludeMethod(llvm::StringRef name) {
  static constexpr llvm::StringLiteral methods[] = {"argmax",  "argmin",  "cdiv", "cumprod", "cumsum",
                                                    "flip",    "max",     "min",  "ravel",   "reduce_or",
                                                    "sigmoid", "softmax", "sort", "sum",     "xor_sum"};
  if (llvm::is_contained(methods, name))
    return preludeFunction(name);
  // Methods alone, so that no module of the language lists the file.
  static const PreludeFile operators = {"triton.language.operators", preludeText::operators};
  return name.starts_with("__") && defines(operators, name) ? load(operators).find(name) : nullptr;
}

const Source &preludeSource(const PreludeFile &file) { return *load(file).source; }

bool isPrelude(const Source &source) { return llvm::StringRef(source.fileName()).starts_with("triton.language."); }

bool isLibrary(const Source &source) { return base::isLibraryFile(source.fileName()); }

} // namespace triton::frontend
