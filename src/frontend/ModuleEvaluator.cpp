// Module-level expressions, evaluated without Python: constants, arithmetic on them, names, members of modules, and
// calls of the few functions that make constants and types.
#include "frontend/ModuleFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

namespace triton::frontend {

using llvm::APSInt;
using llvm::cast;
using llvm::dyn_cast;

namespace {

/// Products and shifts beyond this width are left to Python.
constexpr unsigned maximumBits = 4096;

bool isTypingName(llvm::StringRef name, llvm::StringRef member) {
  return name == ("typing." + member).str() || name == ("typing_extensions." + member).str();
}

APSInt trimmed(const llvm::APInt &value) {
  return APSInt(value.trunc(std::max(value.getSignificantBits(), 2u)), /*isUnsigned=*/false);
}

llvm::APInt floorDivide(const llvm::APInt &x, const llvm::APInt &y) {
  return llvm::APIntOps::RoundingSDiv(x, y, llvm::APInt::Rounding::DOWN);
}

/// `a op b` of integers; null when it is an error in Python or too large.
ObjectRef foldIntegers(ast::BinaryOperator op, const APSInt &left, const APSInt &right) {
  unsigned width = left.getBitWidth() + right.getBitWidth() + 1;
  if (width > maximumBits)
    return nullptr;
  llvm::APInt a = left.sext(width), b = right.sext(width);
  auto integer = [](const llvm::APInt &value) { return makeObject(trimmed(value)); };
  switch (op) {
  case ast::BinaryOperator::Add:
    return integer(a + b);
  case ast::BinaryOperator::Sub:
    return integer(a - b);
  case ast::BinaryOperator::Mult:
    return integer(a * b);
  case ast::BinaryOperator::FloorDiv:
    return b.isZero() ? nullptr : integer(floorDivide(a, b));
  case ast::BinaryOperator::Mod:
    return b.isZero() ? nullptr : integer(a - floorDivide(a, b) * b);
  case ast::BinaryOperator::Div:
    return b.isZero() ? nullptr : makeObject(a.signedRoundToDouble() / b.signedRoundToDouble());
  case ast::BinaryOperator::BitOr:
    return integer(a | b);
  case ast::BinaryOperator::BitXor:
    return integer(a ^ b);
  case ast::BinaryOperator::BitAnd:
    return integer(a & b);
  case ast::BinaryOperator::LShift:
  case ast::BinaryOperator::RShift:
  case ast::BinaryOperator::Pow:
    break;
  case ast::BinaryOperator::MatMult:
    return nullptr;
  }
  if (b.isNegative() || b.ugt(maximumBits))
    return nullptr;
  auto count = static_cast<unsigned>(b.getZExtValue());
  if (op == ast::BinaryOperator::RShift)
    return integer(a.ashr(std::min(count, width - 1)));
  if (op == ast::BinaryOperator::LShift)
    return width + count > maximumBits ? nullptr : integer(a.sext(width + count).shl(count));
  if (a.getSignificantBits() * uint64_t(count) > maximumBits)
    return nullptr;
  llvm::APInt power(maximumBits, 1), base = a.sext(maximumBits);
  for (unsigned i = 0; i < count; ++i)
    power *= base;
  return integer(power);
}

ObjectRef foldFloats(ast::BinaryOperator op, double a, double b) {
  switch (op) {
  case ast::BinaryOperator::Add:
    return makeObject(a + b);
  case ast::BinaryOperator::Sub:
    return makeObject(a - b);
  case ast::BinaryOperator::Mult:
    return makeObject(a * b);
  case ast::BinaryOperator::Div:
    return b == 0 ? nullptr : makeObject(a / b);
  case ast::BinaryOperator::Pow:
    return a <= 0 ? nullptr : makeObject(std::pow(a, b));
  default:
    return nullptr;
  }
}

std::optional<APSInt> asInteger(const Object &object) {
  if (auto *integer = object.get<APSInt>())
    return *integer;
  if (auto *boolean = object.get<bool>())
    return APSInt::get(*boolean ? 1 : 0);
  return std::nullopt;
}

std::optional<double> asFloat(const Object &object) {
  if (auto *number = object.get<double>())
    return *number;
  std::optional<APSInt> integer = asInteger(object);
  return integer ? std::optional<double>(integer->signedRoundToDouble()) : std::nullopt;
}

ObjectRef foldBinary(ast::BinaryOperator op, const Object &left, const Object &right) {
  std::optional<APSInt> a = asInteger(left), b = asInteger(right);
  if (a && b)
    return foldIntegers(op, *a, *b);
  std::optional<double> x = asFloat(left), y = asFloat(right);
  if (x && y)
    return foldFloats(op, *x, *y);
  auto *text = left.get<std::string>();
  auto *moreText = right.get<std::string>();
  return op == ast::BinaryOperator::Add && text && moreText ? makeObject(*text + *moreText) : nullptr;
}

ObjectRef foldUnary(ast::UnaryOperator op, const Object &operand) {
  if (op == ast::UnaryOperator::Not) {
    auto *boolean = operand.get<bool>();
    return boolean ? makeObject(!*boolean) : nullptr;
  }
  if (std::optional<APSInt> value = asInteger(operand)) {
    llvm::APInt wide = value->sext(value->getBitWidth() + 1);
    return makeObject(trimmed(op == ast::UnaryOperator::USub     ? -wide
                              : op == ast::UnaryOperator::Invert ? ~wide
                                                                 : wide));
  }
  if (std::optional<double> value = asFloat(operand); value && op != ast::UnaryOperator::Invert)
    return makeObject(op == ast::UnaryOperator::USub ? -*value : *value);
  return nullptr;
}

} // namespace

class ModuleEvaluator {
public:
  ModuleEvaluator(ModuleFile &file, unsigned order) : file(file), order(order) {}

