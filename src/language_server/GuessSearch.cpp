#include "language_server/GuessSearch.h"

#include "frontend/BuiltinDiagnostics.h"
#include "frontend/LoweringDiagnostics.h"
#include "frontend/Parser.h"
#include "frontend/lowering/Constructs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

namespace triton::language_server {

namespace diagnostics = frontend::diagnostics;
using llvm::dyn_cast;

namespace {

/// What bounds a search: an editor waits for it.
constexpr size_t maximumTrials = 300;

bool isSame(const Diagnostic &a, const Diagnostic &b) {
  return a.info == b.info && a.source == b.source && a.range == b.range;
}

/// The innermost function of a text that holds the range; null when there is none.
const ast::FunctionDef *functionAt(const Source &source, SourceRange range) {
  const ast::FunctionDef *innermost = nullptr;
  auto walk = [&](auto &self, const ast::Node &node) -> void {
    if (range.begin < node.range.begin || range.end > node.range.end)
      return;
    if (auto *function = dyn_cast<ast::FunctionDef>(&node))
      innermost = function;
    ast::forEachChild(node, [&](const ast::Node &child) { self(self, child); });
  };
  for (const ast::Statement *statement : frontend::moduleOf(source).body)
    walk(walk, *statement);
  return innermost;
}

/// Whether an error is one whatever the arguments are, if its statement is reached at all.
bool isIndependent(const Diagnostic &diagnostic) {
  const DiagnosticInfo *info = diagnostic.info;
  const DiagnosticInfo *independent[] = {
      &diagnostics::UnknownArgument,    &diagnostics::MisspelledArgument,  &diagnostics::DoubledArgument,
      &diagnostics::UnsupportedTarget,  &diagnostics::GlobalNotUsable,     &diagnostics::ModuleNotUsable,
      &diagnostics::DoubleStarArgument, &diagnostics::DoubleStarParameter, &diagnostics::ExitOutsideLoop};
  if (llvm::is_contained(independent, info))
    return true;
  bool isName = info == &diagnostics::UndefinedName || info == &diagnostics::MisspelledName;
  if (isName) {
    const ast::FunctionDef *function = functionAt(*diagnostic.source, diagnostic.range);
    return function &&
           !llvm::is_contained(frontend::assignedNames(function->body), diagnostic.source->text(diagnostic.range));
  }
  // The name of `getattr` may come from the guess.
  bool isAttribute = info == &diagnostics::NoSuchAttribute || info == &diagnostics::MisspelledAttribute;
  return isAttribute && llvm::StringRef(diagnostic.message).starts_with("the module") &&
         diagnostic.source->text().take_front(diagnostic.range.begin).rtrim().ends_with(".");
}

/// What an assertion demands may relate several parameters, or depend on the target, in ways that no trial satisfies.
/// The same holds for tests that decide whether a name is assigned, or a `raise` is reached.
bool isDemand(const Diagnostic &diagnostic) {
  const DiagnosticInfo *info = diagnostic.info;
  return info->diagnosticClass == DiagnosticClass::StaticAssertion || info == &diagnostics::HostFunctionFailed ||
         info == &diagnostics::UndefinedName || info == &diagnostics::MisspelledName ||
         info == &diagnostics::UnsupportedStatement;
}

/// The names that the value of an expression, or whether a statement is reached, may depend on.
class Dependences {
public:
  explicit Dependences(const frontend::Function &function) : function(function) {
    for (const ast::Statement *statement : function.definition->body)
      collect(*statement, {});
  }

  llvm::StringSet<> at(SourceRange range) {
    llvm::StringSet<> names;
    for (const ast::Statement *statement : function.definition->body)
      mention(*statement, range, names);
    return close(std::move(names));
  }

