#include "language_server/KernelReport.h"

#include "frontend/BuiltinDiagnostics.h"
#include "frontend/LoweringDiagnostics.h"
#include "frontend/ParseDiagnostics.h"
#include "language_server/CallGraph.h"

namespace triton::language_server {

namespace diagnostics = frontend::diagnostics;

namespace {

/// What a remedy says to write instead, where it is the whole text of the diagnostic's range.
std::string replacementIn(const Diagnostic &diagnostic) {
  llvm::StringRef fix = diagnostic.fix;
  bool isSpelling = fix.consume_front("did you mean `");
  bool isWritten = diagnostic.info == &diagnostics::ElseIf || diagnostic.info == &diagnostics::InvalidCharacter;
  if (!isSpelling && !(isWritten && fix.consume_front("write `")))
    return "";
  auto [replacement, rest] = fix.split('`');
  return isSpelling || rest.empty() ? replacement.str() : "";
}

/// Everything but the places.
ShownDiagnostic show(const Diagnostic &diagnostic) {
  ShownDiagnostic shown;
  shown.severity = diagnostic.isError() ? lsp::DiagnosticSeverity::Error : lsp::DiagnosticSeverity::Information;
  shown.message = diagnostic.message;
  if (!diagnostic.fix.empty())
    shown.message += "\nhelp: " + diagnostic.fix;
  shown.kind = diagnostic.info;
  shown.fixReplacement = replacementIn(diagnostic);
  return shown;
}

class Reporter {
public:
  explicit Reporter(const Syntax &syntax) : syntax(syntax), keys(syntax) {}

  void addFacts(KernelReport &report, const KernelRun &run) {
    auto found = run.facts.find(syntax.source.get());
    if (found == run.facts.end())
      return;
    for (const Fact &fact : found->second)
      if (std::optional<size_t> kernel = keys.holder(fact.range)) {
        Fact relative = fact;
        uint32_t base = keys.begin(*kernel);
        relative.range = {fact.range.begin - base, fact.range.end - base};
        report.facts[keys.key(*kernel)].push_back(std::move(relative));
      }
  }

  void addFinding(KernelReport &report, const Finding &finding) {
    const Diagnostic &diagnostic = finding.diagnostic;
    ReportedDiagnostic reported{{}, show(diagnostic), {}};
    std::optional<Anchor> place = anchor(diagnostic.source, diagnostic.range);
    bool isElsewhere = !place || place->source;
    if (isElsewhere)
      place = firstNoteHere(diagnostic);
    if (!place || hasSyntaxError(*place))
      return;
    reported.anchor = *place;
    if (isElsewhere && diagnostic.source) {
      reported.notes.push_back({{"", diagnostic.source, diagnostic.range}, "found here"});
      reported.shown.kind = nullptr;
      reported.shown.fixReplacement.clear();
    }
    for (const DiagnosticNote &note : diagnostic.notes) {
      std::optional<Anchor> at = anchor(note.source, note.range);
      if (at)
        reported.notes.push_back({std::move(*at), note.message});
    }
    if (!finding.isCertain) {
      reported.shown.severity = lsp::DiagnosticSeverity::Hint;
      reported.shown.message = "if " + finding.guess + ", which is a guess: " + reported.shown.message;
    }
    report.diagnostics.push_back(std::move(reported));
  }

private:
  /// Null where the place is in the document but in no kernel.
  std::optional<Anchor> anchor(const std::shared_ptr<const Source> &source, SourceRange range) const {
    if (!source)
      return std::nullopt;
    if (source != syntax.source)
      return Anchor{"", source, range};
    std::optional<size_t> kernel = keys.holder(range);
    if (!kernel)
      return std::nullopt;
    uint32_t base = keys.begin(*kernel);
    return Anchor{keys.key(*kernel), nullptr, {range.begin - base, range.end - base}};
  }

  /// For an error in another file: the call in this file that leads there.
  std::optional<Anchor> firstNoteHere(const Diagnostic &diagnostic) const {
    for (const DiagnosticNote &note : diagnostic.notes)
      if (note.source == syntax.source)
        return anchor(note.source, note.range);
    return std::nullopt;
  }

  bool hasSyntaxError(const Anchor &place) const {
    return llvm::any_of(syntax.errors, [&](const Diagnostic &error) {
      std::optional<size_t> kernel = keys.holder(error.range);
      return kernel && keys.key(*kernel) == place.kernel;
    });
  }

  const Syntax &syntax;
  KernelKeys keys;
};

} // namespace

std::string guessText(const std::vector<ParameterGuess> &parameters, const std::vector<size_t> &choice) {
  std::string text;
  for (auto [parameter, index] : llvm::zip_equal(parameters, choice)) {
    const frontend::KernelArgument &argument = parameter.candidates[index];
    text += (text.empty() ? "" : ", ") + parameter.name + (argument.constant ? " = " : ": ") + describe(argument);
  }
  return text;
}

std::shared_ptr<const KernelReport> reportOf(const Syntax &syntax, const SearchResult &result,
                                             const std::vector<ParameterGuess> &parameters) {
  auto report = std::make_shared<KernelReport>();
  Reporter reporter(syntax);
  reporter.addFacts(*report, result.run);
  for (const Finding &finding : result.findings)
    reporter.addFinding(*report, finding);
  report->guess = guessText(parameters, result.choice);
  report->arguments = chosenArguments(parameters, result.choice);
  return report;
}

ShownDiagnostic showTextError(const Diagnostic &error, const Syntax &syntax) {
  ShownDiagnostic shown = show(error);
  shown.range = error.range;
  for (const DiagnosticNote &note : error.notes)
    shown.notes.push_back({{note.source == syntax.source ? nullptr : note.source, note.range}, note.message});
  return shown;
}

} // namespace triton::language_server
