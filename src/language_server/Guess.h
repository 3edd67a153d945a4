// Arguments for kernels whose signature is not known. A guess may be wrong: Analysis.h says what follows from that.
#pragma once

#include "frontend/KernelArgument.h"
#include "language_server/Document.h"

namespace triton::language_server {

/// What may be passed for one parameter.
struct ParameterGuess {
  std::string name;
  /// At least one; the first is the most likely. A parameter with one candidate is known, or unknowable.
  std::vector<frontend::KernelArgument> candidates;
  bool isConstant = false; ///< known at compile time: the candidates differ in value, not in type
  bool isPointer = false;  ///< the candidates are types of elements

  bool isGuess() const { return candidates.size() > 1; }
};

/// Guesses by annotations, defaults, autotune configurations, and use. `isHelper`: kernels call the function with
/// values of any shape, so that only pointers and constants can be guessed.
std::vector<ParameterGuess> guessParameters(const frontend::Function &function, bool isHelper);

/// The candidates of these numbers. Pointers are aligned to 16 bytes, as those that allocate give them.
std::vector<frontend::KernelArgument> chosenArguments(const std::vector<ParameterGuess> &parameters,
                                                      const std::vector<size_t> &choice);

/// "*fp32", "64", "\"relu\"".
std::string describe(const frontend::KernelArgument &argument);

} // namespace triton::language_server
