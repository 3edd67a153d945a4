// What the host's language says of names whose values no text shows.
#include "frontend/ModuleFile.h"

namespace triton::frontend {

std::optional<ModuleValue> ModuleFile::resolveWithHost(llvm::StringRef name) {
  std::optional<ModuleValue> value = resolve(name);
  bool isKnown = value ? value->object != nullptr : bindings.starImports.empty();
  if (isKnown || !graph.hostNames)
    return value;
  std::optional<HostValue> known = graph.hostNames(path, std::string_view(name.data(), name.size()));
  return known ? resolveHostValue(*known, name) : value;
}

/// A member of the compiler's own modules by its dotted name, or such a module; null where there is none.
static ObjectRef findMember(const BuiltinModules &modules, llvm::StringRef dotted) {
  if (ObjectRef module = modules(std::string_view(dotted.data(), dotted.size())))
    return module;
  auto [owner, name] = dotted.rsplit('.');
  ObjectRef found = owner.empty() ? nullptr : modules(std::string_view(owner.data(), owner.size()));
  const auto *module = found ? found->get<std::shared_ptr<const Module>>() : nullptr;
  return module ? (*module)->attribute(std::string_view(name.data(), name.size())) : nullptr;
}

ModuleValue ModuleFile::resolveHostValue(const HostValue &known, llvm::StringRef name) {
  ModuleValue value = ModuleValue::unknown(known.description);
  value.object = known.object;
  value.isConstexpr = known.isConstexpr;
  if (!known.member.empty()) {
    value.object = findMember(graph.builtinModules, known.member);
    value.description = "`" + known.member + "`, which this compiler does not have";
  } else if (!known.function.empty()) {
    std::shared_ptr<const Function> function = graph.load(known.file).kernelNear(known.function, known.line);
    value.object = function ? makeObject(std::move(function)) : nullptr;
    value.description = "a kernel that is no longer in " + known.file;
  } else if (!known.file.empty()) {
    return moduleOfFile(known.file, name);
  }
  return value;
}

/// Of the kernels with this name that one whose definition is the nearest: the text may have been edited.
std::shared_ptr<const Function> ModuleFile::kernelNear(llvm::StringRef name, unsigned line) {
  auto distance = [&](const std::shared_ptr<const Function> &kernel) {
    unsigned own = source->location(kernel->definition->name.range).line;
    return own > line ? own - line : line - own;
  };
  std::shared_ptr<const Function> nearest;
  for (std::shared_ptr<const Function> &kernel : kernels())
    if (kernel->name == name && (!nearest || distance(kernel) < distance(nearest)))
      nearest = kernel;
  return nearest;
}

} // namespace triton::frontend
