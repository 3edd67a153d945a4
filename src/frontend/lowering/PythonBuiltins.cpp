// The functions of Python that kernels may call. On constants they are evaluated; `min`, `max` and `print` can also be
// lowered.
#include "frontend/LoweringDiagnostics.h"
#include "frontend/lowering/ConstantEvaluation.h"
#include "frontend/lowering/Constructs.h"
#include "frontend/lowering/semantics/Semantics.h"

#include <cmath>

namespace triton::frontend {
namespace {

Value length(Lowering &lowering, CallArguments &arguments) {
  const Value &value = arguments["obj"];
  if (const TupleValue *tuple = value.tuple())
    return Value::integer(tuple->elements.size());
  if (const std::string *text = value.as<std::string>())
    return Value::integer(text->size());
  lowering.error(arguments.range("obj"), diagnostics::NoLength, value.describe());
}

[[noreturn]] void invalidConversion(Lowering &lowering, CallArguments &arguments) {
  const Value &value = arguments["x"];
  llvm::StringRef name = arguments.builtin.name;
  if (!value.isCompileTime())
    lowering.error(arguments.range("x"), diagnostics::RuntimeConversion, name, value.describe());
  lowering.error(arguments.range("x"), diagnostics::InvalidConversion, name, value.describe());
}

Value toInteger(Lowering &lowering, CallArguments &arguments) {
  const Value &value = arguments["x"];
  if (value.as<llvm::APSInt>())
    return value;
  if (const bool *flag = value.as<bool>())
    return Value::integer(*flag);
  if (const double *number = value.as<double>(); number && std::isfinite(*number)) {
    llvm::APFloat exact(*number);
    llvm::APSInt integer(1100, /*isUnsigned=*/false);
    bool isExact;
    exact.convertToInteger(integer, llvm::APFloat::rmTowardZero, &isExact);
    return Value(makeObject(llvm::APSInt(integer.trunc(integer.getSignificantBits()), /*isUnsigned=*/false)));
  }
  if (const std::string *text = value.as<std::string>()) {
    llvm::APInt integer;
    llvm::StringRef digits = llvm::StringRef(*text).trim();
    bool isNegative = digits.consume_front("-");
    if (!digits.empty() && !digits.getAsInteger(10, integer)) {
      integer = integer.zext(integer.getBitWidth() + 1);
      return Value(makeObject(llvm::APSInt(isNegative ? -integer : integer, /*isUnsigned=*/false)));
    }
  }
  invalidConversion(lowering, arguments);
}

Value toFloat(Lowering &lowering, CallArguments &arguments) {
  const Value &value = arguments["x"];
  if (value.as<double>())
    return value;
  if (const llvm::APSInt *integer = value.as<llvm::APSInt>())
    return Value(makeObject(integer->roundToDouble(integer->isSigned())));
  if (const bool *flag = value.as<bool>())
    return Value(makeObject(*flag ? 1.0 : 0.0));
  double number;
  if (const std::string *text = value.as<std::string>(); text && llvm::to_float(llvm::StringRef(*text).trim(), number))
    return Value(makeObject(number));
  invalidConversion(lowering, arguments);
}

Value toBoolean(Lowering &lowering, CallArguments &arguments) {
  if (std::optional<bool> truth = constantTruth(arguments["x"]))
    return Value::boolean(*truth);
  invalidConversion(lowering, arguments);
}

Value toString(Lowering &lowering, CallArguments &arguments) {
  if (!arguments["x"].isCompileTime())
    invalidConversion(lowering, arguments);
  return Value::string(pythonString(arguments["x"]));
}

/// `list(x)` and `tuple(x)`: both are tuples in a kernel.
Value toTuple(Lowering &lowering, CallArguments &arguments) {
  RangeScope scope(lowering, arguments.range("x"));
  return TupleValue{constantElements(lowering, arguments["x"]), {}, {}};
}

/// Two constants have no definite minimum when one is a NaN or a negative zero, because Python and hardware differ.
void requireOrdered(Lowering &lowering, CallArguments &arguments, const Value &value) {
  const double *number = value.as<double>();
  if (number && (std::isnan(*number) || (*number == 0 && std::signbit(*number))))
    lowering.error(diagnostics::UnorderedConstant, arguments.builtin.name);
}

Value minimumOrMaximum(Lowering &lowering, CallArguments &arguments) {
  bool isMinimum = arguments.builtin.name == "min";
  TupleValue values = *arguments["values"].tuple();
  if (values.elements.size() == 1 && values.elements.front().tuple())
    values = TupleValue(*values.elements.front().tuple());
  if (values.elements.empty())
    lowering.error(diagnostics::EmptySequence, arguments.builtin.name);
  Value result = values.elements.front();
  for (const Value &value : llvm::drop_begin(values.elements)) {
    if (!result.isCompileTime() || !value.isCompileTime()) {
      const Builtin *builtin = findBuiltin("triton.language", isMinimum ? "minimum" : "maximum");
      result =
          callBuiltin(lowering, *builtin, {{result, arguments.callRange, {}, {}}, {value, arguments.callRange, {}, {}}},
                      arguments.callRange);
      continue;
    }
    requireOrdered(lowering, arguments, result);
    requireOrdered(lowering, arguments, value);
    ast::CompareOperator better = isMinimum ? ast::CompareOperator::Lt : ast::CompareOperator::Gt;
    if (*evaluateCompare(lowering, better, value, result, arguments.callRange).as<bool>())
      result = value;
  }
  return result;
}

/// Of a class of Gluon: those of values that exist at run time only name the kind.
bool isInstanceOfHost(const Value &value, const HostObject &type) {
  if (const auto *host = value.as<std::shared_ptr<const HostObject>>())
    return (*host)->isInstanceOf(type);
  ObjectRef attribute = type.attribute("__name__");
  const std::string *name = attribute ? attribute->get<std::string>() : nullptr;
  if (const auto *described = value.as<std::shared_ptr<const Module>>(); described && name) {
    ObjectRef own = (*described)->attribute(typeClassAttribute.str());
    return own && own->get<std::string>() && *own->get<std::string>() == *name;
  }
  const SharedBuffer *buffer = value.buffer();
  if (!name || !buffer)
    return false;
  return *name == (buffer->isInTensorMemory() ? "tensor_memory_descriptor" : "shared_memory_descriptor");
}

bool isInstanceOf(Lowering &lowering, const Value &value, const Value &type, SourceRange range) {
  const auto *builtin = type.as<const Builtin *>();
  if (const auto *aggregate = type.as<std::shared_ptr<const AggregateClass>>())
    return value.aggregate() && isSubclass(*value.aggregate()->aggregateClass, **aggregate);
  if (const auto *named = type.as<NamedTupleClass>())
    return value.tuple() && value.tuple()->fieldNames == named->fieldNames;
  if (const auto *host = type.as<std::shared_ptr<const HostObject>>(); host && (*host)->call)
    return isInstanceOfHost(value, **host);
  if (!builtin)
    lowering.error(range, diagnostics::NotAType, type.describe());
  llvm::StringRef name = (*builtin)->name;
  // A compile-time value is both a `tl.constexpr` and what it wraps.
  if (name == "constexpr")
    return value.constant() != nullptr;
  if (name == "tensor")
    return value.tensor() || value.blockPointer();
  if (name == "tuple" || name == "list")
    return value.tuple() != nullptr;
  if (name == "int")
    return value.as<llvm::APSInt>() || value.as<bool>();
  if (name == "float")
    return value.as<double>() != nullptr;
  if (name == "bool")
    return value.as<bool>() != nullptr;
  if (name == "str")
    return value.as<std::string>() != nullptr;
  if (name == "dtype")
    return value.as<ElementType>() != nullptr;
  if (name == "tensor_descriptor")
    return value.descriptor() != nullptr;
  lowering.error(range, diagnostics::NotAType, type.describe());
}

Value isInstance(Lowering &lowering, CallArguments &arguments) {
  const Value &value = arguments["obj"], &types = arguments["class_or_tuple"];
  SourceRange range = arguments.range("class_or_tuple");
  if (const TupleValue *tuple = types.tuple())
    return Value::boolean(
        llvm::any_of(tuple->elements, [&](const Value &type) { return isInstanceOf(lowering, value, type, range); }));
  return Value::boolean(isInstanceOf(lowering, value, types, range));
}

llvm::StringRef attributeName(Lowering &lowering, CallArguments &arguments) {
  if (const std::string *name = arguments["name"].as<std::string>())
    return *name;
  lowering.error(arguments.range("name"), diagnostics::NotConstant, "the name of an attribute",
                 arguments["name"].describe());
}

Value getAttribute(Lowering &lowering, CallArguments &arguments) {
  llvm::StringRef name = attributeName(lowering, arguments);
  if (std::optional<Value> found = findAttribute(lowering, arguments["obj"], name))
    return *found;
  if (arguments.isGiven("default"))
    return arguments["default"];
  lowering.error(diagnostics::NoSuchAttribute, arguments["obj"].describe(), name);
}

Value hasAttribute(Lowering &lowering, CallArguments &arguments) {
  llvm::StringRef name = attributeName(lowering, arguments);
  return Value::boolean(findAttribute(lowering, arguments["obj"], name).has_value());
}

Builtin table[] = {
#define PYTHON_BUILTIN(function, name, parameters) {name, "Python", "builtins", NoFlags, parameters, "", "", function}
    PYTHON_BUILTIN(length, "len", "obj"),
    PYTHON_BUILTIN(toInteger, "int", "x"),
    PYTHON_BUILTIN(toFloat, "float", "x"),
    PYTHON_BUILTIN(toBoolean, "bool", "x"),
    PYTHON_BUILTIN(toString, "str", "x"),
    PYTHON_BUILTIN(toTuple, "list", "x"),
    PYTHON_BUILTIN(toTuple, "tuple", "x"),
    PYTHON_BUILTIN(minimumOrMaximum, "min", "*values"),
    PYTHON_BUILTIN(minimumOrMaximum, "max", "*values"),
    PYTHON_BUILTIN(isInstance, "isinstance", "obj, class_or_tuple"),
    PYTHON_BUILTIN(getAttribute, "getattr", "obj, name, default=None"),
    PYTHON_BUILTIN(hasAttribute, "hasattr", "obj, name"),
#undef PYTHON_BUILTIN
};

} // namespace

llvm::ArrayRef<Builtin> pythonBuiltins() { return table; }

const Builtin *findPythonBuiltin(llvm::StringRef name) {
  if (name == "print")
    return findBuiltin("triton.language", "device_print");
  if (name == "range")
    return findBuiltin("triton.language", "range");
  const Builtin *found = llvm::find_if(table, [&](const Builtin &builtin) { return builtin.name == name; });
  return found == std::end(table) ? nullptr : found;
}

} // namespace triton::frontend
