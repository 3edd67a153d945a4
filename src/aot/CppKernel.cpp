#include "aot/CppKernel.h"

#include "aot/Errors.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace triton::aot {
namespace {

using base::ScalarType;
using llvm::StringRef;
using Kind = CppCondition::Kind;
using Passing = Parameter::Passing;

[[noreturn]] void refuse(const Parameter &parameter, const std::string &message) {
  throw Error("argument `" + parameter.name + "`: " + message);
}

/// How a signature treats a parameter, for messages.
std::string describe(const Parameter &parameter) {
  if (parameter.isInLinkedPrototype())
    return "the type `" + parameter.type.str() + "`";
  return parameter.passing == Passing::Default ? "its default" : "the constant " + frontend::repr(*parameter.constant);
}

bool isNone(const Parameter &parameter) {
  return parameter.passing == Passing::Constant && parameter.constant->is<frontend::NoneType>();
}

/// The parameter as callers see it: an argument where some signature takes it at run time.
Parameter joinParameter(llvm::ArrayRef<Specification> specifications, std::size_t index) {
  auto inAll = llvm::map_range(specifications, [&](const Specification &each) { return &each.parameters[index]; });
  const auto found = llvm::find_if(inAll, [](const Parameter *each) { return each->isInLinkedPrototype(); });
  if (found == inAll.end())
    return specifications.front().parameters[index];
  Parameter joined = **found;
  for (const Parameter *each : inAll) {
    bool fits = each->isInLinkedPrototype() ? each->type == joined.type : isNone(*each) && joined.type.isPointer();
    if (!fits)
      refuse(joined, "one signature has " + describe(joined) + " for it and another " + describe(*each) +
                         "; an argument has one type, and may only be `None` besides it");
  }
  joined.passing = Passing::Runtime;
  joined.divisibleBy16 = false;
  return joined;
}

std::vector<CppCondition> conditionsOf(const CppKernel &kernel, const Specification &specification) {
  std::vector<CppCondition> conditions;
  for (auto [index, parameter] : llvm::enumerate(specification.parameters)) {
    if (!kernel.parameters[index].isInPrototype())
      continue;
    if (isNone(parameter))
      conditions.push_back({Kind::Null, index});
    else if (kernel.isNullable(index))
      conditions.push_back({Kind::NotNull, index});
    if (parameter.passing == Passing::One)
      conditions.push_back({Kind::One, index});
    else if (parameter.divisibleBy16)
      conditions.push_back({Kind::MultipleOf16, index});
  }
  return conditions;
}

/// A name and a description of what the callers of an operator choose: constants and options.
std::pair<std::string, std::string> nameVariant(const CppKernel &kernel, const Specification &specification) {
  std::string name, description;
  for (auto [joined, parameter] : llvm::zip_equal(kernel.parameters, specification.parameters)) {
    if (joined.isInPrototype() || parameter.passing != Passing::Constant)
      continue;
    name += parameter.cName + identifierOf(*parameter.constant) + "_";
    description += parameter.name + "=" + frontend::repr(*parameter.constant) + ", ";
  }
  std::string warps = std::to_string(specification.numWarps), stages = std::to_string(specification.numStages);
  return {name + "warps" + warps + "_stages" + stages, description + "num_warps=" + warps + ", num_stages=" + stages};
}

bool haveEqualConditions(const CppSignature &left, const CppSignature &right) {
  return llvm::equal(left.conditions, right.conditions, [](const CppCondition &a, const CppCondition &b) {
    return a.kind == b.kind && a.parameter == b.parameter;
  });
}

void addSignature(CppKernel &kernel, CppSignature signature) {
  auto [name, description] = nameVariant(kernel, signature.specification);
  auto variant =
      llvm::find_if(kernel.variants, [&](const CppVariant &each) { return each.description == description; });
  if (variant == kernel.variants.end()) {
    while (llvm::any_of(kernel.variants, [&](const CppVariant &each) { return each.name == name; }))
      name += '_'; // constants that differ only in characters that names cannot have
    kernel.variants.push_back({name, description, {}});
    variant = std::prev(kernel.variants.end());
  }
  signature.variant = std::size_t(variant - kernel.variants.begin());
  for (std::size_t earlier : variant->signatures)
    if (haveEqualConditions(kernel.signatures[earlier], signature))
      throw Error("two signatures of `" + kernel.kernelName +
                  "` have the same constants and hints, so that one would never run: " + description);
  variant->signatures.push_back(kernel.signatures.size());
  kernel.signatures.push_back(std::move(signature));
}

/// "add_kernel" → "AddKernel".
std::string classNameOf(StringRef name) {
  std::string result;
  for (StringRef word : llvm::split(name, '_'))
    if (!word.empty())
      result += llvm::toUpper(word.front()) + word.drop_front().str();
  return (result.empty() || llvm::isDigit(result.front()) ? "Kernel" + result : result) + "Operator";
}

} // namespace

