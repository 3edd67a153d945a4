#include "frontend/lowering/Constructs.h"
#include "frontend/lowering/builtins/Functions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace triton::frontend {
namespace {

/// Binds arguments one by one and remembers which arguments each parameter got.
class Binder {
public:
  Binder(Lowering &lowering, llvm::StringRef callee, llvm::StringRef signature,
         llvm::ArrayRef<ParameterSpec> parameters, llvm::ArrayRef<Argument> arguments)
      : lowering(lowering), callee(callee.str()), signature(signature.str()), parameters(parameters),
        arguments(arguments), bound(parameters.size()) {}

  llvm::SmallVector<llvm::SmallVector<unsigned, 1>> bind(SourceRange callRange) {
    for (unsigned i = 0; i < arguments.size(); ++i)
      arguments[i].keyword.empty() ? takePositional(i) : takeKeyword(i);
    for (auto [parameter, taken] : llvm::zip_equal(parameters, bound))
      if (taken.empty() && !parameter.hasDefault && !parameter.isVariadic && !parameter.takesKeywords)
        lowering.error(callRange, diagnostics::MissingArgument, callee, parameter.name.str(), signature);
    return std::move(bound);
  }

private:
  void takePositional(unsigned argument) {
    if (next < parameters.size() && parameters[next].isVariadic) {
      bound[next].push_back(argument);
      return;
    }
    if (next >= parameters.size() || parameters[next].isKeywordOnly || parameters[next].takesKeywords)
      lowering.error(arguments[argument].range, diagnostics::TooManyArguments, callee, int(next), signature);
    bound[next++].push_back(argument);
  }

  void takeKeyword(unsigned argument) {
    llvm::StringRef keyword = arguments[argument].keyword;
    SourceRange range = arguments[argument].keywordRange;
    for (auto [parameter, taken] : llvm::zip_equal(parameters, bound)) {
      if (parameter.takesKeywords) { // This is the last parameter.
        taken.push_back(argument);
        return;
      }
      if (parameter.name != keyword || parameter.isVariadic)
        continue;
      if (!taken.empty())
        lowering.error(range, diagnostics::DoubledArgument, callee, keyword.str(), signature);
      taken.push_back(argument);
      return;
    }
    reportUnknown(keyword, range);
  }

  [[noreturn]] void reportUnknown(llvm::StringRef keyword, SourceRange range) {
    llvm::SmallVector<llvm::StringRef> free;
    for (auto [parameter, taken] : llvm::zip_equal(parameters, bound))
      if (taken.empty() && !parameter.isVariadic)
        free.push_back(parameter.name);
    llvm::StringRef closest = closestName(keyword, free);
    if (closest.empty())
      lowering.error(range, diagnostics::UnknownArgument, callee, keyword.str(), signature);
    lowering.error(range, diagnostics::MisspelledArgument, callee, keyword.str(), closest.str(), signature);
  }

  Lowering &lowering;
  std::string callee, signature;
  llvm::ArrayRef<ParameterSpec> parameters;
  llvm::ArrayRef<Argument> arguments;
  llvm::SmallVector<llvm::SmallVector<unsigned, 1>> bound;
  unsigned next = 0;
};

/// The arguments of a variadic parameter: several values, or one sequence of them.
Value gatherVariadic(llvm::ArrayRef<unsigned> taken, llvm::ArrayRef<Argument> arguments) {
  TupleValue values;
  for (unsigned argument : taken)
    values.elements.push_back(arguments[argument].value);
  return values;
}

/// The arguments of a parameter that takes keywords.
Value gatherKeywords(llvm::ArrayRef<unsigned> taken, llvm::ArrayRef<Argument> arguments) {
  TupleValue values;
  for (unsigned argument : taken) {
    values.elements.push_back(arguments[argument].value);
    values.fieldNames.push_back(arguments[argument].keyword.str());
  }
  return values;
}

} // namespace

