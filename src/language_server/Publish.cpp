// Diagnostics as the protocol has them, and results of earlier versions.
#include "language_server/Features.h"

#include "llvm/ADT/STLExtras.h"

namespace triton::language_server {

lsp::Diagnostic toProtocol(const ShownDiagnostic &shown, const Document &document) {
  lsp::Diagnostic diagnostic;
  diagnostic.range = document.lines.range(shown.range);
  diagnostic.severity = shown.severity;
  diagnostic.source = "triton";
  diagnostic.message = shown.message;
  std::vector<lsp::DiagnosticRelatedInformation> related;
  for (const ShownNote &note : shown.notes) {
    if (!note.place.source) {
      related.emplace_back(lsp::Location(document.uri, document.lines.range(note.place.range)), note.message);
      continue;
    }
    if (std::optional<lsp::URIForFile> uri = uriOf(*note.place.source))
      related.emplace_back(lsp::Location(*uri, LineTable(note.place.source->text()).range(note.place.range)),
                           note.message);
  }
  if (!related.empty())
    diagnostic.relatedInformation = std::move(related);
  return diagnostic;
}

lsp::PublishDiagnosticsParams publishedDiagnostics(const Analysis &analysis) {
  lsp::PublishDiagnosticsParams params(analysis.document->uri, analysis.document->version);
  for (const ShownDiagnostic &shown : analysis.diagnostics)
    params.diagnostics.push_back(toProtocol(shown, *analysis.document));
  return params;
}

AnalysisRef carryOver(const AnalysisRef &earlier, const DocumentRef &document) {
  if (!earlier || earlier->document == document)
    return earlier;
  llvm::StringRef before = earlier->document->text, after = document->text;
  size_t shorter = std::min(before.size(), after.size());
  size_t prefix = std::mismatch(before.begin(), before.begin() + shorter, after.begin()).first - before.begin();
  size_t suffix = 0;
  while (suffix < shorter - prefix && before[before.size() - suffix - 1] == after[after.size() - suffix - 1])
    ++suffix;
  auto moved = std::make_shared<Analysis>();
  moved->document = document;
  for (const Fact &fact : earlier->facts) {
    bool isBefore = fact.range.end <= prefix, isAfter = fact.range.begin >= before.size() - suffix;
    if (!isBefore && !isAfter)
      continue;
    moved->facts.push_back(fact);
    if (isBefore)
      continue;
    auto delta = static_cast<uint32_t>(after.size() - before.size()); // modulo 2**32, like the sums
    moved->facts.back().range = {fact.range.begin + delta, fact.range.end + delta};
  }
  // Kernels keep their order unless one was added or removed.
  if (earlier->document->syntax().kernels.size() == document->syntax().kernels.size())
    moved->guesses = earlier->guesses;
  return moved;
}

} // namespace triton::language_server
