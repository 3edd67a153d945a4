// The machine code for GPUs that kernels of this process hold, for profilers, which find the source of instructions by
// it.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

#include <string_view>

namespace triton::base {

/// Makes code known as long as this lives; the code lives longer.
class LoadedCode {
public:
  explicit LoadedCode(std::string_view code);
  ~LoadedCode();
  LoadedCode(const LoadedCode &) = delete;
  LoadedCode &operator=(const LoadedCode &) = delete;
};

/// Calls `visitor` with each piece of code, which stays valid during the call only.
void visitLoadedCode(llvm::function_ref<void(std::string_view code)> visitor);

} // namespace triton::base