llvm::SmallVector<llvm::SmallVector<unsigned, 1>>
bindArguments(Lowering &lowering, llvm::StringRef callee, llvm::StringRef signature,
              llvm::ArrayRef<ParameterSpec> parameters, llvm::ArrayRef<Argument> arguments, SourceRange callRange) {
  return Binder(lowering, callee, signature, parameters, arguments).bind(callRange);
}

unsigned CallArguments::indexOf(llvm::StringRef name) const {
  llvm::ArrayRef<BuiltinParameter> parameters = builtin.parameterList();
  auto *found = llvm::find_if(parameters, [&](const BuiltinParameter &parameter) { return parameter.name == name; });
  assert(found != parameters.end() && "the builtin does not have this parameter");
  return found - parameters.begin();
}

Value &CallArguments::operator[](llvm::StringRef name) { return bound[indexOf(name)].value; }
SourceRange CallArguments::range(llvm::StringRef name) const { return bound[indexOf(name)].range; }
bool CallArguments::isGiven(llvm::StringRef name) const { return bound[indexOf(name)].isGiven; }

Value callBuiltin(Lowering &lowering, const Builtin &builtin, llvm::ArrayRef<Argument> arguments,
                  SourceRange callRange) {
  RangeScope scope(lowering, callRange);
  llvm::ArrayRef<BuiltinParameter> parameters = builtin.parameterList();
  llvm::SmallVector<ParameterSpec, 8> specs(parameters.begin(), parameters.end());
  std::string callee = builtin.displayName();
  auto taken = bindArguments(lowering, callee, builtin.signature(), specs, arguments, callRange);
  CallArguments call(builtin, callRange);
  for (auto [parameter, indices] : llvm::zip_equal(parameters, taken)) {
    SourceRange range = indices.empty() ? callRange : arguments[indices.front()].range;
    Value value;
    if (parameter.isVariadic)
      value = gatherVariadic(indices, arguments);
    else if (parameter.takesKeywords)
      value = gatherKeywords(indices, arguments);
    else
      value = indices.empty() ? Value(parameter.defaultValue) : arguments[indices.front()].value;
    if (parameter.isConstexpr() && !value.isCompileTime())
      lowering.error(range, diagnostics::NotCompileTime, callee, parameter.name.str(), value.describe());
    call.bound.push_back({std::move(value), range, !indices.empty()});
  }
  return builtin.lower(lowering, call);
}

