// Arguments for kernels whose signature is not known. A guess may be wrong: Analysis.h says what follows from that.
#pragma once

#include "frontend/KernelArgument.h"
#include "language_server/Document.h"
#include "settings/Settings.h"

namespace triton::language_server {

/// What may be passed, and why that is likely, in words that go on from "because".
struct Candidate : frontend::KernelArgument {
  std::string reason;
};

/// What may be passed for one parameter.
struct ParameterGuess {
  std::string name;
  /// At least one; the first is the most likely. A parameter with one candidate is known, or unknowable.
  std::vector<Candidate> candidates;
  /// The candidates that decide branches: with which of them most of the kernel is reached, a lowering shows. Empty
  /// where the text of the kernel says what it is called with.
  std::vector<size_t> alternatives;
  bool isConstant = false; ///< known at compile time: the candidates differ in value, not in type
  bool isPointer = false;  ///< the candidates are types of elements

  bool isGuess() const { return candidates.size() > 1; }
};

/// Guesses by annotations, defaults, autotune configurations, and use. `isHelper`: kernels call the function with
/// values of any shape, so that only pointers and constants can be guessed.
/// What the settings say is not a guess.
std::vector<ParameterGuess> guessParameters(const frontend::Function &function, bool isHelper,
                                            const settings::KernelSettings &settings = {});

/// The candidates of these numbers. Pointers are aligned to 16 bytes, as those that allocate give them, and the rows of
/// arrays as well.
std::vector<frontend::KernelArgument> chosenArguments(const std::vector<ParameterGuess> &parameters,
                                                      const std::vector<size_t> &choice);

/// "*fp32", "64", "\"relu\"".
std::string describe(const frontend::KernelArgument &argument);

} // namespace triton::language_server
