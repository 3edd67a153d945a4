// Finds arguments for which a kernel has as few errors as possible, and decides which errors do not depend on them.
#pragma once

#include "language_server/Guess.h"
#include "language_server/KernelRun.h"

namespace triton::language_server {

/// A diagnostic of a kernel whose arguments are guessed.
struct Finding {
  Diagnostic diagnostic;
  /// It holds for every guess. Otherwise `guess` says for which arguments it holds: "`x` is *fp32".
  bool isCertain = true;
  std::string guess;
};

/// What a search found of errors, by their kind, and their message with the text that they are about.
struct Verdict {
  bool isCertain = true;
  std::string guess;
};
using Verdicts = std::map<std::pair<const DiagnosticInfo *, std::string>, Verdict>;

struct SearchResult {
  std::vector<Finding> findings;
  KernelRun run;              ///< for the arguments that were chosen, with facts
  std::vector<size_t> choice; ///< the candidate of each parameter
  Verdicts verdicts;          ///< of the errors that may come from the guess
};

/// Lowers the kernel for the most likely arguments. If that has errors that may come from the guess, tries others: one
/// parameter at a time, and keeps what leaves fewer errors. Of what decides branches, it keeps what reaches most. An
/// error is certain if no trial is without it. `choice` and `verdicts` are results of an earlier search, or empty: the
/// search starts there, and is left out if the kernel has no errors that it did not have then.
SearchResult searchGuess(mlir::MLIRContext &context, const frontend::Function &function,
                         const std::vector<ParameterGuess> &parameters, std::vector<size_t> choice,
                         const Verdicts &verdicts, const RunOptions &options);

} // namespace triton::language_server
