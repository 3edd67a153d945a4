// Which errors of passes are about the user's kernel, and where in it.
#pragma once

#include "base/PassRunner.h"

namespace triton::base {

/// A diagnostic of a pass that starts with these words is about a kernel that is wrong on every target, as a wait that
/// cannot end.
inline constexpr llvm::StringLiteral wrongKernelPrefix = "the kernel is wrong: ";

/// Whether the diagnostic is the user's; all others are defects of the compiler.
inline bool isUserError(llvm::StringRef text) {
  return text.starts_with(unsupportedPrefix) || text.starts_with(wrongKernelPrefix);
}

/// Whether a file is part of the language: what is found in it is wrong at the line that calls it. The files of the
/// prelude have names of modules.
inline bool isLibraryFile(llvm::StringRef name) {
  return name.starts_with("triton.language.") || name.contains("/triton/experimental/gluon/language/");
}

} // namespace triton::base
