#include "language_server/Resolve.h"

#include "frontend/lowering/BuiltinModules.h"
#include "frontend/lowering/Constructs.h"

namespace triton::language_server {

using frontend::ObjectRef;

namespace {

/// The member of a module, a named tuple or an aggregate class.
ObjectRef memberOf(const frontend::Object &object, llvm::StringRef name) {
  std::string_view text(name.data(), name.size());
  if (auto *module = object.get<std::shared_ptr<const frontend::Module>>())
    return (*module)->attribute(text);
  if (auto *type = object.get<std::shared_ptr<const frontend::AggregateClass>>())
    return (*type)->member(text);
  if (auto *tuple = object.get<frontend::Tuple>())
    for (auto [field, element] : llvm::zip(tuple->fieldNames, tuple->elements))
      if (field == name)
        return element;
  return nullptr;
}

std::optional<Resolved> resolveLocal(const View &view, const frontend::Function &kernel,
                                     llvm::ArrayRef<std::string> parts, uint32_t offset) {
  FunctionNames names = namesOf(*kernel.definition);
  bool isLocal = llvm::any_of(names.local, [&](const Occurrence &other) { return other.name == parts.front(); });
  if (!isLocal)
    return std::nullopt;
  Resolved result;
  result.isLocal = true;
  if (!view.analysis)
    return result;
  const Fact *last = nullptr;
  if (const Occurrence *here = names.at(offset); here && here->name == parts.front())
    result.facts = view.analysis->factsAt(here->range).vec();
  if (result.facts.empty())
    if ((last = view.analysis->lastFact(parts.front(), wholeRange(*kernel.definition), offset)))
      result.facts = {*last};
  if (parts.size() == 1 || result.facts.empty())
    return result;
  Resolved member;
  member.isLocal = true;
  if (parts.size() == 2)
    member.callable = methodOf(result.facts.front().kind, parts[1]);
  return member;
}

} // namespace

std::optional<Resolved> resolve(const View &view, llvm::ArrayRef<std::string> parts, uint32_t offset) {
  if (parts.empty())
    return std::nullopt;
  const Syntax &syntax = view.document->syntax();
  if (FunctionRef kernel = syntax.kernelAt(offset))
    if (std::optional<Resolved> local = resolveLocal(view, *kernel, parts, offset))
      return local;
  Resolved result;
  result.object = syntax.module->lookup(parts.front());
  if (!result.object)
    if (const frontend::Builtin *builtin = frontend::findPythonBuiltin(parts.front()))
      result.object = frontend::makeObject(builtin);
  for (const std::string &part : parts.drop_front())
    result.object = result.object ? memberOf(*result.object, part) : nullptr;
  if (!result.object)
    return std::nullopt;
  result.callable = callableOf(*result.object);
  return result;
}

} // namespace triton::language_server