  /// The innermost statement of the function that holds the range, unless it is one with a block.
  std::optional<SourceRange> statementAt(SourceRange range) const {
    std::optional<SourceRange> found;
    auto walk = [&](auto &self, const ast::Node &node) -> void {
      if (range.begin < node.range.begin || range.end > node.range.end)
        return;
      if (llvm::isa<ast::Statement>(node))
        found = llvm::isa<ast::If, ast::While, ast::For>(node) ? std::nullopt : std::optional(node.range);
      ast::forEachChild(node, [&](const ast::Node &child) { self(self, child); });
    };
    for (const ast::Statement *statement : function.definition->body)
      walk(walk, *statement);
    return found;
  }

  llvm::StringSet<> of(llvm::StringRef name) {
    llvm::StringSet<> names;
    names.insert(name);
    return close(std::move(names));
  }

private:
  using Names = llvm::SmallVector<llvm::StringRef, 4>;

  /// Adds all names that these depend on.
  llvm::StringSet<> close(llvm::StringSet<> names) const {
    llvm::SmallVector<llvm::StringRef> work(names.keys().begin(), names.keys().end());
    while (!work.empty())
      for (llvm::StringRef source : sources.lookup(work.pop_back_val()))
        if (names.insert(source).second)
          work.push_back(source);
    return names;
  }

  static void namesIn(const ast::Node &node, Names &names) {
    if (auto *name = dyn_cast<ast::Name>(&node))
      names.push_back(name->id);
    ast::forEachChild(node, [&](const ast::Node &child) { namesIn(child, names); });
  }

  /// Every name that a statement assigns depends on all names in the statement, and on the tests around it.
  void collect(const ast::Statement &statement, Names outer) {
    if (auto *branch = dyn_cast<ast::If>(&statement))
      namesIn(*branch->test, outer);
    else if (auto *loop = dyn_cast<ast::While>(&statement))
      namesIn(*loop->test, outer);
    else if (auto *loop = dyn_cast<ast::For>(&statement))
      namesIn(*loop->iterable, outer);
    bool isCompound = llvm::isa<ast::If, ast::While, ast::For>(statement);
    Names inner = outer;
    if (!isCompound)
      namesIn(statement, inner);
    for (llvm::StringRef name : frontend::assignedNames({&statement}))
      llvm::append_range(sources[name], isCompound ? outer : inner);
    ast::forEachChild(statement, [&](const ast::Node &child) {
      if (auto *nested = dyn_cast<ast::Statement>(&child))
        collect(*nested, outer);
    });
  }

  /// Adds the names of the innermost statement at `range`, and those of the tests around it.
  static void mention(const ast::Statement &statement, SourceRange range, llvm::StringSet<> &names) {
    if (range.begin < statement.range.begin || range.end > statement.range.end)
      return;
    Names mentioned;
    bool isCompound = llvm::isa<ast::If, ast::While, ast::For>(statement);
    ast::forEachChild(statement, [&](const ast::Node &child) {
      auto *nested = dyn_cast<ast::Statement>(&child);
      if (nested)
        mention(*nested, range, names);
      else
        namesIn(child, mentioned);
    });
    if (!isCompound)
      namesIn(statement, mentioned);
    for (llvm::StringRef name : mentioned)
      names.insert(name);
  }

  const frontend::Function &function;
  llvm::StringMap<Names> sources;
};

class Search {
public:
  Search(mlir::MLIRContext &context, const frontend::Function &function, const std::vector<ParameterGuess> &parameters,
         const RunOptions &options)
      : context(context), function(function), parameters(parameters), options(options), dependences(function) {}

