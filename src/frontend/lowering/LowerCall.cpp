// Calls: of builtins, methods, functions of the host, named tuples; LowerFunction.cpp has jit functions.
#include "frontend/LoweringDiagnostics.h"
#include "frontend/lowering/Constructs.h"
#include "frontend/lowering/semantics/Semantics.h"

namespace triton::frontend {

/// Whether this is the name of a `tl.constexpr`.
static bool namesHolder(Lowering &lowering, const ast::Expression &expression) {
  const auto *name = llvm::dyn_cast<ast::Name>(&expression);
  if (!name)
    return false;
  const FunctionFrame &frame = *lowering.frame;
  if (auto local = frame.locals.find(name->id); local != frame.locals.end())
    return local->second.isConstexpr;
  return frame.function->scope && frame.function->scope->holdsConstexpr({name->id.data(), name->id.size()});
}

/// The arguments as written, with `*tuple` expanded.
static llvm::SmallVector<Argument> lowerArguments(Lowering &lowering, const ast::Call &call) {
  llvm::SmallVector<Argument> arguments;
  for (const ast::Expression *argument : call.arguments) {
    const auto *starred = llvm::dyn_cast<ast::Starred>(argument);
    Value value = lowerExpression(lowering, starred ? *starred->value : *argument);
    if (!starred) {
      arguments.push_back({std::move(value), argument->range, {}, {}, namesHolder(lowering, *argument)});
      continue;
    }
    if (!value.tuple())
      lowering.error(argument->range, diagnostics::NotIterable, value.describe());
    for (const Value &element : value.tuple()->elements)
      arguments.push_back({element, argument->range, {}, {}});
  }
  for (const ast::Keyword &keyword : call.keywords) {
    if (keyword.name.name.empty())
      lowering.error(keyword.range, diagnostics::DoubleStarArgument);
    arguments.push_back({lowerExpression(lowering, *keyword.value), keyword.value->range, keyword.name.name,
                         keyword.name.range, namesHolder(lowering, *keyword.value)});
  }
  return arguments;
}

/// Reports what cannot be called, at the place that names it.
static void requireCallable(Lowering &lowering, const Value &callee, SourceRange range) {
  if (callee.as<ElementType>())
    lowering.error(range, diagnostics::DtypeNotCallable, callee.describe());
  if (const TupleValue *object = callee.aggregate(); object && aggregateAttribute(lowering, callee, "__call__"))
    return;
  bool isCallable = callee.method() || callee.as<std::shared_ptr<const AggregateClass>>() ||
                    callee.as<const Builtin *>() || callee.as<NamedTupleClass>() ||
                    callee.as<std::shared_ptr<const Function>>() || callee.as<std::shared_ptr<const HostFunction>>();
  const auto *host = callee.as<std::shared_ptr<const HostObject>>();
  if (!isCallable && !(host && (*host)->call))
    lowering.error(range, diagnostics::NotCallable, callee.describe());
}

Value lowerCallExpression(Lowering &lowering, const ast::Call &call, const Value &callee) {
  requireCallable(lowering, callee, call.function->range);
  RangeScope scope(lowering, call.range);
  return lowerCall(lowering, callee, lowerArguments(lowering, call), call.range);
}

namespace {

/// The arguments of a function of the host. Values that exist at run time pass as their types, with a number by which
/// the function may return them.
class HostArguments {
public:
  /// `isHeld`: a dtype passes as held by a `tl.constexpr`.
  ObjectRef pass(const Value &value, bool isHeld = false);
  /// Throws std::runtime_error for a value that was not passed.
  Value restore(const ObjectRef &result) const;

private:
  llvm::SmallVector<Value> values;
};

} // namespace

ObjectRef HostArguments::pass(const Value &value, bool isHeld) {
  if (ObjectRef object = value.toObject()) {
    const auto *dtype = object->get<ElementType>();
    return dtype && isHeld ? makeObject(RuntimeValue{0, RuntimeValue::Kind::HeldDtype, *dtype}) : object;
  }
  if (const TupleValue *given = value.composite()) {
    Tuple tuple{{}, given->typeName, given->fieldNames, given->aggregateClass};
    for (const Value &element : given->elements)
      tuple.elements.push_back(pass(element));
    return makeObject(std::move(tuple));
  }
  RuntimeValue passed{unsigned(values.size())};
  auto setType = [&](RuntimeValue::Kind kind, const TensorType &type) {
    passed.kind = kind;
    passed.element = type.element;
    passed.shape.assign(type.shape.begin(), type.shape.end());
  };
  if (const Tensor *tensor = value.tensor())
    setType(RuntimeValue::Kind::Tensor, tensor->type);
  else if (const TensorDescriptor *descriptor = value.descriptor())
    setType(RuntimeValue::Kind::Descriptor, descriptor->type);
  values.push_back(value);
  return makeObject(std::move(passed));
}

Value HostArguments::restore(const ObjectRef &result) const {
  if (const auto *passed = result->get<RuntimeValue>()) {
    if (passed->number >= values.size())
      throw std::runtime_error("the function returned a value of another call");
    return values[passed->number];
  }
  const auto *tuple = result->get<Tuple>();
  if (!tuple)
    return Value(result);
  TupleValue restored{{}, tuple->typeName, tuple->fieldNames, tuple->aggregate};
  for (const ObjectRef &element : tuple->elements)
    restored.elements.push_back(restore(element));
  return Value(std::move(restored));
}

/// Makes the call that a function of the host has described.
static Value makeExternCall(Lowering &lowering, const ExternCall &call, const HostArguments &passed) {
  llvm::SmallVector<Tensor, 4> operands;
  TensorType block;
  for (const ExternCall::Operand &operand : call.operands) {
    operands.push_back(cast(lowering, toTensor(lowering, passed.restore(operand.value)), operand.type));
    block = commonType(lowering, block, operands.back().type);
  }
  llvm::SmallVector<mlir::Value, 4> values;
  for (const Tensor &operand : operands)
    values.push_back(broadcastWithRank(lowering, operand, block).value);
  TensorType type = block.withElement(call.result);
  return Tensor{
      lowering.create<tt::ExternElementwiseOp>(lowering.irType(type), values, "", "", call.symbol, call.isPure), type};
}

/// `math.sqrt` of a tensor: the language may have a function of that name.
[[noreturn]] static void refuseHostArgument(Lowering &lowering, const HostFunction &function,
                                            const Argument &argument) {
  Diagnostic diagnostic =
      lowering.diagnose(argument.range, diagnostics::HostFunctionArgument, function.name, argument.value.describe());
  if (llvm::StringRef(function.name).starts_with("math."))
    diagnostic.fix = counterpartHelp(function.name.substr(5));
  lowering.raise(std::move(diagnostic));
}

[[noreturn]] static void refuseMissing(Lowering &lowering, const HostFunction &function, SourceRange range) {
  if (!function.successor.empty())
    lowering.error(range, diagnostics::RemovedPart, function.name, function.successor);
  if (function.missingFor->empty())
    lowering.error(range, diagnostics::MissingPart, function.name);
  const Target &target = lowering.options.language.target;
  lowering.error(range, diagnostics::MissingUnit, function.name, *function.missingFor,
                 target.backend + (target.arch.empty() ? "" : ":" + target.arch));
}

static Value callHostFunction(Lowering &lowering, const HostFunction &function, llvm::ArrayRef<Argument> arguments,
                              SourceRange range) {
  if (function.missingFor)
    refuseMissing(lowering, function, range);
  std::vector<ObjectRef> positional;
  std::map<std::string, ObjectRef> keywords;
  HostArguments passed;
  for (const Argument &argument : arguments) {
    ObjectRef object = function.passesValues ? passed.pass(argument.value, function.seesHolders && argument.isHeld)
                                             : argument.value.toObject();
    if (!object)
      refuseHostArgument(lowering, function, argument);
    if (argument.keyword.empty())
      positional.push_back(std::move(object));
    else
      keywords[argument.keyword.str()] = std::move(object);
  }
  std::string failure;
  try {
    ObjectRef result = function.call(positional, keywords);
    if (const auto *call = result->get<ExternCall>())
      return makeExternCall(lowering, *call, passed);
    return passed.restore(result);
  } catch (const std::runtime_error &error) {
    failure = error.what();
  }
  lowering.error(range, diagnostics::HostFunctionFailed, function.name, failure);
}

static Value makeNamedTuple(Lowering &lowering, const NamedTupleClass &type, llvm::ArrayRef<Argument> arguments,
                            SourceRange range) {
  llvm::SmallVector<ParameterSpec> parameters;
  for (const std::string &field : type.fieldNames)
    parameters.push_back({field});
  std::string signature = type.name + "(" + llvm::join(type.fieldNames, ", ") + ")";
  TupleValue tuple{{}, type.name, type.fieldNames};
  for (const auto &taken : bindArguments(lowering, type.name, signature, parameters, arguments, range))
    tuple.elements.push_back(arguments[taken.front()].value);
  return tuple;
}

Value lowerCall(Lowering &lowering, const Value &callee, llvm::ArrayRef<Argument> arguments, SourceRange callRange) {
  RangeScope scope(lowering, callRange);
  if (const BoundMethod *method = callee.method()) {
    llvm::SmallVector<Argument> withSelf = {{*method->self, callRange, {}, {}}};
    llvm::append_range(withSelf, arguments);
    return lowerCall(lowering, Value(method->callee), withSelf, callRange);
  }
  if (const auto *type = callee.as<std::shared_ptr<const AggregateClass>>())
    return constructAggregate(lowering, *type, arguments, callRange);
  if (callee.aggregate())
    if (std::optional<Value> method = aggregateAttribute(lowering, callee, "__call__"))
      return lowerCall(lowering, *method, arguments, callRange);
  if (const auto *builtin = callee.as<const Builtin *>())
    return callBuiltin(lowering, **builtin, arguments, callRange);
  if (const auto *function = callee.as<std::shared_ptr<const Function>>())
    return lowerFunctionCall(lowering, **function, arguments, callRange);
  if (const auto *function = callee.as<std::shared_ptr<const HostFunction>>())
    return callHostFunction(lowering, **function, arguments, callRange);
  requireCallable(lowering, callee, callRange);
  if (const auto *host = callee.as<std::shared_ptr<const HostObject>>())
    return callHostFunction(lowering, *(*host)->call, arguments, callRange);
  return makeNamedTuple(lowering, *callee.as<NamedTupleClass>(), arguments, callRange);
}

} // namespace triton::frontend
