// Errors that LLVM answers by ending the process: they become ordinary errors, so that a compilation which fails never
// takes the user's process with it.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace triton::backends {

/// Runs `body`. A fatal error that LLVM reports meanwhile on this thread (report_fatal_error) leaves `body` at once and
/// is returned. LLVM's own functions do not clean up then: what they hold is lost. An allocation of LLVM that fails
/// throws std::bad_alloc, also elsewhere.
llvm::Error catchFatalErrors(llvm::function_ref<llvm::Error()> body);

/// What code generation reported. Inline assembly is the kernel's, and so is an error of it.
struct CodeGenerationError {
  std::string text;
  bool isOfAssembly = false;
  std::string file = {};         ///< of the kernel's text, as the debug information names it
  unsigned line = 0, column = 0; ///< line 0 where LLVM does not say
};

/// From now on `errors` gets the errors that code generation reports to this context; the default is to print them
/// and exit. Warnings are printed as before.
void collectErrors(llvm::LLVMContext &context, std::vector<CodeGenerationError> &errors);

} // namespace triton::backends
