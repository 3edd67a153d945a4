#include "frontend/lowering/builtins/Builtin.h"
#include "frontend/lowering/builtins/Functions.h"
#include "frontend/lowering/builtins/Libdevice.h"
#include "frontend/lowering/builtins/ProfilerScopes.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

namespace triton::frontend {
namespace {

constexpr llvm::StringLiteral moduleOf(unsigned flags) {
  return flags & CoreOnly           ? llvm::StringLiteral("triton.language.core")
         : flags & TargetInfoModule ? llvm::StringLiteral("triton.language.target_info")
         : flags & CudaModule       ? llvm::StringLiteral("triton.language.extra.cuda.utils")
         : flags & HipModule        ? llvm::StringLiteral("triton.language.extra.hip.utils")
         : flags & GluonModule      ? gluonModule
                                    : llvm::StringLiteral("triton.language");
}

Builtin languageBuiltins[] = {
#define TRITON_BUILTIN(function, name, group, flags, parameters, result, documentation)                                \
  {name, group, moduleOf(flags), flags, parameters, result, documentation, builtin::function},
#include "frontend/lowering/builtins/Builtins.def"
};

using NameMap = llvm::StringMap<const Builtin *>;

struct Index {
  NameMap functions, ofModules, tensorMethods, descriptorMethods, blockPointerMethods, bufferMethods, matrixMethods;

  Index() {
    for (const Builtin &builtin : languageBuiltins) {
      if (builtin.flags & (TargetInfoModule | CudaModule | HipModule | GluonModule))
        ofModules[(builtin.module + "." + builtin.pythonName()).str()] = &builtin;
      else if (!(builtin.flags & onlyMethods))
        functions[builtin.name] = &builtin;
      if (builtin.flags & TensorMethod)
        tensorMethods[builtin.name] = &builtin;
      if (builtin.flags & DescriptorMethod)
        descriptorMethods[builtin.name] = &builtin;
      if (builtin.flags & BlockPointerMethod)
        blockPointerMethods[builtin.name] = &builtin;
      if (builtin.flags & BufferMethod)
        bufferMethods[builtin.name] = &builtin;
      if (builtin.flags & MatrixMethod)
        matrixMethods[builtin.name] = &builtin;
    }
  }
};

const Index &index() {
  static const Index index;
  return index;
}

/// Splits a parameter list at its top-level commas.
llvm::SmallVector<llvm::StringRef, 8> splitParameters(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef, 8> parts;
  size_t begin = 0;
  int depth = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"')
      inString = !inString;
    else if (!inString && text[i] == '(')
      ++depth;
    else if (!inString && text[i] == ')')
      --depth;
    else if (!inString && depth == 0 && text[i] == ',') {
      parts.push_back(text.slice(begin, i).trim());
      begin = i + 1;
    }
  }
  if (!text.trim().empty())
    parts.push_back(text.substr(begin).trim());
  return parts;
}

/// The value of a default: the few literals that the tables use.
ObjectRef parseDefault(llvm::StringRef text) {
  if (text == "None")
    return makeNone();
  if (text == "True" || text == "False")
    return makeObject(text == "True");
  if (text == "()")
    return makeObject(Tuple());
  if (text.consume_front("PropagateNan."))
    return builtin::propagateNanObject(text);
  if (text == "\"\\n\"")
    return makeObject(std::string("\n"));
  if (text.starts_with("\""))
    return makeObject(text.drop_front().drop_back().str());
  if (std::optional<ScalarType> type = parseScalarType(std::string_view(text.data(), text.size())))
    return makeObject(ElementType{*type});
  int64_t integer = 0;
  [[maybe_unused]] bool failed = text.getAsInteger(10, integer);
  assert(!failed && "a default of the builtins table is none of the known literals");
  return makeInteger(integer);
}

std::vector<BuiltinParameter> parseParameters(llvm::StringRef text) {
  std::vector<BuiltinParameter> parameters;
  bool isKeywordOnly = false;
  for (llvm::StringRef part : splitParameters(text)) {
    if (part == "*") {
      isKeywordOnly = true;
      continue;
    }
    BuiltinParameter parameter;
    parameter.isKeywordOnly = isKeywordOnly;
    parameter.takesKeywords = part.consume_front("**");
    parameter.isVariadic = part.consume_front("*");
    isKeywordOnly |= parameter.isVariadic;
    auto [declaration, defaultText] = part.split('=');
    auto [name, annotation] = declaration.split(':');
    parameter.name = name.trim();
    parameter.annotation = annotation.trim();
    parameter.hasDefault = part.contains('=');
    parameter.defaultText = defaultText.trim();
    if (parameter.hasDefault)
      parameter.defaultValue = parseDefault(parameter.defaultText);
    parameters.push_back(parameter);
  }
  return parameters;
}

} // namespace

