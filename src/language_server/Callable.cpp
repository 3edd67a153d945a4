#include "language_server/Callable.h"

#include "frontend/Parser.h"
#include "frontend/lowering/BuiltinModules.h"
#include "frontend/lowering/Constructs.h"
#include "frontend/lowering/builtins/Libdevice.h"
#include "frontend/lowering/builtins/Prelude.h"

#include "llvm/ADT/STLExtras.h"

namespace triton::language_server {

using frontend::Builtin;
using frontend::ObjectRef;

std::string Callable::signature() const {
  std::string text = name + "(";
  for (auto [index, parameter] : llvm::enumerate(parameters))
    text += (index == 0 ? "" : ", ") + parameter.text;
  return text + ")";
}

namespace {

Callable callableOfBuiltin(const Builtin &builtin) {
  Callable callable{builtin.displayName(), {}, builtin.documentation.str()};
  if (builtin.module.ends_with("libdevice"))
    callable.documentation = frontend::libdeviceDocumentation(builtin);
  for (const frontend::BuiltinParameter &parameter : builtin.parameterList()) {
    std::string text = (parameter.takesKeywords ? "**" : parameter.isVariadic ? "*" : "") + parameter.name.str();
    if (!parameter.annotation.empty())
      text += ": " + parameter.annotation.str();
    if (parameter.hasDefault)
      text += (parameter.annotation.empty() ? "=" : " = ") + parameter.defaultText.str();
    callable.parameters.push_back(
        {parameter.name.str(), std::move(text), !parameter.isVariadic && !parameter.takesKeywords});
  }
  return callable;
}

Callable callableOfFunction(const frontend::Function &function) {
  bool isPrelude = llvm::StringRef(function.source->fileName()).starts_with("triton.language.");
  Callable callable{(isPrelude ? "tl." : "") + function.name, {}, docstring(*function.definition)};
  for (const ast::Parameter &parameter : function.definition->parameters) {
    bool isStarred =
        parameter.kind == ast::ParameterKind::VarPositional || parameter.kind == ast::ParameterKind::VarKeyword;
    callable.parameters.push_back(
        {parameter.name.name.str(), function.source->text(parameter.range).str(), !isStarred});
  }
  return callable;
}

/// The flag of builtins that are methods of such values; none when there are no methods.
std::optional<frontend::BuiltinFlags> methodFlag(ValueKind kind) {
  switch (kind) {
  case ValueKind::Tensor:
    return frontend::TensorMethod;
  case ValueKind::Descriptor:
    return frontend::DescriptorMethod;
  case ValueKind::BlockPointer:
    return frontend::BlockPointerMethod;
  default:
    return std::nullopt;
  }
}

/// The public functions of a prelude file.
std::vector<std::string> preludeNames(const frontend::PreludeFile &file) {
  std::vector<std::string> names;
  for (const ast::Statement *statement : frontend::moduleOf(frontend::preludeSource(file)).body)
    if (auto *definition = llvm::dyn_cast<ast::FunctionDef>(statement);
        definition && frontend::preludeFunction(definition->name.name))
      names.push_back(definition->name.name.str());
  return names;
}

void addSubmodules(std::vector<Member> &members, llvm::StringRef module) {
  static constexpr llvm::StringLiteral names[] = {"language", "math",  "core", "standard",
                                                  "random",   "extra", "cuda", "target_info",
                                                  "utils",    "hip",   "cpu",  "libdevice"};
  for (llvm::StringRef name : names) {
    std::string full = (module + "." + name).str();
    if (frontend::builtinModule(full))
      members.push_back({name.str(), Member::Kind::Module});
  }
}

} // namespace

std::optional<Callable> callableOf(const frontend::Object &object) {
  if (const Builtin *const *builtin = object.get<const Builtin *>())
    return callableOfBuiltin(**builtin);
  if (auto *function = object.get<std::shared_ptr<const frontend::Function>>())
    return callableOfFunction(**function);
  return std::nullopt;
}

std::optional<Callable> methodOf(ValueKind kind, llvm::StringRef name) {
  std::optional<frontend::BuiltinFlags> flag = methodFlag(kind);
  if (!flag)
    return std::nullopt;
  std::optional<Callable> callable;
  if (const Builtin *builtin = frontend::findMethod(name, *flag))
    callable = callableOfBuiltin(*builtin);
  else if (ObjectRef method = kind == ValueKind::Tensor ? frontend::preludeMethod(name) : nullptr)
    callable = callableOf(*method);
  if (!callable || callable->parameters.empty())
    return std::nullopt;
  callable->parameters.erase(callable->parameters.begin());
  callable->name = "." + name.str();
  return callable;
}

std::vector<Member> membersOfModule(llvm::StringRef module) {
  std::vector<Member> members;
  ObjectRef object = frontend::builtinModule(std::string_view(module.data(), module.size()));
  auto *found = object ? object->get<std::shared_ptr<const frontend::Module>>() : nullptr;
  if (!found)
    return members;
  auto add = [&](llvm::StringRef name, Member::Kind kind) {
    if (!name.starts_with("_") && (*found)->attribute(std::string_view(name.data(), name.size())))
      members.push_back({name.str(), kind});
  };
  bool isLibrary = module.ends_with("libdevice");
  for (const Builtin &builtin : isLibrary ? frontend::libdeviceFunctions() : frontend::builtins())
    add(builtin.name, Member::Kind::Function);
  for (const frontend::PreludeFile &file : frontend::preludeFiles())
    for (const std::string &name : preludeNames(file))
      add(name, Member::Kind::Function);
  for (unsigned type = 0; type <= static_cast<unsigned>(ScalarType::Float64); ++type)
    add(longName(static_cast<ScalarType>(type)), Member::Kind::Dtype);
  for (llvm::StringRef name : {"cdiv", "next_power_of_2"})
    if (module == "triton")
      add(name, Member::Kind::Function);
  addSubmodules(members, module);
  llvm::sort(members, [](const Member &a, const Member &b) { return a.name < b.name; });
  members.erase(llvm::unique(members, [](const Member &a, const Member &b) { return a.name == b.name; }),
                members.end());
  return members;
}

std::vector<Member> membersOfValue(ValueKind kind) {
  std::vector<Member> members;
  std::optional<frontend::BuiltinFlags> flag = methodFlag(kind);
  for (const Builtin &builtin : frontend::builtins())
    if (flag && (builtin.flags & *flag) && !builtin.name.starts_with("_"))
      members.push_back({builtin.name.str(), Member::Kind::Function});
  if (kind == ValueKind::Tensor)
    for (const frontend::PreludeFile &file : frontend::preludeFiles())
      for (const std::string &name : preludeNames(file))
        if (frontend::preludeMethod(name))
          members.push_back({name, Member::Kind::Function});
  auto addProperties = [&](std::initializer_list<llvm::StringLiteral> names) {
    for (llvm::StringRef name : names)
      members.push_back({name.str(), Member::Kind::Property});
  };
  if (kind == ValueKind::Tensor)
    addProperties({"T", "dtype", "shape", "type", "numel"});
  if (kind == ValueKind::Descriptor)
    addProperties({"dtype", "shape", "strides", "block_shape", "block_type"});
  if (kind == ValueKind::Dtype)
    addProperties({"primitive_bitwidth", "itemsize", "element_ty", "scalar", "name"});
  llvm::sort(members, [](const Member &a, const Member &b) { return a.name < b.name; });
  return members;
}

std::vector<Member> pythonNames() {
  std::vector<Member> members;
  for (const Builtin &builtin : frontend::pythonBuiltins())
    members.push_back({builtin.name.str()});
  if (frontend::findPythonBuiltin("range"))
    members.push_back({"range"});
  for (llvm::StringRef name : {"True", "False", "None"})
    members.push_back({name.str(), Member::Kind::Constant});
  return members;
}

} // namespace triton::language_server
