#include "runtime/KernelSignature.h"

#include "base/Source.h"
#include "frontend/AST.h"

#include "llvm/ADT/STLExtras.h"

using namespace triton;
using namespace triton::runtime;
using frontend::Function;
using frontend::ObjectRef;
namespace ast = frontend::ast;

/// The object that a name or a chain of attributes denotes outside the kernel; null when there is none.
static ObjectRef resolve(const ast::Expression &expression, const Function &function) {
  if (auto *name = llvm::dyn_cast<ast::Name>(&expression))
    return function.scope ? function.scope->lookup(name->id) : nullptr;
  auto *attribute = llvm::dyn_cast<ast::Attribute>(&expression);
  if (!attribute)
    return nullptr;
  ObjectRef base = resolve(*attribute->value, function);
  auto *module = base ? base->get<std::shared_ptr<const frontend::Module>>() : nullptr;
  return module && (*module)->attribute ? (*module)->attribute(attribute->attribute.name) : nullptr;
}

static ObjectRef evaluateConstant(const ast::Constant &constant) {
  switch (constant.constantKind) {
  case ast::ConstantKind::None:
    return frontend::makeNone();
  case ast::ConstantKind::Boolean:
    return frontend::makeObject(constant.boolean);
  case ast::ConstantKind::Integer:
    return frontend::makeObject(constant.integer());
  case ast::ConstantKind::Float:
    return frontend::makeObject(constant.number);
  case ast::ConstantKind::String:
    return frontend::makeObject(constant.text.str());
  case ast::ConstantKind::Imaginary:
  case ast::ConstantKind::Bytes:
  case ast::ConstantKind::Ellipsis:
    return nullptr;
  }
  return nullptr;
}

/// The value of a default: a literal, a negated number, a name of the module or a tuple of these; null otherwise.
static ObjectRef evaluateDefault(const ast::Expression &expression, const Function &function) {
  if (auto *constant = llvm::dyn_cast<ast::Constant>(&expression))
    return evaluateConstant(*constant);
  if (auto *unary = llvm::dyn_cast<ast::UnaryOp>(&expression)) {
    ObjectRef operand = evaluateDefault(*unary->operand, function);
    if (!operand || ast::spelling(unary->op) != "-")
      return nullptr;
    if (auto *integer = operand->get<llvm::APSInt>())
      return frontend::makeObject(-integer->extend(integer->getBitWidth() + 1));
    if (auto *number = operand->get<double>())
      return frontend::makeObject(-*number);
    return nullptr;
  }
  if (auto *tuple = llvm::dyn_cast<ast::Tuple>(&expression)) {
    frontend::Tuple result;
    for (const ast::Expression *element : tuple->elements)
      if (!result.elements.emplace_back(evaluateDefault(*element, function)))
        return nullptr;
    return frontend::makeObject(std::move(result));
  }
  ObjectRef object = resolve(expression, function);
  return object && object->is<frontend::Unsupported>() ? nullptr : object;
}

/// Whether an annotation is `<name>` or `tl.<name>`, where `tl` may have any alias.
static bool isLanguageName(const ast::Expression &annotation, llvm::StringRef name) {
  if (auto *attribute = llvm::dyn_cast<ast::Attribute>(&annotation))
    return attribute->attribute.name == name;
  auto *plain = llvm::dyn_cast<ast::Name>(&annotation);
  return plain && plain->id == name;
}

/// "*kT", "const *T" and "T*" besides the spellings of signatures.
static std::optional<base::ElementType> parseTypeAnnotation(llvm::StringRef text) {
  text = text.trim();
  bool isConst = text.consume_front("const ");
  std::string spelling = text.trim().str();
  if (llvm::StringRef(spelling).ends_with("*"))
    spelling = "*" + llvm::StringRef(spelling).drop_back().trim().str();
  std::optional<base::ElementType> type = base::parseElementType(spelling);
  if (type && isConst)
    type->isConst = true;
  return type;
}

static void readAnnotation(const ast::Expression &annotation, const Function &function, ParameterRule &rule) {
  if (isLanguageName(annotation, "constexpr")) {
    rule.isConstexpr = true;
  } else if (isLanguageName(annotation, "const")) {
    rule.isConst = true;
  } else if (auto *text = llvm::dyn_cast<ast::Constant>(&annotation)) {
    if (text->constantKind == ast::ConstantKind::String)
      rule.type = parseTypeAnnotation(text->text);
  } else if (ObjectRef object = resolve(annotation, function)) {
    if (auto *type = object->get<base::ElementType>())
      rule.type = *type;
  }
}

/// Whether a `do_not_specialize` list names the parameter, by name or by index.
static bool lists(const ast::Expression &list, llvm::StringRef name, std::size_t index) {
  ast::Expressions elements;
  if (auto *items = llvm::dyn_cast<ast::List>(&list))
    elements = items->elements;
  else if (auto *items = llvm::dyn_cast<ast::Tuple>(&list))
    elements = items->elements;
  return llvm::any_of(elements, [&](const ast::Expression *element) {
    auto *constant = llvm::dyn_cast<ast::Constant>(element);
    if (!constant)
      return false;
    if (constant->constantKind == ast::ConstantKind::String)
      return constant->text == name;
    return constant->constantKind == ast::ConstantKind::Integer && constant->integer() == int64_t(index);
  });
}

static void readDecorators(const ast::FunctionDef &definition, std::size_t index, ParameterRule &rule) {
  for (const ast::Expression *decorator : definition.decorators) {
    auto *call = llvm::dyn_cast<ast::Call>(decorator);
    if (!call)
      continue;
    for (const ast::Keyword &keyword : call->keywords) {
      if (keyword.name.name == "do_not_specialize")
        rule.doNotSpecialize |= lists(*keyword.value, rule.name, index);
      else if (keyword.name.name == "do_not_specialize_on_alignment")
        rule.doNotSpecializeOnAlignment |= lists(*keyword.value, rule.name, index);
    }
  }
}

std::vector<KernelParameter> runtime::readParameters(const Function &function) {
  std::vector<KernelParameter> parameters;
  for (auto [index, declared] : llvm::enumerate(function.definition->parameters)) {
    KernelParameter &parameter = parameters.emplace_back();
    parameter.rule.name = declared.name.name.str();
    if (declared.annotation)
      readAnnotation(*declared.annotation, function, parameter.rule);
    readDecorators(*function.definition, index, parameter.rule);
    parameter.hasDefault = declared.defaultValue != nullptr;
    if (auto given = function.defaults.find(parameter.rule.name); given != function.defaults.end())
      parameter.defaultValue = given->second;
    else if (declared.defaultValue)
      parameter.defaultValue = evaluateDefault(*declared.defaultValue, function);
  }
  return parameters;
}

std::string runtime::describeSignature(const Function &function) {
  std::string text = function.name + "(";
  for (const ast::Parameter &parameter : function.definition->parameters) {
    if (text.back() != '(')
      text += ", ";
    text += parameter.name.name;
    if (parameter.annotation)
      text += ": " + function.source->text(parameter.annotation->range).str();
    if (parameter.defaultValue)
      text += " = " + function.source->text(parameter.defaultValue->range).str();
  }
  return text + ")";
}
