#include "language_server/KernelRun.h"

#include "base/Errors.h"
#include "compiler/Devices.h"
#include "frontend/lowering/Value.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringExtras.h"

namespace triton::language_server {

using frontend::Value;

bool RunOptions::mustEnd() const {
  return (isCancelled && isCancelled->load(std::memory_order_relaxed)) || std::chrono::steady_clock::now() > deadline;
}

bool KernelRun::leftOutAt(const Source *source, SourceRange range) const {
  return llvm::any_of(leftOut, [&](const auto &entry) {
    return entry.first == source && entry.second.begin <= range.begin && range.end <= entry.second.end;
  });
}

namespace {

/// The type as hints show it.
std::string typeText(const Value &value) {
  if (const frontend::Tensor *tensor = value.tensor())
    return tensor->type.str();
  if (const frontend::BlockPointer *pointer = value.blockPointer())
    return "block_ptr<" + pointer->type.str() + ">";
  if (const frontend::TensorDescriptor *descriptor = value.descriptor())
    return "descriptor<" + descriptor->type.str() + ">";
  if (const frontend::TupleValue *tuple = value.composite()) {
    std::string text = tuple->typeName + "(";
    for (auto [index, element] : llvm::enumerate(tuple->elements)) {
      text += index == 0 ? "" : ", ";
      text += index < tuple->fieldNames.size() ? tuple->fieldNames[index] + "=" : "";
      text += typeText(element);
    }
    return text + ")";
  }
  if (const frontend::Object *object = value.constant())
    return frontend::repr(*object);
  return value.describe();
}

ValueKind kindOf(const Value &value) {
  if (value.tensor())
    return ValueKind::Tensor;
  if (value.descriptor())
    return ValueKind::Descriptor;
  if (value.blockPointer())
    return ValueKind::BlockPointer;
  if (value.composite())
    return ValueKind::Composite;
  if (value.as<ElementType>())
    return ValueKind::Dtype;
  bool isConstant = value.isNumber() || value.isNone() || value.as<std::string>() || value.as<frontend::Tuple>();
  return isConstant ? ValueKind::Constant : ValueKind::Other;
}

/// The members of the object that completion offers.
std::vector<std::string> fieldsOf(const Value &value) {
  const frontend::TupleValue *tuple = value.composite();
  if (!tuple)
    return {};
  std::vector<std::string> fields = tuple->fieldNames;
  if (tuple->aggregateClass)
    llvm::append_range(fields, tuple->aggregateClass->memberNames);
  return fields;
}

class Recorder final : public frontend::LoweringObserver {
public:
  /// More facts about one place than these are not worth showing.
  static constexpr size_t maximumTypes = 3;

  Recorder(KernelRun &run, const RunOptions &options, bool recordsFacts)
      : run(run), options(options), recordsFacts(recordsFacts) {}

  void onValue(const Source &source, SourceRange range, const Value &value) override {
    if (++calls % 64 == 0 && options.mustEnd())
      throw CompilationAbandoned();
    if (reached.insert({&source, range.begin, range.end}).second)
      ++run.places;
    if (!recordsFacts || range.begin == range.end || !isName(source.text(range)))
      return;
    std::vector<size_t> &known = places[{&source, range.begin}];
    std::vector<Fact> &facts = run.facts[&source];
    if (known.size() >= maximumTypes)
      return;
    std::string type = typeText(value);
    if (llvm::any_of(known, [&](size_t index) { return facts[index].type == type; }))
      return;
    known.push_back(facts.size());
    facts.push_back({range, std::move(type), kindOf(value), fieldsOf(value)});
  }

  void onDiagnostic(const Diagnostic &diagnostic) override {
    bool isKnown = llvm::any_of(run.diagnostics, [&](const Diagnostic &other) {
      return other.info == diagnostic.info && other.source == diagnostic.source && other.range == diagnostic.range;
    });
    if (!isKnown)
      run.diagnostics.push_back(diagnostic);
  }

  void onLeftOut(const Source &source, SourceRange range) override { run.leftOut.push_back({&source, range}); }

private:
  static bool isName(llvm::StringRef text) {
    return !llvm::isDigit(text.front()) &&
           llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_' || (c & 0x80); });
  }

  KernelRun &run;
  const RunOptions &options;
  bool recordsFacts;
  unsigned calls = 0;
  std::map<std::pair<const Source *, uint32_t>, std::vector<size_t>> places; ///< indices of facts
  llvm::DenseSet<std::tuple<const Source *, uint32_t, uint32_t>> reached;
};

} // namespace

Machine machineOf(const settings::KernelSettings &settings) {
  Machine machine;
  if (settings.target) {
    bool isProcessor = llvm::StringRef(*settings.target).starts_with("cpu");
    machine.target = compiler::parseTarget(isProcessor ? "cpu" : *settings.target);
    machine.isGuess = false;
  }
  machine.numWarps = settings.numWarps.value_or(machine.numWarps);
  machine.numStages = settings.numStages.value_or(machine.numStages);
  return machine;
}

std::string nameOf(const base::Target &target) {
  return target.arch.empty() ? target.backend : target.backend + ":" + target.arch;
}

frontend::LoweringOptions loweringOptions(const Machine &machine, frontend::LoweringObserver &observer,
                                          const std::atomic<bool> *isCancelled) {
  frontend::LoweringOptions options;
  options.language = compiler::languageOptions(machine.target, Environment());
  options.print = options.warn = [](const std::string &) {};
  options.isAbandoned = isCancelled;
  options.observer = &observer;
  return options;
}

KernelRun runKernel(mlir::MLIRContext &context, const frontend::Function &function,
                    const std::vector<frontend::KernelArgument> &arguments, const RunOptions &options,
                    bool recordsFacts) {
  KernelRun run;
  Recorder recorder(run, options, recordsFacts);
  frontend::LoweringOptions lowering = loweringOptions(options.machine, recorder, options.isCancelled);
  lowering.debug = true; // so that assertions are checked as well
  try {
    frontend::lowerKernel(context, function, arguments, lowering, "kernel");
  } catch (const DiagnosticError &error) {
    for (const Diagnostic &diagnostic : error.diagnostics())
      recorder.onDiagnostic(diagnostic);
  } catch (const CompilationAbandoned &) {
    run.isComplete = false;
  }
  return run;
}

} // namespace triton::language_server