  ModuleValue evaluate(const ast::Expression &expression) {
    return llvm::TypeSwitch<const ast::Node *, ModuleValue>(&expression)
        .Case<ast::Constant, ast::Name, ast::Attribute, ast::Tuple, ast::BinOp, ast::UnaryOp, ast::Subscript,
              ast::Call>([&](auto *node) { return evaluateNode(*node); })
        .Case<ast::List>([](auto *) { return ModuleValue::unknown("a list"); })
        .Case<ast::Dict>([](auto *) { return ModuleValue::unknown("a dict"); })
        .Case<ast::Set>([](auto *) { return ModuleValue::unknown("a set"); })
        .Case<ast::Lambda>([](auto *) { return ModuleValue::unknown("a lambda"); })
        .Default([](auto *) { return ModuleValue(); });
  }

private:
  ModuleValue evaluateNode(const ast::Constant &node) {
    switch (node.constantKind) {
    case ast::ConstantKind::None:
      return ModuleValue::of(makeNone());
    case ast::ConstantKind::Boolean:
      return ModuleValue::of(makeObject(node.boolean));
    case ast::ConstantKind::Integer:
      return ModuleValue::of(makeObject(node.integer()));
    case ast::ConstantKind::Float:
      return ModuleValue::of(makeObject(node.number));
    case ast::ConstantKind::String:
      return ModuleValue::of(makeObject(node.text.str()));
    case ast::ConstantKind::Imaginary:
      return ModuleValue::unknown("a complex number");
    case ast::ConstantKind::Bytes:
      return ModuleValue::unknown("a bytes object");
    case ast::ConstantKind::Ellipsis:
      return ModuleValue::unknown("an ellipsis");
    }
    llvm_unreachable("unknown kind of constant");
  }

  ModuleValue evaluateNode(const ast::Name &node) {
    if (std::optional<ModuleValue> value = file.resolve(node.id, order))
      return *value;
    ModuleValue builtin;
    builtin.qualifiedName = ("builtins." + node.id).str();
    return builtin;
  }

