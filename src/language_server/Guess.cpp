#include "language_server/Guess.h"

#include "frontend/lowering/Constructs.h"
#include "language_server/ParameterUse.h"
#include "language_server/StrideRoles.h"

namespace triton::language_server {

using frontend::KernelArgument;
using frontend::ObjectRef;
using llvm::dyn_cast;

namespace {

using Candidates = std::vector<Candidate>;

Candidate runtime(ScalarType scalar, std::string reason, unsigned pointerDepth = 0) {
  Candidate candidate{{}, std::move(reason)};
  candidate.type = {scalar, static_cast<uint8_t>(pointerDepth), false};
  return candidate;
}

Candidate constant(ObjectRef value, std::string reason) {
  Candidate candidate{{}, std::move(reason)};
  candidate.constant = std::move(value);
  return candidate;
}

Candidate unknown() {
  Candidate candidate;
  candidate.isUnknown = true;
  return candidate;
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

void addValues(Candidates &candidates, llvm::ArrayRef<ObjectRef> values, llvm::StringRef reason) {
  for (const ObjectRef &value : values)
    candidates.push_back(constant(value, reason.str()));
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
    candidates.push_back(constant(frontend::makeInteger(value), "the kernel compiles for this number"));
}

/// Values for which branches are taken: of `if mode == 3`, and of `if stage & 1` and `if stage & 2` both.
void addBranchValues(Candidates &candidates, const ParameterUse &use) {
  int64_t bits = 0;
  for (int64_t mask : use.masks)
    bits |= mask;
  if (bits != 0)
    candidates.push_back(constant(frontend::makeInteger(bits), "branches ask for each of its bits"));
  for (int64_t value : use.equals)
    candidates.push_back(constant(frontend::makeInteger(value), "it is compared with this number"));
  for (int64_t mask : use.masks)
    candidates.push_back(constant(frontend::makeInteger(mask), "a branch asks for this bit"));
}

/// Values of a parameter that is known at compile time.
void addConstants(ParameterGuess &guess, const ParameterUse &use, const std::vector<ObjectRef> &configured,
                  const ObjectRef &defaultValue) {
  Candidates &candidates = guess.candidates;
  addValues(candidates, configured, "a configuration of the kernel has it");
  if (defaultValue)
    candidates.push_back(constant(defaultValue, "it is the default"));
  bool isKnown = !candidates.empty();
  if (use.isCalled && !isKnown) {
    candidates = {unknown()};
    return;
  }
  ObjectRef yes = frontend::makeObject(true), no = frontend::makeObject(false), none = frontend::makeNone();
  size_t firstBranch = candidates.size();
  for (const std::string &text : use.strings)
    candidates.push_back(constant(frontend::makeObject(text), "it is compared with this text"));
  size_t endOfTexts = candidates.size();
  if (use.isDtype)
    for (ScalarType type : {ScalarType::Float32, ScalarType::Float16, ScalarType::Int32})
      candidates.push_back(constant(frontend::makeObject(ElementType{type}), "a dtype is expected here"));
  bool isFlag = use.isTested || namesFlag(guess.name);
  addValues(candidates, use.defaults, "the function that gets it has this default");
  size_t firstNumber = candidates.size();
  addBranchValues(candidates, use);
  if (isFlag)
    addValues(candidates, {yes, no}, use.isTested ? "it decides a branch" : "its name is that of a flag");
  size_t endOfNumbers = candidates.size();
  if (use.isRepetition)
    addValues(candidates, {frontend::makeInteger(4), frontend::makeInteger(2), frontend::makeInteger(1)},
              "it counts the turns of a loop that is unrolled");
  bool isNumber = !use.isDtype && use.strings.empty();
  if (isNumber && !use.isRepetition)
    addIntegers(candidates);
  constexpr llvm::StringLiteral last = "the kernel compiles for it";
  if (isNumber && !isFlag)
    addValues(candidates, {yes, no}, last);
  addValues(candidates, {none}, last);
  if (isNumber)
    candidates.push_back(constant(frontend::makeObject(ElementType{ScalarType::Float32}), last.str()));
  candidates.push_back(constant(frontend::makeObject(std::string()), last.str()));
  if (isKnown)
    return;
  for (size_t index = firstBranch; index < endOfNumbers; ++index)
    if (index < endOfTexts || index >= firstNumber)
      guess.alternatives.push_back(index);
}

Candidates pointerCandidates(const ParameterUse &use, const ObjectRef &defaultValue) {
  Candidates candidates;
  if (use.isIndex)
    for (ScalarType type : {ScalarType::Int32, ScalarType::Int64})
      candidates.push_back(runtime(type, "what is loaded from it is an index", 1));
  for (ScalarType type :
       {ScalarType::Float32, ScalarType::Int32, ScalarType::Int64, ScalarType::Float16, ScalarType::Int8,
        ScalarType::UInt8, ScalarType::Int1, ScalarType::UInt32, ScalarType::BFloat16, ScalarType::Int16,
        ScalarType::UInt64, ScalarType::Float64, ScalarType::Float8E4NV, ScalarType::Float8E5, ScalarType::Float8E4B15})
    candidates.push_back(runtime(type, "it is used as a pointer, and the kernel compiles for these elements", 1));
  bool mayBeMissing = use.isComparedToNone || use.isTested || (defaultValue && defaultValue->is<frontend::NoneType>());
  if (mayBeMissing)
    candidates.push_back(constant(frontend::makeNone(), "it may be missing"));
  return candidates;
}

/// Of a parameter that is called a pointer, but not used as one.
Candidates mayBePointerCandidates(const ParameterUse &use, const ObjectRef &defaultValue) {
  Candidates candidates = pointerCandidates(use, defaultValue);
  candidates.push_back(runtime(ScalarType::Int64, "the kernel compiles for it"));
  return candidates;
}

Candidates scalarCandidates(llvm::StringRef name, const ParameterUse &use, const ObjectRef &defaultValue) {
  ObjectRef one = frontend::makeInteger(1);
  constexpr llvm::StringLiteral last = "the kernel compiles for it";
  if (use.isBound)
    return {runtime(ScalarType::Int32, "it bounds a loop"), runtime(ScalarType::Int64, "it bounds a loop"),
            constant(one, last.str())};
  Candidates candidates;
  bool isFloat = namesFloat(name) || (defaultValue && defaultValue->is<double>());
  std::string first = isFloat ? "its name or its default is that of a fraction" : "most numbers are integers";
  for (ScalarType type : {isFloat ? ScalarType::Float32 : ScalarType::Int32,
                          isFloat ? ScalarType::Int32 : ScalarType::Float32, ScalarType::Int64, ScalarType::Int1})
    candidates.push_back(runtime(type, candidates.empty() ? first : last.str()));
  candidates.push_back(runtime(ScalarType::Float32, last.str(), 1));
  candidates.push_back(runtime(ScalarType::Int32, last.str(), 1));
  candidates.push_back(constant(one, last.str()));
  if (use.isComparedToNone || use.isTested || defaultValue)
    candidates.push_back(constant(frontend::makeNone(), last.str()));
  return candidates;
}

/// The strides of an array that lies in memory row by row come first.
void addStrides(Candidates &candidates, const StrideRole &role) {
  if (role.count == 1)
    return;
  if (role.place == 0) {
    candidates.insert(candidates.begin(), constant(frontend::makeInteger(1), "it is the innermost stride of an array"));
    return;
  }
  candidates.insert(candidates.begin(),
                    runtime(ScalarType::Int32, "it is a stride of rows, which begin at multiples of 16"));
  candidates.front().divisibility = 16;
}

/// What the settings say takes the place of the guess.
void take(const KernelArgument &given, ParameterGuess &guess) {
  guess.candidates = {Candidate{given, "the kernel's settings say so"}};
  guess.alternatives.clear();
  guess.isConstant = given.constant != nullptr;
  guess.isPointer = false; // its alignment is given as well
}

} // namespace

std::vector<ParameterGuess> guessParameters(const frontend::Function &function, bool isHelper,
                                            const settings::KernelSettings &settings) {
  std::vector<ParameterUse> uses = parameterUses(function);
  std::map<std::string, std::vector<ObjectRef>> configured = configuredValues(*function.definition);
  std::map<std::string, StrideRole> strides = strideRoles(function);
  std::vector<ParameterGuess> guesses;
  for (auto [parameter, use] : llvm::zip_equal(function.definition->parameters, uses)) {
    ParameterGuess guess{parameter.name.name.str(), {}, {}};
    auto found = function.defaults.find(guess.name);
    ObjectRef defaultValue = found == function.defaults.end() ? nullptr : found->second;
    const std::vector<ObjectRef> &values = configured[guess.name];
    bool isVariadic = parameter.kind == ast::ParameterKind::VarPositional;
    // A dtype is known at compile time, whatever the annotation is.
    guess.isConstant = frontend::isConstexprAnnotation(parameter.annotation) || !values.empty() || use.isDtype;
    bool isLayout = function.isGluon && guess.isConstant && llvm::StringRef(guess.name).contains_insensitive("layout");
    // The order of the conditions matters. NOLINTBEGIN(bugprone-branch-clone)
    if (isVariadic || use.isDescriptor || use.isComposite || isLayout)
      guess.candidates = {unknown()};
    else if (guess.isConstant)
      addConstants(guess, use, values, defaultValue);
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
    bool isInteger = guess.candidates.front().type == ElementType{ScalarType::Int32};
    if (auto stride = strides.find(guess.name); stride != strides.end() && !guess.isConstant && isInteger)
      addStrides(guess.candidates, stride->second);
    if (function.isGluon) // Layouts, descriptors and buffers cannot be guessed, and any parameter may be one.
      guess.candidates.push_back(unknown());
    for (KernelArgument &candidate : guess.candidates)
      candidate.name = guess.name;
    guess.isPointer = guess.candidates.front().type.isPointer();
    for (const KernelArgument &given : settings.arguments)
      if (given.name == guess.name)
        take(given, guess);
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
