// Names and attributes.
#include "frontend/LoweringDiagnostics.h"
#include "frontend/lowering/BuiltinModules.h"
#include "frontend/lowering/ConstantMethods.h"
#include "frontend/lowering/Constructs.h"
#include "frontend/lowering/builtins/Prelude.h"
#include "frontend/lowering/semantics/Semantics.h"

namespace triton::frontend {

/// Whether two letters next to each other are swapped and all others agree.
static bool isSwapped(llvm::StringRef a, llvm::StringRef b) {
  if (a.size() != b.size())
    return false;
  size_t first = std::mismatch(a.begin(), a.end(), b.begin()).first - a.begin();
  return first + 1 < a.size() && a[first] == b[first + 1] && a[first + 1] == b[first] &&
         a.substr(first + 2) == b.substr(first + 2);
}

llvm::StringRef closestName(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates) {
  // A name with one typing error in three letters can still be recognized.
  unsigned best = (name.size() + 1) / 3 + 1;
  llvm::StringRef closest;
  for (llvm::StringRef candidate : candidates) {
    unsigned distance =
        isSwapped(name, candidate) ? 1 : name.edit_distance(candidate, /*AllowReplacements=*/true, best);
    if (distance < best) {
      best = distance;
      closest = candidate;
    }
  }
  return closest;
}

static bool isFunctionOrType(const ObjectRef &object) {
  return object &&
         (object->is<const Builtin *>() || object->is<ElementType>() || object->is<std::shared_ptr<const Function>>());
}

std::string counterpartHelp(llvm::StringRef name) {
  auto has = [&](const char *module) {
    ObjectRef object = builtinModule(module);
    return isFunctionOrType((*object->get<std::shared_ptr<const Module>>())->attribute(name));
  };
  if (has("triton.language"))
    return ("use `tl." + name + "`").str();
  if (has("triton.language.extra.libdevice"))
    return ("use `libdevice." + name + "`, after `from triton.language.extra import libdevice`").str();
  return "";
}

[[noreturn]] static void reportUndefined(Lowering &lowering, llvm::StringRef name, SourceRange range) {
  if (std::string help = counterpartHelp(name); !help.empty()) {
    Diagnostic diagnostic = lowering.diagnose(range, diagnostics::UndefinedName, name);
    diagnostic.fix = std::move(help);
    lowering.raise(std::move(diagnostic));
  }
  llvm::SmallVector<llvm::StringRef> candidates;
  for (const auto &local : lowering.frame->locals)
    candidates.push_back(local.first());
  // Sorted, so that the order of a hash table does not decide between names that are equally near.
  llvm::sort(candidates);
  for (const Builtin &builtin : pythonBuiltins())
    candidates.push_back(builtin.name);
  llvm::StringRef closest = closestName(name, candidates);
  if (closest.empty())
    lowering.error(range, diagnostics::UndefinedName, name);
  lowering.error(range, diagnostics::MisspelledName, name, closest);
}

static Value localValue(Lowering &lowering, llvm::StringRef name, const Variable &variable, SourceRange range) {
  switch (variable.state) {
  case Variable::State::Defined:
    return variable.value;
  case Variable::State::Declared:
    lowering.error(range, diagnostics::DeclaredWithoutValue, name);
  case Variable::State::Partial:
    lowering.raise(lowering.diagnose(range, diagnostics::PartiallyDefinedName, name)
                       .note(diagnostics::AssignedHere, lowering.source(), variable.range));
  case Variable::State::OfLoop:
    lowering.raise(lowering.diagnose(range, diagnostics::NameOfLoop, name)
                       .note(diagnostics::AssignedHere, lowering.source(), variable.range));
  case Variable::State::Replaced:
    lowering.raise(lowering.diagnose(range, diagnostics::ReplacedName, name)
                       .note(diagnostics::AssignedHere, lowering.source(), variable.range));
  case Variable::State::Unknown:
    throw UnknownNameRead();
  }
  llvm_unreachable("every state returns");
}

/// Reports a global that kernels cannot use. An editor has no Python that would know what it is.
[[noreturn]] static void refuseGlobal(Lowering &lowering, llvm::StringRef name, const Unsupported &global,
                                      SourceRange range) {
  if (global.isUnknown && lowering.options.observer)
    throw UnknownNameRead();
  if (llvm::StringRef(global.description).starts_with("the module "))
    lowering.error(range, diagnostics::ModuleNotUsable, name, global.description);
  lowering.error(range, diagnostics::GlobalNotUsable, name, global.description);
}

Value lowerName(Lowering &lowering, llvm::StringRef name, SourceRange range) {
  FunctionFrame &frame = *lowering.frame;
  if (auto local = frame.locals.find(name); local != frame.locals.end())
    return localValue(lowering, name, local->second, range);
  if (frame.function->scope)
    if (ObjectRef object = frame.function->scope->lookup(std::string_view(name.data(), name.size()))) {
      if (const auto *unsupported = object->get<Unsupported>())
        refuseGlobal(lowering, name, *unsupported, range);
      return Value(std::move(object));
    }
  if (const Builtin *builtin = findPythonBuiltin(name))
    return Value(makeObject(builtin));
  if (name == "NotImplemented")
    return Value(makeObject(NotImplementedType()));
  reportUndefined(lowering, name, range);
}

std::optional<Value> findAttribute(Lowering &lowering, const Value &value, llvm::StringRef name) {
  if (const auto *module = value.as<std::shared_ptr<const Module>>()) {
    ObjectRef object = (*module)->attribute(std::string_view(name.data(), name.size()));
    return object ? std::optional<Value>(Value(std::move(object))) : std::nullopt;
  }
  if (const auto *host = value.as<std::shared_ptr<const HostObject>>(); host && name != "value") {
    ObjectRef object = (*host)->attribute(std::string_view(name.data(), name.size()));
    return object ? std::optional<Value>(Value(std::move(object))) : std::nullopt;
  }
  if (const TupleValue *tuple = value.tuple())
    if (const Value *field = tuple->field(name))
      return *field;
  if (value.aggregate() || value.as<std::shared_ptr<const AggregateClass>>())
    return aggregateAttribute(lowering, value, name);
  if (std::optional<Value> found = attribute(lowering, value, name))
    return found;
  // The value that a `tl.constexpr` wraps is already unwrapped here.
  if (name == "value" && value.isCompileTime())
    return value;
  if (const Object *constant = value.constant())
    if (ObjectRef method = constantMethod(*constant, name))
      return Value(std::move(method));
  return std::nullopt;
}

/// The names in one of the compiler's own modules, for suggestions.
static llvm::StringRef closestAttribute(const Value &value, llvm::StringRef name) {
  llvm::SmallVector<llvm::StringRef> candidates;
  const auto *module = value.as<std::shared_ptr<const Module>>();
  if (module && (*module)->name == "triton.language") {
    for (const Builtin &builtin : builtins())
      candidates.push_back(builtin.name);
  } else if (const TupleValue *tuple = value.composite()) {
    candidates.assign(tuple->fieldNames.begin(), tuple->fieldNames.end());
  } else if (value.tensor() || value.buffer()) {
    for (const Builtin &builtin : builtins())
      if (builtin.flags & (value.tensor()                       ? TensorMethod
                           : value.buffer()->isInTensorMemory() ? MatrixMethod
                                                                : BufferMethod))
        candidates.push_back(builtin.name);
  }
  return closestName(name, candidates);
}

Value lowerAttribute(Lowering &lowering, const Value &value, const ast::Identifier &attribute, SourceRange range) {
  RangeScope scope(lowering, range);
  if (std::optional<Value> found = findAttribute(lowering, value, attribute.name)) {
    if (const auto *unsupported = found->as<Unsupported>())
      refuseGlobal(lowering, attribute.name, *unsupported, attribute.range);
    return *found;
  }
  const auto *module = value.as<std::shared_ptr<const Module>>();
  bool isOfLanguage = value.tensor() || (module && llvm::StringRef((*module)->name).starts_with("triton."));
  if (std::string help = isOfLanguage ? counterpartHelp(attribute.name) : ""; !help.empty()) {
    Diagnostic diagnostic =
        lowering.diagnose(attribute.range, diagnostics::NoSuchAttribute, value.describe(), attribute.name);
    diagnostic.fix = std::move(help);
    lowering.raise(std::move(diagnostic));
  }
  llvm::StringRef closest = closestAttribute(value, attribute.name);
  if (closest.empty())
    lowering.error(attribute.range, diagnostics::NoSuchAttribute, value.describe(), attribute.name);
  lowering.error(attribute.range, diagnostics::MisspelledAttribute, value.describe(), attribute.name, closest);
}

} // namespace triton::frontend