  SearchResult run(std::vector<size_t> choice, Verdicts verdicts) {
    bool isKnown =
        choice.size() == parameters.size() && llvm::all_of(llvm::zip(choice, parameters), [](const auto &pair) {
          return std::get<0>(pair) < std::get<1>(pair).candidates.size();
        });
    if (!isKnown)
      choice.assign(parameters.size(), 0);
    result.choice = choice;
    result.run = lower(choice, options, /*recordsFacts=*/true);
    bool hasNewErrors = countOpen(result.run) != 0 && !isKnownOf(result.run, verdicts);
    bool mayReachMore =
        !isKnown && llvm::any_of(parameters, [](const auto &each) { return !each.alternatives.empty(); });
    if (result.run.isComplete && (hasNewErrors || mayReachMore)) {
      trials.push_back({choice, std::move(result.run)});
      if (hasNewErrors) {
        verdicts.clear();
        isExhausted = improve();
      }
      if (mayReachMore)
        reachMore();
      result.choice = trials[best].choice;
      result.run = lower(result.choice, options, /*recordsFacts=*/true);
    }
    for (const Diagnostic &diagnostic : result.run.diagnostics) {
      result.findings.push_back(judge(diagnostic, verdicts));
      if (isOpen(diagnostic))
        result.verdicts[keyOf(diagnostic)] = {result.findings.back().isCertain, result.findings.back().guess};
    }
    return std::move(result);
  }

private:
  struct Trial {
    std::vector<size_t> choice;
    KernelRun run;
  };

  /// Tries the candidates that decide branches, and keeps those with which more of the kernel is reached, without more
  /// errors. The final lowering has the rest of the time.
  void reachMore() {
    auto now = std::chrono::steady_clock::now();
    RunOptions part = options;
    part.deadline = now + (options.deadline - now) / 3;
    for (auto [index, parameter] : llvm::enumerate(parameters))
      for (size_t candidate : parameter.alternatives) {
        std::vector<size_t> choice = trials[best].choice;
        if (std::exchange(choice[index], candidate) == candidate || trials.size() >= maximumTrials)
          continue;
        KernelRun run = lower(choice, part, /*recordsFacts=*/false);
        if (!run.isComplete)
          return;
        const KernelRun &before = trials[best].run;
        bool isBetter = failures(run) <= failures(before) && run.places > before.places;
        trials.push_back({std::move(choice), std::move(run)});
        if (isBetter)
          best = trials.size() - 1;
      }
  }

  KernelRun lower(const std::vector<size_t> &choice, const RunOptions &until, bool recordsFacts) {
    std::vector<frontend::KernelArgument> arguments;
    for (auto [index, parameter] : llvm::zip_equal(choice, parameters))
      arguments.push_back(parameter.candidates[index]);
    return runKernel(context, function, arguments, until, recordsFacts);
  }

  bool isOpen(const Diagnostic &diagnostic) const { return diagnostic.isError() && !isIndependent(diagnostic); }
  size_t countOpen(const KernelRun &run) const {
    return llvm::count_if(run.diagnostics, [&](const Diagnostic &diagnostic) { return isOpen(diagnostic); });
  }

  /// What leaves statements out hides their errors, so that these count as well: first all failures, then those that
  /// do not follow from others.
  std::pair<size_t, size_t> failures(const KernelRun &run) const {
    size_t open = countOpen(run);
    return {open + run.leftOut.size(), open};
  }

  /// The place in the kernel itself where a function is called that has the error.
  std::optional<SourceRange> placeInKernel(const Diagnostic &diagnostic) const {
    auto isInside = [&](const std::shared_ptr<const Source> &source, SourceRange range) {
      SourceRange whole = function.definition->range;
      return source == function.source && whole.begin <= range.begin && range.end <= whole.end;
    };
    if (isInside(diagnostic.source, diagnostic.range))
      return diagnostic.range;
    for (const DiagnosticNote &note : diagnostic.notes)
      if (isInside(note.source, note.range))
        return note.range;
    return std::nullopt;
  }

  /// The guessed parameters on which an error may depend.
  std::set<size_t> relevant(const Diagnostic &diagnostic) {
    std::optional<SourceRange> place = placeInKernel(diagnostic);
    llvm::StringSet<> names = place ? dependences.at(*place) : llvm::StringSet<>();
    std::set<size_t> found;
    for (auto [index, parameter] : llvm::enumerate(parameters))
      if (parameter.isGuess() && (!place || names.contains(parameter.name)))
        found.insert(index);
    return found;
  }

