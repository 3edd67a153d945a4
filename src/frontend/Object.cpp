#include "frontend/Object.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

namespace triton::frontend {

ObjectRef makeInteger(int64_t value) { return makeObject(llvm::APSInt::get(value)); }

ObjectRef makeNone() {
  static const ObjectRef none = makeObject(NoneType());
  return none;
}

bool allowsNonConstexprGlobals() {
  const char *value = std::getenv("TRITON_ALLOW_NON_CONSTEXPR_GLOBALS");
  return value && llvm::is_contained({"1", "true", "on", "yes", "y"}, llvm::StringRef(value).lower());
}

namespace {

std::string reprOfFloat(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  // Python takes the exponent form outside of [1e-4, 1e16); the digits are the shortest that read back the same.
  double magnitude = std::fabs(value);
  bool isFixed = magnitude == 0 || (magnitude >= 1e-4 && magnitude < 1e16);
  char digits[64];
  auto end = std::to_chars(digits, digits + sizeof(digits), value,
                           isFixed ? std::chars_format::fixed : std::chars_format::scientific)
                 .ptr;
  std::string text(digits, end);
  if (isFixed && text.find('.') == std::string::npos)
    text += ".0";
  return text;
}

std::string reprOfString(llvm::StringRef value) {
  char quote = value.contains('\'') && !value.contains('"') ? '"' : '\'';
  std::string text(1, quote);
  for (char character : value) {
    auto byte = static_cast<unsigned char>(character);
    if (character == quote || character == '\\')
      (text += '\\') += character;
    else if (character == '\n')
      text += "\\n";
    else if (character == '\r')
      text += "\\r";
    else if (character == '\t')
      text += "\\t";
    else if (byte < 0x20 || byte == 0x7F)
      text += "\\x" + llvm::utohexstr(byte, /*LowerCase=*/true, /*Width=*/2);
    else
      text += character;
  }
  return text += quote;
}

std::string reprOfTuple(const Tuple &tuple) {
  std::string text = tuple.typeName + "(";
  for (size_t i = 0; i < tuple.elements.size(); ++i) {
    if (i != 0)
      text += ", ";
    if (i < tuple.fieldNames.size())
      text += tuple.fieldNames[i] + "=";
    text += repr(*tuple.elements[i]);
  }
  bool needsComma = tuple.elements.size() == 1 && tuple.typeName.empty();
  return text += needsComma ? ",)" : ")";
}

std::string reprOfType(const ElementType &type) {
  if (!type.isPointer())
    return "triton.language." + std::string(longName(type.scalar));
  return (type.isConst ? "const_pointer<" : "pointer<") + ElementType(type.pointee()).str() + ">";
}

struct Repr {
  std::string operator()(const NoneType &) const { return "None"; }
  std::string operator()(bool value) const { return value ? "True" : "False"; }
  std::string operator()(const llvm::APSInt &value) const { return llvm::toString(value, 10); }
  std::string operator()(double value) const { return reprOfFloat(value); }
  std::string operator()(const std::string &value) const { return reprOfString(value); }
  std::string operator()(const ElementType &type) const { return reprOfType(type); }
  std::string operator()(const Tuple &tuple) const { return reprOfTuple(tuple); }
  std::string operator()(const std::shared_ptr<const Function> &function) const {
    return "<kernel " + function->qualifiedName + ">";
  }
  std::string operator()(const Builtin *) const { return "<builtin>"; }
  std::string operator()(const std::shared_ptr<const HostFunction> &function) const {
    return "<function " + function->name + ">";
  }
  std::string operator()(const std::shared_ptr<const Module> &module) const {
    return "<module '" + module->name + "'>";
  }
  std::string operator()(const NamedTupleClass &type) const { return "<class '" + type.name + "'>"; }
  std::string operator()(const Unsupported &value) const { return "<" + value.description + ">"; }
  std::string operator()(const std::shared_ptr<const AggregateClass> &type) const {
    return "<class '" + type->name + "'>";
  }
  std::string operator()(NotImplementedType) const { return "NotImplemented"; }
  std::string operator()(const std::shared_ptr<const HostObject> &object) const { return object->text; }
  std::string operator()(const ExternCall &call) const { return "<a call of " + call.symbol + ">"; }
  std::string operator()(const RuntimeValue &) const { return "<a value that exists at run time>"; }
};

} // namespace

std::string repr(const Object &object) { return std::visit(Repr(), object.storage); }

} // namespace triton::frontend