  ModuleValue evaluateNode(const ast::Attribute &node) {
    return moduleMember(evaluate(*node.value), node.attribute.name);
  }

  ModuleValue evaluateNode(const ast::Tuple &node) {
    Tuple tuple;
    bool isConstexpr = true;
    for (const ast::Expression *element : node.elements) {
      ModuleValue value = evaluate(*element);
      if (!value.object)
        return ModuleValue::unknown("a tuple");
      isConstexpr &= value.isConstexpr;
      tuple.elements.push_back(std::move(value.object));
    }
    ModuleValue value = ModuleValue::of(makeObject(std::move(tuple)));
    value.isConstexpr = isConstexpr && !node.elements.empty();
    return value;
  }

  ModuleValue evaluateNode(const ast::BinOp &node) {
    ModuleValue left = evaluate(*node.left), right = evaluate(*node.right);
    if (!left.object || !right.object)
      return {};
    ModuleValue value = ModuleValue::of(foldBinary(node.op, *left.object, *right.object));
    value.isConstexpr = left.isConstexpr || right.isConstexpr;
    return value;
  }

  ModuleValue evaluateNode(const ast::UnaryOp &node) {
    ModuleValue operand = evaluate(*node.operand);
    if (!operand.object)
      return {};
    ModuleValue value = ModuleValue::of(foldUnary(node.op, *operand.object));
    value.isConstexpr = operand.isConstexpr;
    return value;
  }

  ModuleValue evaluateNode(const ast::Subscript &node) {
    ModuleValue value = evaluate(*node.value), index = evaluate(*node.index);
    auto *tuple = value.object ? value.object->get<Tuple>() : nullptr;
    std::optional<APSInt> position = index.object ? asInteger(*index.object) : std::nullopt;
    if (!tuple || !position || position->getSignificantBits() > 32)
      return {};
    auto size = static_cast<int64_t>(tuple->elements.size());
    int64_t at = position->getSExtValue();
    at += at < 0 ? size : 0;
    if (at < 0 || at >= size)
      return {};
    ModuleValue element = ModuleValue::of(tuple->elements[at]);
    element.isConstexpr = value.isConstexpr;
    return element;
  }

  ModuleValue evaluateNode(const ast::Call &node) {
    ModuleValue function = evaluate(*node.function);
    llvm::StringRef name = function.qualifiedName;
    if (isConstexprClass(name))
      return makeConstexpr(node);
    if (isJit(name) || isGluonJit(name))
      return makeKernel(node, isGluonJit(name));
    if (name == "collections.namedtuple" || isTypingName(name, "NamedTuple"))
      return makeNamedTupleClass(node);
    if (!function.object)
      return {};
    if (auto *host = function.object->get<std::shared_ptr<const HostFunction>>(); host && (*host)->call)
      return callHost(**host, node);
    if (auto *host = function.object->get<std::shared_ptr<const HostObject>>(); host && (*host)->call)
      return callHost(*(*host)->call, node);
    if (auto *type = function.object->get<NamedTupleClass>())
      return makeNamedTuple(*type, node);
    return {};
  }

  ModuleValue makeConstexpr(const ast::Call &node) {
    bool isByKeyword = node.arguments.empty() && node.keywords.size() == 1 && node.keywords[0].name.name == "value";
    if (!isByKeyword && (node.arguments.size() != 1 || !node.keywords.empty()))
      return {};
    ModuleValue value = evaluate(isByKeyword ? *node.keywords[0].value : *node.arguments[0]);
    if (!value.object)
      return ModuleValue::unknown("a constexpr whose value only Python can compute");
    value.isConstexpr = true;
    return value;
  }

