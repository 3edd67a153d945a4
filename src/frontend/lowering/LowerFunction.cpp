// Calls of jit functions: one tt.func for each combination of argument types and constants.
#include "frontend/LoweringDiagnostics.h"
#include "frontend/lowering/Constructs.h"
#include "ir/Dialect.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/SaveAndRestore.h"
#include "llvm/Support/raw_ostream.h"

namespace triton::frontend {

/// This also bounds recursion through constants that change from call to call.
static constexpr unsigned maximumCallDepth = 128;
/// This bounds functions that call themselves several times, each time with other constants.
static constexpr unsigned maximumSpecializations = 4096;

// ---- What distinguishes specializations ----

static void printConstantKey(llvm::raw_ostream &out, const Object &object) {
  if (const auto *function = object.get<std::shared_ptr<const Function>>())
    out << (*function)->name << '@' << function->get();
  else if (const auto *builtin = object.get<const Builtin *>())
    out << (*builtin)->name << '@' << *builtin;
  else if (const auto *host = object.get<std::shared_ptr<const HostFunction>>())
    out << (*host)->name << '@' << host->get();
  else if (const auto *module = object.get<std::shared_ptr<const Module>>())
    out << (*module)->name << '@' << module->get();
  else if (const auto *type = object.get<std::shared_ptr<const AggregateClass>>())
    out << (*type)->name << '@' << type->get();
  else if (const auto *value = object.get<std::shared_ptr<const HostObject>>())
    out << object.storage.index() << ':' << (*value)->fingerprint;
  else
    // The kind distinguishes `1` from `True`, and the dtype `fp32` from a string.
    out << object.storage.index() << ':' << repr(object);
}

/// Prints types and constants of a value. The text is equal for two values exactly when one body serves both.
static void printKey(llvm::raw_ostream &out, const Value &value) {
  if (const Tensor *tensor = value.tensor()) {
    out << tensor->type.str();
  } else if (const BlockPointer *pointer = value.blockPointer()) {
    out << "block_ptr<" << pointer->type.str() << '>';
  } else if (const SharedBuffer *buffer = value.buffer()) {
    out << "buffer<" << buffer->type.str() << '>';
  } else if (const TensorDescriptor *descriptor = value.descriptor()) {
    out << "desc<" << descriptor->type.str() << '>';
  } else if (const TupleValue *tuple = value.composite()) {
    llvm::interleaveComma(tuple->fieldNames, out);
    out << '@' << tuple->aggregateClass.get() << '(';
    for (const Value &element : tuple->elements) {
      printKey(out, element);
      out << ',';
    }
    out << ')';
  } else if (const BoundMethod *method = value.method()) {
    printKey(out, *method->self);
    out << '.' << method->name;
  } else if (const Object *object = value.constant()) {
    out << 'c';
    printConstantKey(out, *object);
  }
}

/// The part of a symbol that encodes the types of the arguments, such as "fp32S16S_i32".
static void printMangled(llvm::raw_ostream &out, const Value &value) {
  if (const Tensor *tensor = value.tensor()) {
    std::string element = tensor->type.element.str();
    std::replace(element.begin(), element.end(), '*', 'P');
    out << element;
    for (int64_t extent : tensor->type.shape)
      out << 'S' << extent;
    return;
  }
  if (const TupleValue *tuple = value.tuple()) {
    out << 'T';
    for (const Value &element : tuple->elements)
      printMangled(out, element);
    return;
  }
  std::string text;
  llvm::raw_string_ostream key(text);
  if (const Object *object = value.constant())
    key << 'c' << repr(*object);
  else
    key << value.describe();
  for (char character : text)
    out << (llvm::isAlnum(character) ? character : '_');
}

static std::string symbolFor(Lowering &lowering, const Function &function, llvm::ArrayRef<Variable> arguments) {
  std::string symbol = function.name + "__";
  llvm::raw_string_ostream out(symbol);
  llvm::interleave(arguments, out, [&](const Variable &argument) { printMangled(out, argument.value); }, "_");
  unsigned count = lowering.functionNames[symbol]++;
  if (count != 0)
    out << '.' << count;
  return symbol;
}

// ---- Binding ----

static std::string signatureOf(const Function &function) {
  std::string text = function.name + "(";
  llvm::raw_string_ostream out(text);
  llvm::interleaveComma(function.definition->parameters, out,
                        [&](const ast::Parameter &parameter) { out << function.source->text(parameter.range); });
  out << ')';
  return text;
}

static bool hasDefault(const Function &function, const ast::Parameter &parameter) {
  return parameter.defaultValue || function.defaults.count(parameter.name.name.str());
}

static llvm::SmallVector<ParameterSpec> parameterSpecs(Lowering &lowering, const Function &function) {
  llvm::SmallVector<ParameterSpec> specs;
  if (function.definition->isAsync)
    lowering.error(diagnostics::UnsupportedStatement, "`async def`", "");
  for (const ast::Parameter &parameter : function.definition->parameters) {
    if (parameter.kind == ast::ParameterKind::VarKeyword)
      lowering.error(diagnostics::DoubleStarParameter, parameter.name.name);
    specs.push_back({parameter.name.name, hasDefault(function, parameter),
                     parameter.kind == ast::ParameterKind::KeywordOnly,
                     parameter.kind == ast::ParameterKind::VarPositional});
  }
  return specs;
}

namespace {
/// Lowers inside another function while the object lives.
class FrameScope {
public:
  FrameScope(Lowering &lowering, FunctionFrame &frame)
      : lowering(lowering), savedFrame(lowering.frame), savedRange(lowering.range) {
    lowering.frame = &frame;
    lowering.range = frame.function->definition->signatureRange;
  }
  ~FrameScope() {
    lowering.frame = savedFrame;
    lowering.range = savedRange;
  }
  FrameScope(const FrameScope &) = delete;
  FrameScope &operator=(const FrameScope &) = delete;

private:
  Lowering &lowering;
  FunctionFrame *savedFrame;
  SourceRange savedRange;
};
} // namespace

/// Evaluates a default, which sees the names around the function but not its parameters.
static Value defaultValue(Lowering &lowering, const Function &function, const ast::Parameter &parameter,
                          SourceRange callRange) {
  auto evaluated = function.defaults.find(parameter.name.name.str());
  if (evaluated != function.defaults.end())
    return Value(evaluated->second);
  FunctionFrame frame{&function, lowering.frame, callRange, {}};
  FrameScope scope(lowering, frame);
  return lowerExpression(lowering, *parameter.defaultValue);
}

/// The value of each parameter, in order.
static llvm::SmallVector<Variable> bindParameters(Lowering &lowering, const Function &function,
                                                  llvm::ArrayRef<Argument> arguments, SourceRange callRange) {
  auto taken = bindArguments(lowering, function.name, signatureOf(function), parameterSpecs(lowering, function),
                             arguments, callRange);
  llvm::SmallVector<Variable> bound;
  for (auto [parameter, indices] : llvm::zip_equal(function.definition->parameters, taken)) {
    Value value;
    if (parameter.kind == ast::ParameterKind::VarPositional) {
      TupleValue rest;
      for (unsigned index : indices)
        rest.elements.push_back(arguments[index].value);
      value = std::move(rest);
    } else {
      value =
          indices.empty() ? defaultValue(lowering, function, parameter, callRange) : arguments[indices.front()].value;
    }
    bool isScalar = !value.tensor() || value.tensor()->type.isScalar();
    if (function.noInline && (!isScalar || value.blockPointer() || value.descriptor() || value.buffer()))
      lowering.error(indices.empty() ? callRange : arguments[indices.front()].range, diagnostics::NoInlineArgument,
                     function.name, parameter.name.name, value.describe());
    bound.push_back({std::move(value), parameter.name.range, isConstexprAnnotation(parameter.annotation)});
  }
  return bound;
}

// ---- The body ----

Outcome lowerBody(Lowering &lowering, const Function &function) {
  return lowerSequence(lowering, {function.definition->body});
}

/// Creates the tt.func, lowers the body into it, and gives it the resulting result types.
static void lowerSpecialization(Lowering &lowering, const Function &function, llvm::MutableArrayRef<Variable> arguments,
                                Specialization &specialization, SourceRange callRange) {
  mlir::OpBuilder::InsertionGuard guard(lowering.builder);
  FunctionFrame frame{&function, lowering.frame, callRange, {}};
  llvm::SmallVector<mlir::Type> types;
  for (const Variable &argument : arguments) {
    llvm::SmallVector<mlir::Value> parts;
    flatten(argument.value, parts);
    llvm::append_range(types, mlir::ValueRange(parts).getTypes());
  }
  std::string symbol = symbolFor(lowering, function, arguments);
  FrameScope scope(lowering, frame);
  lowering.builder.setInsertionPointToEnd(lowering.module->getBody());
  auto callee = lowering.create<tt::FuncOp>(symbol, lowering.builder.getFunctionType(types, {}));
  callee.setPrivate();
  callee->setAttr(tt::FuncOp::noInlineAttrName, lowering.builder.getBoolAttr(function.noInline));
  specialization.function = callee;

  mlir::Block *entry = callee.addEntryBlock();
  llvm::SmallVector<mlir::Value> entryValues(entry->getArguments());
  llvm::ArrayRef<mlir::Value> rest = entryValues;
  for (auto [argument, parameter] : llvm::zip_equal(arguments, function.definition->parameters)) {
    argument.value = rebuild(argument.value, rest);
    frame.locals[parameter.name.name] = argument;
    lowering.observe(parameter.name.range, argument.value);
  }
  lowering.builder.setInsertionPointToStart(entry);
  specialization.result = lowerBody(lowering, function).value;
  llvm::SmallVector<mlir::Value> results;
  flatten(specialization.result, results);
  lowering.create<tt::ReturnOp>(results);
  callee.setFunctionType(lowering.builder.getFunctionType(types, mlir::TypeRange(mlir::ValueRange(results))));
  specialization.isComplete = true;
}

Value lowerInitializer(Lowering &lowering, const Function &function, const Value &object,
                       llvm::ArrayRef<Argument> arguments, SourceRange callRange) {
  DepthScope depth(lowering);
  llvm::SmallVector<Argument> withObject = {{object, callRange, {}, {}}};
  llvm::append_range(withObject, arguments);
  // What Python's `__init__` may require of the compiler has no meaning here.
  for (const ast::Parameter &parameter : function.definition->parameters)
    if (parameter.name.name == "_semantic" || parameter.name.name == "_generator")
      withObject.push_back({Value(), callRange, parameter.name.name, callRange});
  llvm::SmallVector<Variable> bound = bindParameters(lowering, function, withObject, callRange);
  FunctionFrame frame{&function, lowering.frame, callRange, {}};
  frame.constructed = function.definition->parameters.front().name.name;
  frame.keepsConstants = object.aggregate()->aggregateClass->initializesAsPython;
  FrameScope scope(lowering, frame);
  for (auto [argument, parameter] : llvm::zip_equal(bound, function.definition->parameters))
    frame.locals[parameter.name.name] = argument;
  lowerBody(lowering, function);
  const Variable &constructed = frame.locals[frame.constructed];
  if (constructed.state == Variable::State::Unknown)
    throw UnknownNameRead(); // a field was left out
  return constructed.value;
}

Value lowerFunctionCall(Lowering &lowering, const Function &function, llvm::ArrayRef<Argument> arguments,
                        SourceRange callRange) {
  DepthScope depth(lowering);
  llvm::SmallVector<Variable> bound = bindParameters(lowering, function, arguments, callRange);
  llvm::SmallVector<mlir::Value> operands;
  std::string key;
  llvm::raw_string_ostream out(key);
  out << &function << ';' << lowering.numWarps; // Layouts are over these.
  for (const Variable &argument : bound) {
    out << ';';
    printKey(out, argument.value);
    flatten(argument.value, operands);
  }

  Specialization &specialization = lowering.specializations[key];
  if (!specialization.function) {
    llvm::SaveAndRestore callDepth(lowering.callDepth, lowering.callDepth + 1);
    if (lowering.callDepth > maximumCallDepth)
      lowering.error(callRange, diagnostics::CallTooDeep, maximumCallDepth);
    if (lowering.specializations.size() > maximumSpecializations)
      lowering.error(callRange, diagnostics::TooManySpecializations, maximumSpecializations);
    llvm::scope_exit markFailure([&] { specialization.hasFailed = !specialization.isComplete; });
    lowerSpecialization(lowering, function, bound, specialization, callRange);
  } else if (specialization.hasFailed) {
    throw UnknownNameRead();
  } else if (!specialization.isComplete) {
    lowering.error(callRange, diagnostics::RecursiveCall, function.name);
  }
  auto call = lowering.create<tt::CallOp>(llvm::cast<tt::FuncOp>(specialization.function), operands);
  llvm::SmallVector<mlir::Value> results(call->getResults());
  llvm::ArrayRef<mlir::Value> rest = results;
  return rebuild(specialization.result, rest);
}

} // namespace triton::frontend
