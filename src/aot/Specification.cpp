#include "aot/Specification.h"

#include "aot/Errors.h"
#include "aot/GridExpression.h"
#include "aot/Text.h"

#include "base/DescriptorType.h"
#include "base/ScalarTypeNames.h"
#include "base/SplitAtCommas.h"
#include "frontend/KernelArgument.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SHA256.h"

namespace triton::aot {
namespace {

using llvm::StringRef;
using Passing = Parameter::Passing;

/// Words of C and C++, names that headers define, and those of the generated functions.
constexpr char reservedWords[] =
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t "
    "char8_t class co_await co_return co_yield compl concept const const_cast consteval constexpr "
    "constinit continue decltype default delete do double dynamic_cast else enum explicit export "
    "extern false float for friend goto if inline int linux long mutable namespace new noexcept not "
    "not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires "
    "restrict return short signed sizeof static static_assert static_cast struct switch template "
    "this thread_local throw true try typedef typeid typename typeof union unix unsigned using "
    "virtual void volatile wchar_t while xor xor_eq NULL EOF stdin stdout stderr errno stream "
    "algo_id typeof_unqual main i386 assert EINVAL ENOMEM ENOEXEC "
    "INT32_MAX INT64_MAX int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t memcpy";

/// Whether a parameter of a generated function cannot have the name.
bool isReserved(StringRef name) {
  static const llvm::StringSet<> words = [] {
    llvm::StringSet<> set;
    for (StringRef word : llvm::split(reservedWords, ' '))
      set.insert(word);
    return set;
  }();
  return words.contains(name) || name.starts_with("tt_") || name.starts_with("TT_") || name.starts_with("__") ||
         (name.starts_with("_") && name.size() > 1 && llvm::isUpper(name[1]));
}

/// The text of a constant, as Python's `str` gives it.
std::string textOf(const frontend::Object &constant) {
  const auto *text = constant.get<std::string>();
  return text ? *text : frontend::repr(constant);
}

[[noreturn]] void refuse(const DeclaredParameter &declared, const std::string &message) {
  throw Error("argument `" + declared.name + "`: " + message);
}

/// `*fp32:16`, `i32`, `i32:1`: a parameter that exists at run time.
void readType(Parameter &parameter, const DeclaredParameter &declared, StringRef typeText, StringRef hint) {
  std::optional<base::ElementType> type = base::parseElementType(typeText);
  if (!type && base::parseDescriptorType(typeText))
    refuse(declared, "ahead-of-time compiled kernels take no tensor descriptors; pass a pointer and make the "
                     "descriptor in the kernel with `tl.make_tensor_descriptor`");
  if (!type || type->scalar == base::ScalarType::Void)
    refuse(declared, "`" + typeText.str() + "` is neither a type nor a constant; types are " + base::shortTypeNames() +
                         " and pointers such as *fp32; constants are a number, True, False, None and \"text\"");
  parameter.type = *type;
  bool isInteger = !type->isPointer() && base::isInteger(type->scalar) && type->scalar != base::ScalarType::Int1;
  if (declared.isConstexpr)
    refuse(declared, "it is a `tl.constexpr` and needs a constant, not the type `" + typeText.str() + "`");
  if (!type->isPointer() && base::isFloat8(type->scalar))
    refuse(declared, "numbers of type `" + typeText.str() + "` are not passed by value");
  if (hint == "16") {
    if (!isInteger && !type->isPointer())
      refuse(declared, "the hint 16 is for pointers and integers, not for `" + typeText.str() + "`");
    parameter.divisibleBy16 = true;
  } else if (hint == "1") {
    if (!isInteger)
      refuse(declared, "the hint 1 is for integers, not for `" + typeText.str() + "`");
    parameter.passing = Passing::One;
    parameter.constant = frontend::makeInteger(1);
  } else if (!hint.empty()) {
    refuse(declared,
           "there is no hint `" + hint.str() + "`; 16 says that the value is a multiple of 16, and 1 that it is 1");
  }
}

Parameter readItem(const DeclaredParameter &declared, StringRef item) {
  Parameter parameter;
  parameter.name = declared.name;
  parameter.cName = cNameOf(declared.name);
  if (frontend::ObjectRef constant = frontend::readConstant(item)) {
    parameter.passing = Passing::Constant;
    parameter.constant = constant;
    return parameter;
  }
  bool hasHint = item.contains(':');
  auto [typeText, hint] = item.rsplit(':');
  if (hasHint && frontend::readConstant(typeText.trim()))
    refuse(declared, "`" + item.str() + "`: a constant has no hint");
  if (hasHint && hint.trim().empty())
    refuse(declared, "`" + item.str() + "`: a hint must follow the colon, 16 or 1");
  readType(parameter, declared, hasHint ? typeText.trim() : item, hasHint ? hint.trim() : "");
  return parameter;
}

std::string describeKernel(const Request &request) {
  auto names = llvm::map_range(request.parameters, [](const DeclaredParameter &parameter) { return parameter.name; });
  return "`" + request.kernelName + "(" + llvm::join(names, ", ") + ")`";
}

/// The item of each parameter: those of the form `name=item` first, then the others in order. Empty: there is none.
std::vector<std::string> assignItems(const Request &request, llvm::ArrayRef<StringRef> items) {
  std::vector<std::string> assigned(request.parameters.size());
  std::vector<StringRef> positional;
  for (StringRef item : items) {
    auto [name, value] = item.split('=');
    name = name.rtrim();
    bool isNamed = item.contains('=') && isIdentifier(name);
    auto found = llvm::find_if(request.parameters, [&](const auto &parameter) { return parameter.name == name; });
    if (isNamed && found == request.parameters.end())
      throw Error("the signature names `" + name.str() + "`, which is not a parameter of the kernel " +
                  describeKernel(request));
    if (!isNamed) {
      positional.push_back(item);
      continue;
    }
    std::string &place = assigned[std::size_t(found - request.parameters.begin())];
    if (!place.empty())
      refuse(*found, "the signature has two items for it");
    place = value.trim().str();
  }
  std::size_t next = 0;
  for (StringRef item : positional) {
    while (next < assigned.size() && !assigned[next].empty())
      ++next;
    if (next == assigned.size())
      throw Error("the signature has " + std::to_string(items.size()) + " items, but the kernel " +
                  describeKernel(request) + " has " + std::to_string(request.parameters.size()) + " parameters");
    if (item.empty())
      refuse(request.parameters[next], "its item in the signature is empty");
    assigned[next] = item.str();
  }
  return assigned;
}

std::vector<Parameter> readParameters(const Request &request, llvm::ArrayRef<StringRef> items) {
  std::vector<Parameter> parameters;
  for (const auto &[declared, item] : llvm::zip_equal(request.parameters, assignItems(request, items))) {
    if (!item.empty()) {
      parameters.push_back(readItem(declared, item));
    } else if (declared.hasDefault) {
      parameters.push_back({declared.name, cNameOf(declared.name), Passing::Default, {}, false, nullptr});
    } else {
      refuse(declared, "the signature has " + std::to_string(items.size()) + " items and none for this parameter of " +
                           describeKernel(request));
    }
    while (llvm::any_of(llvm::ArrayRef(parameters).drop_back(),
                        [&](const Parameter &earlier) { return earlier.cName == parameters.back().cName; }))
      parameters.back().cName += '_';
  }
  return parameters;
}

//===-- Grid --------------------------------------------------------------------------------------------------------===

/// An expression of the user with the names of C parameters; constants become their values.
std::string readExtent(const Request &request, StringRef text, llvm::ArrayRef<Parameter> parameters) {
  auto refuseExtent = [&](const std::string &message) { throw Error("grid: `" + text.str() + "`: " + message); };
  if (text.empty() || text.find_first_of(";{}#\\\"'$@`") != StringRef::npos)
    refuseExtent("this is not an expression of C");
  std::string extent = replaceIdentifiers(text, [&](StringRef word) -> std::string {
    if (isWordOfExpressions(word))
      return word.str();
    const auto *found = llvm::find_if(parameters, [&](const Parameter &parameter) { return parameter.name == word; });
    if (found == parameters.end())
      refuseExtent("`" + word.str() + "` is not a parameter of the kernel " + describeKernel(request));
    if (found->isInPrototype()) {
      if (found->type.isPointer())
        refuseExtent("`" + word.str() + "` is a pointer");
      return found->cName;
    }
    bool isNumber = found->constant && (found->constant->is<llvm::APSInt>() || found->constant->is<double>());
    if (!isNumber)
      refuseExtent("`" + word.str() + "` has no number in the signature");
    return "(" + textOf(*found->constant) + ")";
  });
  if (std::string problem = findProblem(text); !problem.empty())
    refuseExtent(problem);
  return extent;
}

std::array<std::string, 3> readGrid(const Request &request, llvm::ArrayRef<Parameter> parameters) {
  llvm::SmallVector<StringRef> parts = base::splitAtCommas(request.grid);
  if (parts.size() != 3)
    throw Error("grid: `" + request.grid + "` has " + std::to_string(parts.size()) +
                (parts.size() == 1 ? " expression" : " expressions") +
                "; give three, separated by commas, such as `(n + 63) / 64, 1, 1`");
  std::array<std::string, 3> grid;
  for (std::size_t i = 0; i < 3; ++i)
    grid[i] = readExtent(request, parts[i], parameters);
  return grid;
}

//===-- Names -------------------------------------------------------------------------------------------------------===

std::string hashOf(llvm::ArrayRef<StringRef> items, const std::string &meta) {
  std::string text;
  for (StringRef item : items)
    text += item.str() + " ";
  text += meta;
  auto digest = llvm::SHA256::hash(llvm::arrayRefFromStringRef(text));
  return llvm::toHex(digest, /*LowerCase=*/true).substr(0, 8);
}

/// "0d2c": the parameters with hints.
std::string suffixOf(llvm::ArrayRef<Parameter> parameters) {
  std::string suffix;
  for (auto [index, parameter] : llvm::enumerate(parameters)) {
    if (parameter.passing == Passing::One)
      suffix += std::to_string(index) + "c";
    else if (parameter.divisibleBy16)
      suffix += std::to_string(index) + "d";
  }
  return suffix;
}

void nameConstants(Specification &result, const std::string &meta) {
  std::vector<std::string> values, described;
  for (Passing passing : {Passing::Constant, Passing::One})
    for (const Parameter &parameter : result.parameters)
      if (parameter.passing == passing) {
        values.push_back(identifierOf(*parameter.constant));
        described.push_back(parameter.name + "=" + textOf(*parameter.constant));
      }
  described.push_back("num_warps=" + std::to_string(result.numWarps));
  described.push_back("num_stages=" + std::to_string(result.numStages));
  if (result.numCtas != 1)
    described.push_back("num_ctas=" + std::to_string(result.numCtas));
  result.algorithm = llvm::join(values, "x") + "_" + meta;
  result.describedConstants = llvm::join(described, ", ");
}

} // namespace

std::string cNameOf(StringRef name) {
  std::string result;
  for (char c : name)
    result += llvm::isAlnum(c) || c == '_' ? std::string(1, c) : "_x" + llvm::utohexstr(uint8_t(c), true);
  while (isReserved(result)) {
    if (result.starts_with('_') || StringRef(result).starts_with_insensitive("tt_"))
      result.insert(0, "p");
    else
      result += '_';
  }
  return result;
}

std::string identifierOf(const frontend::Object &constant) {
  std::string result;
  for (char c : textOf(constant))
    if (c != '+')
      result += c == '.' ? 'p' : c == '-' ? 'm' : llvm::isAlnum(c) ? c : '_';
  return result;
}

bool isIdentifier(StringRef text) {
  return !text.empty() && !llvm::isDigit(text.front()) &&
         llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

Specification readSpecification(const Request &request) {
  Specification result;
  result.kernelName = request.kernelName;
  result.outName = request.outName.empty() ? request.kernelName : request.outName;
  if (!isIdentifier(result.outName))
    throw Error("the out name `" + result.outName + "` is not an identifier of C");
  if (request.numWarps < 1 || (request.numWarps & (request.numWarps - 1)) != 0)
    throw Error("num_warps is " + std::to_string(request.numWarps) + "; it must be a power of two");
  if (request.numStages < 0)
    throw Error("num_stages is " + std::to_string(request.numStages) + "; it must not be negative");
  result.numWarps = request.numWarps;
  result.numStages = request.numStages;
  result.numCtas = request.numCtas;
  llvm::SmallVector<StringRef> items = base::splitSignature(request.signature);
  result.parameters = readParameters(request, items);
  result.grid = readGrid(request, result.parameters);
  std::string meta = "warps" + std::to_string(request.numWarps) + "xstages" + std::to_string(request.numStages);
  if (request.numCtas != 1)
    meta += "xctas" + std::to_string(request.numCtas);
  result.fileSuffix = hashOf(items, meta) + "_" + suffixOf(result.parameters);
  result.functionName = result.outName + "_" + result.fileSuffix;
  nameConstants(result, meta);
  return result;
}

} // namespace triton::aot
