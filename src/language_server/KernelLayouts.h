// The layouts that a kernel's tensors get on the default target. They are chosen by passes, so the kernel is compiled
// that far.
#pragma once

#include "language_server/Document.h"
#include "language_server/KernelRun.h"

namespace triton::language_server {

/// What is compiled.
struct LayoutQuestion {
  DocumentRef document;
  FunctionRef kernel;
  std::vector<frontend::KernelArgument> arguments; ///< as they are guessed
  Machine machine;                                 ///< a GPU
  uint64_t stamp = 0;                              ///< of the kernel's text and all that it uses
};

/// The layouts that a tensor has, one after another.
struct ValueLayouts {
  SourceRange range;                ///< of the name, relative to the kernel that holds it
  std::string type;                 ///< as in Fact
  std::vector<std::string> layouts; ///< each the encoding with what it says in words
};

struct KernelLayouts {
  std::map<std::string, std::vector<ValueLayouts>> byKernel; ///< by the key of the kernel that holds the names

  /// Null when none is known.
  const ValueLayouts *find(const std::string &kernel, SourceRange range, llvm::StringRef type) const;
};
using KernelLayoutsRef = std::shared_ptr<const KernelLayouts>;

/// Empty when the kernel does not compile. Throws CompilationAbandoned once another thread has set `isAbandoned`.
KernelLayouts findLayouts(const LayoutQuestion &question, const std::atomic<bool> *isAbandoned);

} // namespace triton::language_server