  /// Tries other candidates until no open error is left, or every candidate of every relevant parameter was tried.
  /// Whether that was possible.
  bool improve() {
    for (bool hasImproved = true; hasImproved;) {
      hasImproved = false;
      std::set<size_t> changed;
      for (const Diagnostic &diagnostic : trials[best].run.diagnostics)
        if (isOpen(diagnostic))
          changed.merge(relevant(diagnostic));
      for (size_t parameter : changed)
        for (size_t candidate = 0; candidate < parameters[parameter].candidates.size(); ++candidate)
          for (bool isGroup : {false, true}) {
            if (countOpen(trials[best].run) == 0)
              return true;
            std::optional<bool> isBetter = tryChoice(changedChoice(parameter, candidate, isGroup));
            if (!isBetter)
              return false;
            hasImproved |= *isBetter;
          }
    }
    return true;
  }

  /// The best choice so far with another candidate for a parameter; as a group, for all pointers to elements of the
  /// same type, which products for example want to agree.
  std::vector<size_t> changedChoice(size_t parameter, size_t candidate, bool isGroup) const {
    std::vector<size_t> choice = trials[best].choice;
    ElementType before = parameters[parameter].candidates[choice[parameter]].type;
    ElementType after = parameters[parameter].candidates[candidate].type;
    choice[parameter] = candidate;
    if (!isGroup || !before.isPointer() || !after.isPointer())
      return choice;
    for (auto [index, other] : llvm::enumerate(parameters)) {
      auto isAfter = [&](const frontend::KernelArgument &argument) { return argument.type == after; };
      auto found = llvm::find_if(other.candidates, isAfter);
      if (other.isPointer && other.candidates[choice[index]].type == before && found != other.candidates.end())
        choice[index] = found - other.candidates.begin();
    }
    return choice;
  }

  /// Whether the choice is better than the best one so far, and takes its place; none when the search must end.
  std::optional<bool> tryChoice(std::vector<size_t> choice) {
    if (llvm::any_of(trials, [&](const Trial &trial) { return trial.choice == choice; }))
      return false;
    if (trials.size() >= maximumTrials)
      return std::nullopt;
    KernelRun run = lower(choice, options, /*recordsFacts=*/false);
    if (!run.isComplete)
      return std::nullopt;
    bool isAsComplete = run.places * 10 >= trials[best].run.places * 9;
    bool isBetter = isAsComplete && failures(run) < failures(trials[best].run);
    trials.push_back({std::move(choice), std::move(run)});
    if (isBetter)
      best = trials.size() - 1;
    return isBetter;
  }

  /// Whether the place of an error contains a constant that comes from the guess. It may be an error because of several
  /// constants, of which a trial changes only one.
  bool namesGuessedConstants(const Diagnostic &diagnostic) {
    auto found = result.run.facts.find(diagnostic.source.get());
    if (found == result.run.facts.end())
      return false;
    return llvm::any_of(found->second, [&](const Fact &fact) {
      bool isInside = diagnostic.range.begin <= fact.range.begin && fact.range.end <= diagnostic.range.end;
      if (!isInside || fact.kind != ValueKind::Constant)
        return false;
      llvm::StringSet<> names = dependences.of(diagnostic.source->text(fact.range));
      return llvm::any_of(parameters, [&](const ParameterGuess &parameter) {
        return parameter.isGuess() && names.contains(parameter.name);
      });
    });
  }

  enum class Evidence : uint8_t { Present, Absent, None };

  /// Whether a trial has the error, too. Constants also change its message if it is about a relation between them.
  Evidence evidence(const Trial &trial, const Diagnostic &diagnostic, bool changesConstants) const {
    for (const Diagnostic &other : trial.run.diagnostics)
      if (isSame(other, diagnostic))
        return !changesConstants || other.message == diagnostic.message ? Evidence::Present : Evidence::Absent;
    if (std::optional<SourceRange> statement = dependences.statementAt(diagnostic.range))
      for (const Diagnostic &other : trial.run.diagnostics)
        if (other.source == diagnostic.source && statement->begin <= other.range.begin &&
            other.range.end <= statement->end)
          return Evidence::None;
    // A trial that is not worse than the best one may be right.
    bool isWorse = failures(trial.run).first > failures(trials[best].run).first;
    bool isHidden = isWorse && trial.run.leftOutAt(diagnostic.source.get(), diagnostic.range);
    return isHidden ? Evidence::None : Evidence::Absent;
  }

