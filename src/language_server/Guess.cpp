#include "language_server/Guess.h"

#include "frontend/lowering/Constructs.h"
#include "language_server/ParameterUse.h"

namespace triton::language_server {

using frontend::KernelArgument;
using frontend::ObjectRef;
using llvm::dyn_cast;

namespace {

using Candidates = std::vector<KernelArgument>;

KernelArgument runtime(ScalarType scalar, unsigned pointerDepth = 0) {
  KernelArgument argument;
  argument.type = {scalar, static_cast<uint8_t>(pointerDepth), false};
  return argument;
}

KernelArgument constant(ObjectRef value) {
  KernelArgument argument;
  argument.constant = std::move(value);
  return argument;
}

KernelArgument unknown() {
  KernelArgument argument;
  argument.isUnknown = true;
  return argument;
}

/// The constant that a literal denotes; null for other expressions.
ObjectRef literal(const ast::Expression &expression) {
  if (auto *negated = dyn_cast<ast::UnaryOp>(&expression); negated && negated->op == ast::UnaryOperator::USub) {
    ObjectRef operand = literal(*negated->operand);
    auto *integer = operand ? operand->get<llvm::APSInt>() : nullptr;
    return integer ? frontend::makeObject(-integer->extend(integer->getBitWidth() + 1)) : nullptr;
  }
  auto *node = dyn_cast<ast::Constant>(&expression);
  if (!node)
    return nullptr;
  switch (node->constantKind) {
  case ast::ConstantKind::None:
    return frontend::makeNone();
  case ast::ConstantKind::Boolean:
    return frontend::makeObject(node->boolean);
  case ast::ConstantKind::Integer:
    return frontend::makeObject(node->integer());
  case ast::ConstantKind::Float:
    return frontend::makeObject(node->number);
  case ast::ConstantKind::String:
    return frontend::makeObject(node->text.str());
  default:
    return nullptr;
  }
}

/// The values that autotune configurations in the decorators give to each parameter, in the order of the text.
std::map<std::string, std::vector<ObjectRef>> configuredValues(const ast::FunctionDef &definition) {
  std::map<std::string, std::vector<ObjectRef>> values;
  auto walk = [&](auto &self, const ast::Node &node) -> void {
    if (auto *dict = dyn_cast<ast::Dict>(&node))
      for (const ast::DictItem &item : dict->items) {
        ObjectRef key = item.key ? literal(*item.key) : nullptr, value = literal(*item.value);
        auto *name = key ? key->get<std::string>() : nullptr;
        if (!name)
          continue;
        if (!value && llvm::isa<ast::Lambda>(item.value)) // a heuristic
          if (auto *body = llvm::cast<ast::Lambda>(item.value)->body; llvm::isa<ast::Compare, ast::BoolOp>(body))
            value = frontend::makeObject(true);
        if (value)
          values[*name].push_back(value);
      }
    ast::forEachChild(node, [&](const ast::Node &child) { self(self, child); });
  };
  for (const ast::Expression *decorator : definition.decorators)
    walk(walk, *decorator);
  return values;
}

void addValues(Candidates &candidates, std::initializer_list<ObjectRef> values) {
  for (const ObjectRef &value : values)
    candidates.push_back(constant(value));
}

bool namesFlag(llvm::StringRef name) {
  static constexpr llvm::StringLiteral prefixes[] = {
      "HAS_", "IS_",     "USE_",  "DO_",    "ENABLE_", "WITH_", "APPLY_", "has_",   "is_",    "use_",
      "do_",  "enable_", "with_", "apply_", "REVERSE", "SAVE",  "STORE_", "CAUSAL", "causal", "reverse"};
  return llvm::any_of(prefixes, [&](llvm::StringRef prefix) { return name.starts_with(prefix); });
}

bool namesFloat(llvm::StringRef name) {
  std::string lower = name.lower();
  static constexpr llvm::StringLiteral words[] = {"eps",   "scale", "alpha", "beta",     "gamma", "lr",
                                                  "decay", "prob",  "temp",  "momentum", "slope", "softcap"};
  bool isInteger = lower.find("stride") != std::string::npos || lower.find("num") != std::string::npos;
  return lower == "p" || (!isInteger && llvm::any_of(words, [&](llvm::StringRef word) {
           return llvm::StringRef(lower).contains(word);
         }));
}

bool namesPointer(llvm::StringRef name) {
  std::string lower = name.lower();
  llvm::StringRef text = lower;
  return text.ends_with("_ptr") || text.ends_with("_ptrs") || text.ends_with("pointer") || text.starts_with("ptr_") ||
         text == "ptr";
}

void addIntegers(Candidates &candidates) {
  for (int64_t value : {64, 16, 32, 128, 1, 2, 4, 8, 0})
    candidates.push_back(constant(frontend::makeInteger(value)));
}

/// Values of a parameter that is known at compile time.
Candidates constantCandidates(llvm::StringRef name, const ParameterUse &use, const std::vector<ObjectRef> &configured,
                              const ObjectRef &defaultValue) {
  Candidates candidates;
  for (const ObjectRef &value : configured)
    candidates.push_back(constant(value));
  if (defaultValue)
    candidates.push_back(constant(defaultValue));
  if (use.isCalled && candidates.empty())
    return {unknown()};
  ObjectRef yes = frontend::makeObject(true), no = frontend::makeObject(false), none = frontend::makeNone();
  for (const std::string &text : use.strings)
    candidates.push_back(constant(frontend::makeObject(text)));
  if (use.isDtype)
    for (ScalarType type : {ScalarType::Float32, ScalarType::Float16, ScalarType::Int32})
      candidates.push_back(constant(frontend::makeObject(ElementType{type})));
  bool isFlag = use.isTested || namesFlag(name);
  for (const ObjectRef &value : use.defaults)
    candidates.push_back(constant(value));
  if (isFlag)
    addValues(candidates, {yes, no});
  if (use.isRepetition)
    addValues(candidates, {frontend::makeInteger(4), frontend::makeInteger(2), frontend::makeInteger(1)});
  bool isNumber = !use.isDtype && use.strings.empty();
  if (isNumber && !use.isRepetition)
    addIntegers(candidates);
  if (isNumber && !isFlag)
    addValues(candidates, {yes, no});
  addValues(candidates, {none});
  if (isNumber)
    candidates.push_back(constant(frontend::makeObject(ElementType{ScalarType::Float32})));
  candidates.push_back(constant(frontend::makeObject(std::string())));
  return candidates;
}

Candidates pointerCandidates(const ParameterUse &use, const ObjectRef &defaultValue) {
  Candidates candidates;
  if (use.isIndex)
    candidates = {runtime(ScalarType::Int32, 1), runtime(ScalarType::Int64, 1)};
  for (ScalarType type :
       {ScalarType::Float32, ScalarType::Int32, ScalarType::Int64, ScalarType::Float16, ScalarType::Int8,
        ScalarType::UInt8, ScalarType::Int1, ScalarType::UInt32, ScalarType::BFloat16, ScalarType::Int16,
        ScalarType::UInt64, ScalarType::Float64, ScalarType::Float8E4NV, ScalarType::Float8E5, ScalarType::Float8E4B15})
    candidates.push_back(runtime(type, 1));
  bool mayBeMissing = use.isComparedToNone || use.isTested || (defaultValue && defaultValue->is<frontend::NoneType>());
  if (mayBeMissing)
    candidates.push_back(constant(frontend::makeNone()));
  return candidates;
}

/// Of a parameter that is called a pointer, but not used as one.
Candidates mayBePointerCandidates(const ParameterUse &use, const ObjectRef &defaultValue) {
  Candidates candidates = pointerCandidates(use, defaultValue);
  candidates.push_back(runtime(ScalarType::Int64));
  return candidates;
}

Candidates scalarCandidates(llvm::StringRef name, const ParameterUse &use, const ObjectRef &defaultValue) {
  Candidates candidates;
  if (use.isBound)
    return {runtime(ScalarType::Int32), runtime(ScalarType::Int64), constant(frontend::makeInteger(1))};
  bool isFloat = namesFloat(name) || (defaultValue && defaultValue->is<double>());
  for (ScalarType type : {isFloat ? ScalarType::Float32 : ScalarType::Int32,
                          isFloat ? ScalarType::Int32 : ScalarType::Float32, ScalarType::Int64, ScalarType::Int1})
    candidates.push_back(runtime(type));
  candidates.push_back(runtime(ScalarType::Float32, 1));
  candidates.push_back(runtime(ScalarType::Int32, 1));
  candidates.push_back(constant(frontend::makeInteger(1)));
  if (use.isComparedToNone || use.isTested || defaultValue)
    candidates.push_back(constant(frontend::makeNone()));
  return candidates;
}

} // namespace

std::vector<ParameterGuess> guessParameters(const frontend::Function &function, bool isHelper) {
  std::vector<ParameterUse> uses = parameterUses(function);
  std::map<std::string, std::vector<ObjectRef>> configured = configuredValues(*function.definition);
  std::vector<ParameterGuess> guesses;
  for (auto [parameter, use] : llvm::zip_equal(function.definition->parameters, uses)) {
    ParameterGuess guess{parameter.name.name.str(), {}};
    auto found = function.defaults.find(guess.name);
    ObjectRef defaultValue = found == function.defaults.end() ? nullptr : found->second;
    const std::vector<ObjectRef> &values = configured[guess.name];
    bool isVariadic = parameter.kind == ast::ParameterKind::VarPositional;
    // A dtype is known at compile time, whatever the annotation is.
    guess.isConstant = frontend::isConstexprAnnotation(parameter.annotation) || !values.empty() || use.isDtype;
    // The order of the conditions matters. NOLINTBEGIN(bugprone-branch-clone)
    if (isVariadic || use.isDescriptor || use.isComposite)
      guess.candidates = {unknown()};
    else if (guess.isConstant)
      guess.candidates = constantCandidates(guess.name, use, values, defaultValue);
    else if (use.isCalled)
      guess.candidates = {unknown()};
    else if (use.isPointer)
      guess.candidates = pointerCandidates(use, defaultValue);
    else if (namesPointer(guess.name))
      guess.candidates = mayBePointerCandidates(use, defaultValue);
    else if (isHelper)
      guess.candidates = {unknown()};
    else
      guess.candidates = scalarCandidates(guess.name, use, defaultValue);
    // NOLINTEND(bugprone-branch-clone)
    for (KernelArgument &candidate : guess.candidates)
      candidate.name = guess.name;
    guess.isPointer = guess.candidates.front().type.isPointer();
    guesses.push_back(std::move(guess));
  }
  return guesses;
}

std::vector<frontend::KernelArgument> chosenArguments(const std::vector<ParameterGuess> &parameters,
                                                      const std::vector<size_t> &choice) {
  std::vector<frontend::KernelArgument> arguments;
  for (auto [parameter, index] : llvm::zip_equal(parameters, choice)) {
    arguments.push_back(parameter.candidates[index]);
    if (parameter.isPointer)
      arguments.back().divisibility = 16;
  }
  return arguments;
}

std::string describe(const KernelArgument &argument) {
  if (argument.isUnknown)
    return "unknown";
  return argument.constant ? frontend::repr(*argument.constant) : argument.type.str();
}

} // namespace triton::language_server
