// What the analysis of one kernel says, in a form that outlives changes of the text around it.
#pragma once

#include "language_server/Analysis.h"

namespace triton::language_server {

/// A place relative to the beginning of a kernel of the document, or in another text.
struct Anchor {
  std::string kernel;                   ///< its key
  std::shared_ptr<const Source> source; ///< not null: the place is in this text
  SourceRange range;
};

struct ReportedDiagnostic {
  Anchor anchor;         ///< in the document
  ShownDiagnostic shown; ///< without places
  std::vector<std::pair<Anchor, std::string>> notes;
};

struct KernelReport {
  std::vector<ReportedDiagnostic> diagnostics;
  std::map<std::string, std::vector<Fact>> facts; ///< by the key of the kernel that holds them
  std::string guess;                              ///< "x: *fp32, BLOCK = 64"
  std::vector<frontend::KernelArgument> arguments;
};

/// The report about a kernel. Errors of kernels whose text has syntax errors are left out: they follow from those.
std::shared_ptr<const KernelReport> reportOf(const Syntax &syntax, const SearchResult &result,
                                             const std::vector<ParameterGuess> &parameters);

/// What is chosen for each parameter: "x: *fp32, BLOCK = 64".
std::string guessText(const std::vector<ParameterGuess> &parameters, const std::vector<size_t> &choice);

/// An error of the text itself rather than of a lowering.
ShownDiagnostic showTextError(const Diagnostic &error, const Syntax &syntax);

} // namespace triton::language_server
