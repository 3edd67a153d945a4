#include "language_server/Analysis.h"

#include "language_server/CallGraph.h"
#include "language_server/KernelReport.h"
#include "language_server/StageFindings.h"

#include "llvm/ADT/STLExtras.h"

#include <tuple>

namespace triton::language_server {

namespace {

/// A kernel that takes longer is left without facts.
constexpr std::chrono::seconds maximumTime(2);
/// MLIR's context keeps every type and attribute. A new one is made before they become many.
constexpr unsigned maximumContextUses = 400;

/// Puts the reports together, in terms of one version of the text.
class Assembly {
public:
  explicit Assembly(const KernelKeys &keys) : keys(keys) {}

  void add(const KernelReport &report) {
    for (const auto &[kernel, facts] : report.facts)
      if (std::optional<uint32_t> base = keys.begin(kernel))
        for (const Fact &fact : facts)
          addFact(fact, *base);
    for (const ReportedDiagnostic &diagnostic : report.diagnostics)
      addDiagnostic(diagnostic);
  }

  void finish(Analysis &analysis) {
    for (auto &[place, facts] : factsByPlace)
      llvm::append_range(analysis.facts, std::move(facts));
    llvm::append_range(analysis.diagnostics, std::move(diagnostics));
    llvm::sort(analysis.diagnostics, [](const ShownDiagnostic &a, const ShownDiagnostic &b) {
      return std::tie(a.range.begin, a.range.end, a.message) < std::tie(b.range.begin, b.range.end, b.message);
    });
  }

private:
  void addFact(const Fact &fact, uint32_t base) {
    constexpr size_t maximumTypes = 3;
    SourceRange range{fact.range.begin + base, fact.range.end + base};
    std::vector<Fact> &known = factsByPlace[{range.begin, range.end}];
    bool isKnown = llvm::any_of(known, [&](const Fact &other) { return other.type == fact.type; });
    if (isKnown || known.size() >= maximumTypes)
      return;
    known.push_back(fact);
    known.back().range = range;
  }

  std::optional<Place> placeOf(const Anchor &anchor) const {
    if (anchor.source)
      return Place{anchor.source, anchor.range};
    std::optional<uint32_t> base = keys.begin(anchor.kernel);
    if (!base)
      return std::nullopt;
    return Place{nullptr, {anchor.range.begin + *base, anchor.range.end + *base}};
  }

  void addDiagnostic(const ReportedDiagnostic &reported) {
    std::optional<Place> place = placeOf(reported.anchor);
    if (!place)
      return;
    ShownDiagnostic shown = reported.shown;
    shown.range = place->range;
    for (const auto &[anchor, message] : reported.notes)
      if (std::optional<Place> at = placeOf(anchor))
        shown.notes.push_back({*at, message});
    // Several kernels may call the function that has the error.
    for (ShownDiagnostic &other : diagnostics)
      if (other.range == shown.range && other.message == shown.message)
        return;
    diagnostics.push_back(std::move(shown));
  }