std::size_t CppSignature::hintCount() const {
  return std::size_t(llvm::count_if(conditions, [](const CppCondition &each) { return each.kind != Kind::NotNull; }));
}

bool CppKernel::isNullable(std::size_t parameter) const {
  return llvm::any_of(signatures,
                      [&](const CppSignature &each) { return isNone(each.specification.parameters[parameter]); });
}

std::vector<std::string> readNamespace(const std::string &text) {
  std::vector<std::string> parts;
  for (StringRef part : llvm::split(StringRef(text), "::")) {
    if (!isIdentifier(part) || cNameOf(part) != part)
      throw Error("the namespace `" + text + "` is none of C++");
    parts.push_back(part.str());
  }
  return parts;
}

CppKernel joinSignatures(std::vector<Specification> specifications, std::vector<std::string> namespaces) {
  CppKernel kernel;
  kernel.kernelName = specifications.front().kernelName;
  kernel.functionName = cNameOf(specifications.front().outName);
  kernel.className = classNameOf(specifications.front().outName);
  kernel.namespaces = std::move(namespaces);
  for (std::size_t i = 0; i < specifications.front().parameters.size(); ++i)
    kernel.parameters.push_back(joinParameter(specifications, i));
  CppKernel all = kernel; // with every signature, which shows what may be null
  for (const Specification &specification : specifications)
    all.signatures.push_back({specification, 0, {}});
  for (Specification &specification : specifications) {
    std::vector<CppCondition> conditions = conditionsOf(all, specification);
    addSignature(kernel, {std::move(specification), 0, std::move(conditions)});
  }
  for (CppVariant &variant : kernel.variants)
    llvm::sort(variant.signatures, [&](std::size_t left, std::size_t right) {
      std::size_t hints = kernel.signatures[left].hintCount(), others = kernel.signatures[right].hintCount();
      return hints != others ? hints > others : left < right;
    });
  return kernel;
}

std::string declareCpp(const Parameter &parameter) {
  auto numberType = [](ScalarType type) -> std::string {
    if (type == ScalarType::Int1)
      return "bool";
    if (base::isFloat(type))
      return type == ScalarType::Float64 ? "double" : "float";
    return std::string(base::kind(type) == base::ScalarKind::Unsigned ? "std::uint" : "std::int") +
           std::to_string(base::bitWidth(type)) + "_t";
  };
  const base::ElementType &type = parameter.type;
  if (!type.isPointer())
    return numberType(type.scalar) + " " + parameter.cName;
  // C++17 has no types for the narrow formats of floating-point numbers.
  bool isNamed = type.pointerDepth == 1 && type.scalar != ScalarType::Void &&
                 (!base::isFloat(type.scalar) || base::bitWidth(type.scalar) >= 32);
  return (type.isConst ? "const " : "") + (isNamed ? numberType(type.scalar) : "void") + " *" + parameter.cName;
}

std::string declareAllCpp(const CppKernel &kernel) {
  std::string text;
  for (const Parameter &parameter : kernel.parameters)
    if (parameter.isInPrototype())
      text += ", " + declareCpp(parameter);
  return text;
}

} // namespace triton::aot