std::string Builtin::displayName() const {
  if (flags & onlyMethods)
    return "." + name.str();
  if (flags & GluonModule)
    return "ttgl." + name.str();
  if (!module.starts_with("triton.language"))
    return name.str();
  llvm::StringRef prefix = llvm::StringSwitch<llvm::StringRef>(module)
                               .Case("triton.language.core", "tl.core.")
                               .Case("triton.language.target_info", "tl.target_info.")
                               .Case("triton.language.extra.cuda.utils", "tl.extra.cuda.")
                               .Case("triton.language.extra.hip.utils", "tl.extra.hip.")
                               .Default(module.ends_with("libdevice") ? "libdevice." : "tl.");
  return (prefix + name).str();
}

std::string Builtin::pythonName() const {
  std::string result = name.str();
  std::replace(result.begin(), result.end(), '.', '_');
  return result;
}

std::string Builtin::signature() const {
  std::string text = displayName() + "(";
  llvm::StringRef separator = "";
  bool isKeywordOnly = false;
  for (const BuiltinParameter &parameter : parameterList()) {
    if (parameter.isKeywordOnly && !isKeywordOnly) {
      text += separator.str() + "*";
      separator = ", ";
    }
    isKeywordOnly |= parameter.isKeywordOnly || parameter.isVariadic;
    llvm::StringRef mark = parameter.takesKeywords ? "**" : parameter.isVariadic ? "*" : "";
    text += separator.str() + mark.str() + parameter.name.str();
    if (parameter.hasDefault)
      text += "=" + parameter.defaultText.str();
    separator = ", ";
  }
  return text + ")";
}

llvm::ArrayRef<BuiltinParameter> Builtin::parameterList() const {
  std::call_once(parsedOnce, [this] { parsed = parseParameters(parameters); });
  return parsed;
}

llvm::ArrayRef<Builtin> builtins() { return languageBuiltins; }

const Builtin *findBuiltin(llvm::StringRef module, llvm::StringRef name) {
  if (module.ends_with("libdevice"))
    return findLibdeviceFunction(name);
  if (module == profilerModule)
    return findProfilerFunction(name);
  if (const Builtin *builtin = index().ofModules.lookup((module + "." + name).str()))
    return builtin;
  if (module == moduleOf(TargetInfoModule) || module == moduleOf(CudaModule) || module == moduleOf(HipModule) ||
      module == gluonModule)
    return nullptr;
  const Builtin *builtin = index().functions.lookup(name);
  if (!builtin || (module == "triton.language.math" && !(builtin->flags & MathModule)) ||
      ((builtin->flags & CoreOnly) && module != "triton.language.core"))
    return nullptr;
  return builtin;
}

const Builtin *findMethod(llvm::StringRef name, BuiltinFlags flag) {
  const NameMap &methods = flag == DescriptorMethod     ? index().descriptorMethods
                           : flag == BlockPointerMethod ? index().blockPointerMethods
                           : flag == BufferMethod       ? index().bufferMethods
                           : flag == MatrixMethod       ? index().matrixMethods
                                                        : index().tensorMethods;
  return methods.lookup(name);
}

} // namespace triton::frontend
