// A signature for a kernel that is compiled before anyone said for what.
#pragma once

#include "frontend/Object.h"

#include <string>
#include <vector>

namespace triton::language_server {

/// One item of a guessed signature.
struct GuessedItem {
  std::string parameter;
  std::string text;     ///< as `--signature` of tritonc takes it
  std::string reason;   ///< why this was chosen, in words that go on from "because"
  bool isGiven = false; ///< the kernel's settings say it, so that it is not a guess
};

/// An item for each parameter: that of the kernel's settings, or one for which the kernel has as few errors as possible
/// and most of its branches are taken. Throws DiagnosticError where the settings are wrong.
/// Pointers are aligned to 16 bytes, as those that allocate give them.
std::vector<GuessedItem> guessSignature(const frontend::Function &function);

} // namespace triton::language_server