namespace builtin {
namespace {

[[noreturn]] void reportKind(Lowering &lowering, CallArguments &arguments, llvm::StringRef name,
                             llvm::StringRef expected) {
  lowering.error(arguments.range(name), diagnostics::ArgumentKind, arguments.builtin.displayName(), name.str(),
                 expected.str(), arguments[name].describe());
}

} // namespace

int64_t integerArgument(Lowering &lowering, CallArguments &arguments, llvm::StringRef name) {
  if (std::optional<int64_t> value = arguments[name].asInt64())
    return *value;
  reportKind(lowering, arguments, name, "an int");
}

int64_t countArgument(Lowering &lowering, CallArguments &arguments, llvm::StringRef name, const char *refusal,
                      int64_t least, int64_t most) {
  int64_t count = integerArgument(lowering, arguments, name);
  if (count >= least && count <= most)
    return count;
  lowering.error(arguments.range(name), diagnostics::CountRange, arguments.builtin.displayName(),
                 llvm::formatv(refusal, count).str(), name.str(), least, most);
}

bool booleanArgument(Lowering &lowering, CallArguments &arguments, llvm::StringRef name) {
  if (std::optional<int64_t> value = arguments[name].asInt64())
    return *value != 0;
  if (arguments[name].isNone())
    return false;
  reportKind(lowering, arguments, name, "a bool");
}

std::string stringArgument(Lowering &lowering, CallArguments &arguments, llvm::StringRef name) {
  if (auto *text = arguments[name].as<std::string>())
    return *text;
  if (arguments[name].isNone())
    return "";
  reportKind(lowering, arguments, name, "a string");
}

ElementType dtypeArgument(Lowering &lowering, CallArguments &arguments, llvm::StringRef name) {
  const Value &value = arguments[name];
  if (auto *type = value.as<ElementType>())
    return *type;
  // The `.type` of a block stands for the type of its elements.
  if (auto *module = value.as<std::shared_ptr<const Module>>())
    if (ObjectRef element = (*module)->attribute("scalar"); element && element->is<ElementType>())
      return *element->get<ElementType>();
  reportKind(lowering, arguments, name, "a dtype");
}

void requirePointee(Lowering &lowering, CallArguments &arguments, llvm::StringRef name) {
  const TensorType &type = arguments[name].tensor()->type;
  if (type.element.pointee() == ElementType{ScalarType::Void})
    lowering.error(arguments.range(name), diagnostics::VoidPointer, arguments.builtin.displayName(), type.str());
}

ElementType elementTypeArgument(Lowering &lowering, CallArguments &arguments, llvm::StringRef name) {
  ElementType type = dtypeArgument(lowering, arguments, name);
  if (type == ElementType{ScalarType::Void})
    lowering.error(arguments.range(name), diagnostics::VoidElements, arguments.builtin.displayName());
  return type;
}

llvm::SmallVector<int64_t, 4> integersArgument(Lowering &lowering, CallArguments &arguments, llvm::StringRef name) {
  Value value = arguments[name];
  // A variadic parameter may also get its values as one sequence.
  if (const TupleValue *outer = value.tuple(); outer && outer->elements.size() == 1 && outer->elements[0].tuple())
    value = outer->elements[0];
  llvm::SmallVector<int64_t, 4> result;
  if (std::optional<int64_t> single = value.asInt64()) {
    result.push_back(*single);
    return result;
  }
  const TupleValue *tuple = value.tuple();
  if (!tuple)
    reportKind(lowering, arguments, name, "ints");
  for (const Value &element : tuple->elements) {
    std::optional<int64_t> integer = element.asInt64();
    if (!integer)
      lowering.error(arguments.range(name), diagnostics::ArgumentKind, arguments.builtin.displayName(), name.str(),
                     std::string("ints"), element.describe());
    result.push_back(*integer);
  }
  return result;
}

llvm::SmallVector<int64_t, 4> shapeArgument(Lowering &lowering, CallArguments &arguments, llvm::StringRef name) {
  llvm::SmallVector<int64_t, 4> shape = integersArgument(lowering, arguments, name);
  checkBlockShape(lowering, shape, arguments.range(name));
  return shape;
}

int64_t axisArgument(Lowering &lowering, CallArguments &arguments, llvm::StringRef name, int64_t rank) {
  int64_t axis = integerArgument(lowering, arguments, name);
  if (axis < -rank || axis >= rank)
    lowering.error(arguments.range(name), diagnostics::AxisOutOfRange, arguments.builtin.displayName(), axis, rank);
  return axis < 0 ? axis + rank : axis;
}

Tensor tensorArgument(Lowering &lowering, CallArguments &arguments, llvm::StringRef name) {
  if (!isNumeric(arguments[name]))
    reportKind(lowering, arguments, name, "a tensor or number");
  return toTensor(lowering, arguments[name]);
}

std::vector<Value> valuesArgument(CallArguments &arguments, llvm::StringRef name) {
  const Value &value = arguments[name];
  if (const TupleValue *tuple = value.tuple())
    return tuple->elements;
  return {value};
}

unsigned choiceArgument(Lowering &lowering, CallArguments &arguments, llvm::StringRef name,
                        llvm::ArrayRef<llvm::StringLiteral> choices) {
  std::string text = stringArgument(lowering, arguments, name);
  auto *found = llvm::find(choices, llvm::StringRef(text));
  if (found != choices.end())
    return found - choices.begin();
  std::string known;
  llvm::raw_string_ostream stream(known);
  llvm::interleaveComma(choices, stream, [&](llvm::StringRef choice) { stream << '"' << choice << '"'; });
  lowering.error(arguments.range(name), diagnostics::UnknownChoice, arguments.builtin.displayName(), name.str(), text,
                 known);
}

} // namespace builtin
} // namespace triton::frontend
