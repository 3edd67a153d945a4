// The functions of triton.language that are written in the kernel language (src/frontend/prelude). A process parses
// each file at most once, when one of its functions is first used.
#pragma once

#include "frontend/Object.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <memory>

namespace triton::frontend {

/// A public function of the prelude, or null.
ObjectRef preludeFunction(llvm::StringRef name);
/// The same, of "triton.language.standard" or "triton.language.random" alone.
ObjectRef preludeFunction(llvm::StringRef module, llvm::StringRef name);
/// The prelude function that is also a method of tensors, or null.
ObjectRef preludeMethod(llvm::StringRef name);

struct PreludeFile {
  llvm::StringRef module; ///< "triton.language.standard"
  llvm::StringRef text;
};
llvm::ArrayRef<PreludeFile> preludeFiles();
/// The parsed text of a prelude file.
const Source &preludeSource(const PreludeFile &file);
/// Whether the text belongs to the prelude, which the user did not write.
bool isPrelude(const Source &source);
/// Whether it belongs to the language: to the prelude, or to what Gluon has in Python.
bool isLibrary(const Source &source);

} // namespace triton::frontend