  const KernelKeys &keys;
  std::map<std::pair<uint32_t, uint32_t>, std::vector<Fact>> factsByPlace;
  std::vector<ShownDiagnostic> diagnostics;
};

} // namespace

llvm::ArrayRef<Fact> Analysis::factsAt(SourceRange range) const {
  auto begin = llvm::lower_bound(facts, range.begin,
                                 [](const Fact &fact, uint32_t offset) { return fact.range.begin < offset; });
  auto end = begin;
  while (end != facts.end() && end->range == range)
    ++end;
  return llvm::ArrayRef(facts).slice(begin - facts.begin(), end - begin);
}

const Fact *Analysis::lastFact(llvm::StringRef name, SourceRange within, uint32_t before) const {
  const Fact *last = nullptr;
  llvm::StringRef text = document->text;
  for (const Fact &fact : facts) {
    if (fact.range.begin < within.begin || fact.range.end > within.end)
      continue;
    if (last && fact.range.begin >= before)
      break;
    if (text.slice(fact.range.begin, fact.range.end) == name)
      last = &fact;
  }
  return last;
}

DocumentAnalyzer::DocumentAnalyzer(FileStamp stamp) : stamp(std::move(stamp)) {}
DocumentAnalyzer::~DocumentAnalyzer() = default;

mlir::MLIRContext &DocumentAnalyzer::freshContext() {
  if (!context || ++contextUses > maximumContextUses) {
    context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
    contextUses = 0;
  }
  return *context;
}

uint64_t DocumentAnalyzer::importStamp() const {
  uint64_t combined = 0;
  for (const std::string &path : imports)
    combined = llvm::hash_combine(combined, stamp(path));
  return combined;
}

/// Layouts and barriers of a kernel in Gluon are the user's: what is wrong with them, only later stages know. Without
/// settings, the arguments are guessed.
static void addStageError(const Syntax &syntax, size_t kernel, const std::vector<ParameterGuess> &parameters,
                          bool isGiven, const RunOptions &options, SearchResult &result) {
  std::vector<frontend::KernelArgument> arguments = chosenArguments(parameters, result.choice);
  bool isKnown = llvm::none_of(arguments, [](const auto &argument) { return argument.isUnknown; });
  bool isLowered = result.run.isComplete && result.run.diagnostics.empty() && result.run.leftOut.empty();
  if (!isKnown || !isLowered || returnsValue(*syntax.kernels[kernel]->definition))
    return;
  std::optional<Finding> found = findStageError(syntax.source, syntax.kernels[kernel], arguments, options);
  if (!found)
    return;
  found->isCertain = isGiven || parameters.empty();
  if (!found->isCertain)
    found->guess = guessText(parameters, result.choice);
  result.findings.push_back(std::move(*found));
}

std::shared_ptr<const KernelReport> DocumentAnalyzer::makeReport(const Syntax &syntax, size_t kernel,
                                                                 const settings::KernelSettings &settings, Entry &entry,
                                                                 const std::atomic<bool> *isCancelled) {
  const frontend::Function &function = *syntax.kernels[kernel];
  std::vector<ParameterGuess> parameters = guessParameters(function, returnsValue(*function.definition), settings);
  RunOptions options{machineOf(settings), isCancelled, std::chrono::steady_clock::now() + maximumTime};
  SearchResult result = searchGuess(freshContext(), function, parameters, entry.choice, entry.verdicts, options);
  if (isCancelled && isCancelled->load())
    return nullptr;
  entry.choice = result.choice;
  entry.verdicts = result.verdicts;
  if (function.isGluon)
    addStageError(syntax, kernel, parameters, !settings.items.empty(), options, result);
  return reportOf(syntax, result, parameters);
}

/// What settings say of each kernel. Errors of those are shown where they are, or at the kernel that they are about.
static std::vector<settings::KernelSettings> readSettings(const Syntax &syntax, const std::string &path,
                                                          Analysis &analysis) {
  std::shared_ptr<const Source> file = settings::findSettingsFile(path);
  std::vector<settings::KernelSettings> found(syntax.kernels.size());
  auto add = [&](const Diagnostic &error, SourceRange kernelName) {
    ShownDiagnostic shown = showTextError(error, syntax);
    if (error.source != syntax.source) {
      shown.range = kernelName;
      shown.notes.push_back({{error.source, error.range}, "the setting is here"});
    }
    bool isKnown = llvm::any_of(analysis.diagnostics, [&](const ShownDiagnostic &other) {
      return other.message == shown.message; // of a file, it is the same for each kernel
    });
    if (!isKnown || error.source == syntax.source)
      analysis.diagnostics.push_back(std::move(shown));
  };
  for (auto [kernel, settings] : llvm::zip_equal(syntax.kernels, found))
    try {
      settings = settings::settingsOf(*kernel, file.get());
    } catch (const DiagnosticError &error) {
      add(error.first(), kernel->definition->name.range);
    }
  if (syntax.errors.empty()) // The function below a comment may be one that does not parse.
    for (const Diagnostic &stray : settings::findStrayComments(*syntax.source, syntax.kernels))
      add(stray, {});
  return found;
}

AnalysisRef DocumentAnalyzer::analyze(const DocumentRef &document, const std::atomic<bool> *isCancelled) {
  const Syntax &syntax = document->syntax();
  CallGraph graph(syntax);
  KernelKeys keys(syntax);
  Assembly assembly(keys);
  auto analysis = std::make_shared<Analysis>();
  analysis->document = document;
  for (const Diagnostic &error : syntax.errors)
    analysis->diagnostics.push_back(showTextError(error, syntax));
  analysis->settingsStamp = settings::stampOfSettings(document->path());
  std::vector<settings::KernelSettings> settings = readSettings(syntax, document->path(), *analysis);
  uint64_t importsBefore = importStamp();
  auto stampOf = [&](size_t kernel, uint64_t importStamp) {
    return llvm::hash_combine(graph.stamp(kernel), importStamp, settings[kernel].str());
  };
  std::map<std::string, Entry> kept;
  for (size_t kernel : graph.roots()) {
    Entry &entry = entries[keys.key(kernel)];
    uint64_t wanted = stampOf(kernel, importsBefore);
    if (!entry.report || entry.stamp != wanted) {
      std::shared_ptr<const KernelReport> report = makeReport(syntax, kernel, settings[kernel], entry, isCancelled);
      if (!report)
        return nullptr;
      entry.report = std::move(report);
      ++analysis->loweredKernels;
    }
    entry.stamp = wanted;
    assembly.add(*entry.report);
    analysis->guesses[kernel] = {entry.report->guess, entry.report->arguments, machineOf(settings[kernel]),
                                 !settings[kernel].items.empty(), llvm::hash_combine(wanted, entry.report->guess)};
    for (const auto &[holder, facts] : entry.report->facts)
      analysis->roots.try_emplace(holder, kernel);
    kept[keys.key(kernel)] = entry;
  }
  entries = std::move(kept);
  imports.merge(document->imports());
  if (uint64_t importsAfter = importStamp(); importsAfter != importsBefore)
    for (size_t kernel : graph.roots())
      entries[keys.key(kernel)].stamp = stampOf(kernel, importsAfter);
  assembly.finish(*analysis);
  return analysis;
}

} // namespace triton::language_server