  /// `kernel = triton.jit(function)`.
  ModuleValue makeKernel(const ast::Call &node, bool isGluon) {
    auto *name = node.arguments.size() == 1 ? dyn_cast<ast::Name>(node.arguments[0]) : nullptr;
    if (!name)
      return {};
    auto found = file.bindings.names.find(name->id);
    if (found == file.bindings.names.end() || found->second.back().kind != ModuleBinding::Kind::Function)
      return {};
    const auto &definition = *cast<ast::FunctionDef>(found->second.back().node);
    return ModuleValue::of(file.kernelObject(definition, {.isJit = true, .isGluon = isGluon}));
  }

  /// The names in `"x y"`, `"x, y"`, `["x", "y"]` and `[("x", int), ("y", int)]`.
  static std::optional<std::vector<std::string>> fieldNames(const ast::Expression &expression) {
    auto textOf = [](const ast::Expression *node) -> std::optional<llvm::StringRef> {
      auto *constant = dyn_cast<ast::Constant>(node);
      bool isText = constant && constant->constantKind == ast::ConstantKind::String;
      return isText ? std::optional(constant->text) : std::nullopt;
    };
    std::vector<std::string> names;
    if (std::optional<llvm::StringRef> text = textOf(&expression)) {
      llvm::SmallVector<llvm::StringRef> words;
      llvm::SplitString(*text, words, " ,\t\n");
      return std::vector<std::string>(words.begin(), words.end());
    }
    auto *list = dyn_cast<ast::List>(&expression);
    auto *tuple = dyn_cast<ast::Tuple>(&expression);
    if (!list && !tuple)
      return std::nullopt;
    for (const ast::Expression *element : list ? list->elements : tuple->elements) {
      auto *pair = dyn_cast<ast::Tuple>(element);
      std::optional<llvm::StringRef> name = textOf(pair && !pair->elements.empty() ? pair->elements[0] : element);
      if (!name)
        return std::nullopt;
      names.push_back(name->str());
    }
    return names;
  }

  ModuleValue makeNamedTupleClass(const ast::Call &node) {
    if (node.arguments.size() != 2)
      return ModuleValue::unknown("a namedtuple class that only Python can make");
    ModuleValue name = evaluate(*node.arguments[0]);
    auto *text = name.object ? name.object->get<std::string>() : nullptr;
    std::optional<std::vector<std::string>> fields = fieldNames(*node.arguments[1]);
    if (!text || !fields)
      return ModuleValue::unknown("a namedtuple class that only Python can make");
    return ModuleValue::of(makeObject(NamedTupleClass{*text, std::move(*fields)}));
  }

  ModuleValue makeNamedTuple(const NamedTupleClass &type, const ast::Call &node) {
    Tuple tuple;
    tuple.typeName = type.name;
    tuple.fieldNames = type.fieldNames;
    tuple.elements.resize(type.fieldNames.size());
    if (node.arguments.size() > tuple.elements.size())
      return {};
    for (size_t i = 0; i < node.arguments.size(); ++i)
      tuple.elements[i] = evaluate(*node.arguments[i]).object;
    for (const ast::Keyword &keyword : node.keywords) {
      auto field = llvm::find(type.fieldNames, keyword.name.name);
      if (field != type.fieldNames.end())
        tuple.elements[field - type.fieldNames.begin()] = evaluate(*keyword.value).object;
    }
    if (llvm::is_contained(tuple.elements, nullptr))
      return ModuleValue::unknown("a `" + type.name + "`");
    return ModuleValue::of(makeObject(std::move(tuple)));
  }

  /// A list counts as a tuple: who is called does not keep it.
  ObjectRef evaluateArgument(const ast::Expression &expression) {
    auto *list = dyn_cast<ast::List>(&expression);
    if (!list)
      return evaluate(expression).object;
    Tuple tuple;
    for (const ast::Expression *element : list->elements)
      tuple.elements.push_back(evaluateArgument(*element));
    return llvm::is_contained(tuple.elements, nullptr) ? nullptr : makeObject(std::move(tuple));
  }

