// Objects of classes that `triton.aggregate` makes: construction, fields, methods and operators.
#include "frontend/LoweringDiagnostics.h"
#include "frontend/lowering/Constructs.h"
#include "frontend/lowering/semantics/Semantics.h"

#include "llvm/ADT/StringSwitch.h"

namespace triton::frontend {

//===-- Fields ------------------------------------------------------------------------------------------------------===

/// Stands for the value of a field that `__init__` has not set yet.
static Value unsetField() { return Value(makeObject(Unsupported{"a field without a value"})); }
static bool isUnset(const Value &value) { return value.as<Unsupported>() != nullptr; }

/// Whether `value` may be in a field with that annotation. Annotations that are not types of values admit all.
static bool fits(const Value &value, const Object &annotation) {
  if (const auto *type = annotation.get<std::shared_ptr<const AggregateClass>>())
    return value.aggregate() && isSubclass(*value.aggregate()->aggregateClass, **type);
  if (const auto *named = annotation.get<NamedTupleClass>())
    return value.tuple() && value.tuple()->fieldNames == named->fieldNames;
  const auto *builtin = annotation.get<const Builtin *>();
  if (!builtin)
    return true;
  return llvm::StringSwitch<bool>((*builtin)->name)
      .Case("constexpr", value.isCompileTime())
      .Case("tensor", value.tensor() || value.blockPointer())
      .Case("tuple", value.tuple() != nullptr)
      .Case("tensor_descriptor", value.descriptor() != nullptr)
      .Case("dtype", value.as<ElementType>() != nullptr)
      .Default(true);
}

static std::string annotationText(const Object &annotation) {
  if (const auto *builtin = annotation.get<const Builtin *>())
    return "a `tl." + (*builtin)->name.str() + "`";
  if (const auto *type = annotation.get<std::shared_ptr<const AggregateClass>>())
    return "a `" + (*type)->name + "`";
  return "a `" + annotation.get<NamedTupleClass>()->name + "`";
}

static void checkField(Lowering &lowering, const AggregateClass &type, size_t field, const Value &value,
                       SourceRange range) {
  ObjectRef annotation = type.fieldType(field);
  if (annotation && !fits(value, *annotation))
    lowering.error(range, diagnostics::FieldType, type.name, type.fields[field].name, annotationText(*annotation),
                   value.describe());
}

static std::optional<size_t> findField(const AggregateClass &type, llvm::StringRef name) {
  auto found = llvm::find_if(type.fields, [&](const AggregateClass::Field &field) { return field.name == name; });
  if (found == type.fields.end())
    return std::nullopt;
  return found - type.fields.begin();
}

void assignField(Lowering &lowering, const ast::Attribute &target, const Value &value) {
  llvm::StringRef field = target.attribute.name;
  const auto *owner = llvm::dyn_cast<ast::Name>(target.value);
  bool isConstructed = owner && owner->id == lowering.frame->constructed;
  Value object = lowerExpression(lowering, *target.value);
  if (!object.aggregate())
    lowering.error(target.range, diagnostics::UnsupportedTarget, "an attribute", "build a new value");
  if (!isConstructed)
    lowering.error(target.range, diagnostics::AggregateImmutable, object.describe(), field);
  TupleValue changed = *object.aggregate();
  std::optional<size_t> index = findField(*changed.aggregateClass, field);
  if (!index)
    lowering.error(target.attribute.range, diagnostics::UnknownField, changed.aggregateClass->name, field);
  checkField(lowering, *changed.aggregateClass, *index, value, target.range);
  changed.elements[*index] = value;
  lowering.frame->locals[owner->id] = {Value(std::move(changed)), target.range};
}

//===-- Construction ------------------------------------------------------------------------------------------------===

static bool hasMember(const AggregateClass &type, llvm::StringRef name) {
  return llvm::is_contained(type.memberNames, name);
}

static TupleValue emptyObject(const std::shared_ptr<const AggregateClass> &type) {
  TupleValue object;
  object.typeName = type->name;
  object.aggregateClass = type;
  for (const AggregateClass::Field &field : type->fields) {
    object.fieldNames.push_back(field.name);
    object.elements.push_back(field.defaultValue ? Value(field.defaultValue) : unsetField());
  }
  return object;
}

/// The object that the class's own `__init__` returns.
static Value initialize(Lowering &lowering, const TupleValue &empty, llvm::ArrayRef<Argument> arguments,
                        SourceRange range) {
  ObjectRef initializer = empty.aggregateClass->member("__init__");
  const auto *function = initializer ? initializer->get<std::shared_ptr<const Function>>() : nullptr;
  if (!function)
    lowering.error(range, diagnostics::NotCallable, initializer ? Value(initializer).describe() : "`__init__`");
  Value object = lowerInitializer(lowering, **function, Value(empty), arguments, range);
  for (auto [name, value] : llvm::zip(object.aggregate()->fieldNames, object.aggregate()->elements))
    if (isUnset(value))
      lowering.error(range, diagnostics::FieldWithoutValue, empty.typeName, name);
  return object;
}

Value constructAggregate(Lowering &lowering, const std::shared_ptr<const AggregateClass> &type,
                         llvm::ArrayRef<Argument> arguments, SourceRange range) {
  TupleValue object = emptyObject(type);
  if (hasMember(*type, "__init__"))
    return initialize(lowering, object, arguments, range);
  llvm::SmallVector<ParameterSpec> parameters;
  for (const AggregateClass::Field &field : type->fields)
    parameters.push_back({field.name, field.defaultValue != nullptr});
  std::string signature = type->name + "(" + llvm::join(object.fieldNames, ", ") + ")";
  auto bound = bindArguments(lowering, type->name, signature, parameters, arguments, range);
  for (auto [index, taken] : llvm::enumerate(bound)) {
    if (!taken.empty())
      object.elements[index] = arguments[taken.front()].value;
    checkField(lowering, *type, index, object.elements[index], taken.empty() ? range : arguments[taken.front()].range);
  }
  return object;
}

Value replaceFields(Lowering &lowering, const TupleValue &object, llvm::ArrayRef<std::string> names,
                    llvm::ArrayRef<Value> values, SourceRange range) {
  TupleValue changed = object;
  for (auto [name, value] : llvm::zip_equal(names, values)) {
    std::optional<size_t> index = findField(*changed.aggregateClass, name);
    if (!index)
      lowering.error(range, diagnostics::UnknownField, changed.typeName, name);
    checkField(lowering, *changed.aggregateClass, *index, value, range);
    changed.elements[*index] = value;
  }
  return changed;
}

//===-- Members -----------------------------------------------------------------------------------------------------===

static ObjectRef findMember(const AggregateClass &type, llvm::StringRef name) {
  return hasMember(type, name) ? type.member(std::string_view(name.data(), name.size())) : nullptr;
}

/// `Class.name`: a method as a function, or a constant.
static std::optional<Value> classAttribute(const AggregateClass &type, llvm::StringRef name) {
  if (ObjectRef member = findMember(type, name))
    return Value(std::move(member));
  if (std::optional<size_t> field = findField(type, name); field && type.fields[*field].defaultValue)
    return Value(type.fields[*field].defaultValue);
  if (name == "__name__")
    return Value::string(type.name);
  return std::nullopt;
}

std::optional<Value> aggregateAttribute(Lowering &lowering, const Value &value, llvm::StringRef name) {
  if (const auto *type = value.as<std::shared_ptr<const AggregateClass>>())
    return classAttribute(**type, name);
  const TupleValue &object = *value.aggregate();
  if (const Value *field = object.field(name)) {
    if (isUnset(*field))
      lowering.error(diagnostics::FieldNotYetSet, name);
    return *field;
  }
  const AggregateClass &type = *object.aggregateClass;
  ObjectRef member = findMember(type, name);
  bool isMethod =
      member && (member->is<std::shared_ptr<const Function>>() || member->is<std::shared_ptr<const HostFunction>>());
  if (isMethod && !llvm::is_contained(type.staticMembers, name))
    return BoundMethod{std::make_shared<const Value>(value), name.str(), member};
  return member ? std::optional<Value>(Value(member)) : std::nullopt;
}

std::optional<Value> callMethod(Lowering &lowering, const Value &object, llvm::StringRef name,
                                llvm::ArrayRef<Value> arguments, SourceRange range) {
  std::optional<Value> method = aggregateAttribute(lowering, object, name);
  if (!method)
    return std::nullopt;
  auto passed = llvm::map_to_vector(arguments, [&](const Value &value) { return Argument{value, range, {}, {}}; });
  return lowerCall(lowering, *method, passed, range);
}

//===-- Operators ---------------------------------------------------------------------------------------------------===

std::optional<Value> operatorMethod(Lowering &lowering, llvm::StringRef spelling, llvm::StringRef name,
                                    llvm::StringRef reflected, const Value &left, const Value &right,
                                    SourceRange range) {
  if (!left.aggregate() && !right.aggregate())
    return std::nullopt;
  auto tryMethod = [&](const Value &owner, llvm::StringRef method, const Value &other) -> std::optional<Value> {
    if (!owner.aggregate() || method.empty())
      return std::nullopt;
    std::optional<Value> result = callMethod(lowering, owner, method, {other}, range);
    return result && result->as<NotImplementedType>() ? std::nullopt : result;
  };
  std::optional<Value> result = tryMethod(left, name, right);
  if (!result)
    result = tryMethod(right, reflected, left);
  if (!result)
    lowering.error(range, diagnostics::UnsupportedOperands, spelling, left.describe(), right.describe());
  return result;
}

std::optional<Value> binaryMethod(Lowering &lowering, ast::BinaryOperator op, const Value &left, const Value &right,
                                  SourceRange range) {
  llvm::StringRef name = llvm::StringSwitch<llvm::StringRef>(ast::spelling(op))
                             .Case("+", "add")
                             .Case("-", "sub")
                             .Case("*", "mul")
                             .Case("/", "truediv")
                             .Case("//", "floordiv")
                             .Case("%", "mod")
                             .Case("**", "pow")
                             .Case("@", "matmul")
                             .Case("<<", "lshift")
                             .Case(">>", "rshift")
                             .Case("&", "and")
                             .Case("|", "or")
                             .Default("xor");
  return operatorMethod(lowering, ast::spelling(op), ("__" + name + "__").str(), ("__r" + name + "__").str(), left,
                        right, range);
}

std::optional<Value> comparisonMethod(Lowering &lowering, ast::CompareOperator op, const Value &left,
                                      const Value &right, SourceRange range) {
  // The right operand has a method for the operator with exchanged operands.
  auto [name, reflected] = llvm::StringSwitch<std::pair<llvm::StringRef, llvm::StringRef>>(ast::spelling(op))
                               .Case("==", {"__eq__", "__eq__"})
                               .Case("!=", {"__ne__", "__ne__"})
                               .Case("<", {"__lt__", "__gt__"})
                               .Case("<=", {"__le__", "__ge__"})
                               .Case(">", {"__gt__", "__lt__"})
                               .Case(">=", {"__ge__", "__le__"})
                               .Default({"", ""});
  if (name.empty())
    return std::nullopt;
  return operatorMethod(lowering, ast::spelling(op), name, reflected, left, right, range);
}

std::optional<Value> unaryMethod(Lowering &lowering, ast::UnaryOperator op, const Value &operand, SourceRange range) {
  if (!operand.aggregate())
    return std::nullopt;
  llvm::StringRef name = llvm::StringSwitch<llvm::StringRef>(ast::spelling(op))
                             .Case("-", "__neg__")
                             .Case("+", "__pos__")
                             .Case("~", "__invert__")
                             .Default("__not__");
  std::optional<Value> result = callMethod(lowering, operand, name, {}, range);
  if (!result)
    lowering.error(range, diagnostics::UnsupportedOperand, ast::spelling(op), operand.describe());
  return result;
}

} // namespace triton::frontend