  static Verdicts::key_type keyOf(const Diagnostic &diagnostic) {
    std::string text = diagnostic.source ? diagnostic.source->text(diagnostic.range).str() : "";
    return {diagnostic.info, diagnostic.message + "\n" + text};
  }
  static bool isKnownOf(const Diagnostic &diagnostic, const Verdicts &verdicts) {
    return verdicts.count(keyOf(diagnostic)) != 0;
  }
  bool isKnownOf(const KernelRun &run, const Verdicts &verdicts) const {
    return llvm::all_of(run.diagnostics, [&](const Diagnostic &diagnostic) {
      return !isOpen(diagnostic) || isKnownOf(diagnostic, verdicts);
    });
  }

  Finding judge(const Diagnostic &diagnostic, const Verdicts &verdicts) {
    Finding finding{diagnostic, /*isCertain=*/true, {}};
    if (!isOpen(diagnostic))
      return finding;
    if (auto known = verdicts.find(keyOf(diagnostic)); known != verdicts.end()) {
      finding.isCertain = known->second.isCertain;
      finding.guess = known->second.guess;
      return finding;
    }
    std::set<size_t> parametersOf = relevant(diagnostic);
    bool isAssertion = diagnostic.info->diagnosticClass == DiagnosticClass::StaticAssertion;
    if (parametersOf.empty() && isAssertion && options.machine.isGuess) {
      finding.isCertain = false;
      finding.guess = "the target is `" + nameOf(options.machine.target) + "`";
    }
    if (parametersOf.empty())
      return finding;
    std::set<size_t> deciding;
    bool isConfirmed = false;
    for (const Trial &trial : trials) {
      std::set<size_t> changed;
      for (size_t index = 0; index < parameters.size(); ++index)
        if (trial.choice[index] != result.choice[index])
          changed.insert(index);
      bool changesConstants = llvm::any_of(changed, [&](size_t index) { return parameters[index].isConstant; });
      Evidence found = evidence(trial, diagnostic, changesConstants);
      isConfirmed |= found == Evidence::Present && !changed.empty();
      if (found == Evidence::Absent)
        deciding.merge(changed);
    }
    finding.isCertain =
        deciding.empty() && isConfirmed && isExhausted && !isDemand(diagnostic) && !namesGuessedConstants(diagnostic);
    if (!finding.isCertain)
      finding.guess = guessText(deciding.empty() ? parametersOf : deciding);
    return finding;
  }

  std::string guessText(const std::set<size_t> &indices) const {
    constexpr size_t maximumShown = 4;
    std::string text;
    size_t shown = 0;
    for (size_t index : indices) {
      if (shown++ == maximumShown)
        return text + ", ...";
      const ParameterGuess &parameter = parameters[index];
      text += (text.empty() ? "`" : ", `") + parameter.name + "` is `" +
              describe(parameter.candidates[result.choice[index]]) + "`";
    }
    return text;
  }

  mlir::MLIRContext &context;
  const frontend::Function &function;
  const std::vector<ParameterGuess> &parameters;
  const RunOptions &options;
  Dependences dependences;
  std::vector<Trial> trials; ///< none if the first lowering was cut short
  size_t best = 0;
  bool isExhausted = true; ///< every candidate was tried that matters
  SearchResult result;
};

} // namespace

SearchResult searchGuess(mlir::MLIRContext &context, const frontend::Function &function,
                         const std::vector<ParameterGuess> &parameters, std::vector<size_t> choice,
                         const Verdicts &verdicts, const RunOptions &options) {
  return Search(context, function, parameters, options).run(std::move(choice), verdicts);
}

} // namespace triton::language_server