  ModuleValue callHost(const HostFunction &function, const ast::Call &node) {
    std::vector<ObjectRef> arguments;
    std::map<std::string, ObjectRef> keywords;
    for (const ast::Expression *argument : node.arguments)
      arguments.push_back(evaluateArgument(*argument));
    for (const ast::Keyword &keyword : node.keywords)
      keywords[keyword.name.name.str()] = evaluateArgument(*keyword.value);
    bool isKnown = !llvm::is_contained(arguments, nullptr) &&
                   llvm::all_of(keywords, [](const auto &entry) { return entry.second && !entry.first.empty(); });
    if (!isKnown)
      return {};
    try {
      return ModuleValue::of(function.call(arguments, keywords));
    } catch (const std::runtime_error &) {
      // Python would fail here as well, before any kernel runs.
      return {};
    }
  }

  static bool isConstexprClass(llvm::StringRef name) {
    return name == "triton.language.constexpr" || name == "triton.language.core.constexpr";
  }
  static bool isJit(llvm::StringRef name) {
    return name == "triton.jit" || name == "triton.runtime.jit" || name == "triton.runtime.jit.jit";
  }
  static bool isGluonJit(llvm::StringRef name) {
    return name == "triton.experimental.gluon.jit" || name == "triton.experimental.gluon._runtime.jit" ||
           name == "triton.experimental.gluon._jit.jit";
  }
  friend class ModuleFile;

  ModuleFile &file;
  unsigned order;
};

ModuleValue evaluateModuleExpression(ModuleFile &file, const ast::Expression &expression, unsigned order) {
  return ModuleEvaluator(file, order).evaluate(expression);
}

ModuleValue moduleMember(const ModuleValue &value, llvm::StringRef name) {
  if (value.file) {
    std::optional<ModuleValue> member = value.file->resolve(name);
    return member ? *member : ModuleValue::unknown("a name that its module does not define");
  }
  ModuleValue member;
  if (!value.qualifiedName.empty())
    member.qualifiedName = value.qualifiedName + "." + name.str();
  if (!value.object)
    return member;
  if (auto *module = value.object->get<std::shared_ptr<const Module>>())
    member.object = (*module)->attribute(std::string_view(name.data(), name.size()));
  if (auto *host = value.object->get<std::shared_ptr<const HostObject>>())
    member.object = (*host)->attribute(std::string_view(name.data(), name.size()));
  if (auto *tuple = value.object->get<Tuple>()) {
    auto field = llvm::find(tuple->fieldNames, name);
    if (field != tuple->fieldNames.end())
      member.object = tuple->elements[field - tuple->fieldNames.begin()];
  }
  return member;
}

/// What the decorators make of a function. A decorator other than Triton's `jit` (autotune, heuristics, the user's own)
/// wraps the kernel for Python's launches and does not change it.
ModuleFile::JitUse ModuleFile::decoratorUse(const ast::FunctionDef &definition, unsigned order) {
  JitUse use;
  for (const ast::Expression *decorator : definition.decorators) {
    auto *call = dyn_cast<ast::Call>(decorator);
    const ast::Expression &function = call ? *call->function : *decorator;
    ModuleValue value = evaluateModuleExpression(*this, function, order);
    llvm::StringRef name = value.qualifiedName;
    use.isHostFunction |= name.ends_with(".constexpr_function") || ModuleEvaluator::isConstexprClass(name);
    use.isGluon |= ModuleEvaluator::isGluonJit(name);
    if (!ModuleEvaluator::isJit(name) && !use.isGluon)
      continue;
    use.isJit = true;
    for (const ast::Keyword &keyword : call ? call->keywords : llvm::ArrayRef<ast::Keyword>()) {
      auto *constant = dyn_cast<ast::Constant>(keyword.value);
      use.noInline |= keyword.name.name == "noinline" && constant && constant->boolean;
    }
  }
  return use;
}

} // namespace triton::frontend
