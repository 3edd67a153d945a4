// Debug output of this project's sources, which -debug-only (triton-opt) selects in every build. LLVM's own macro is
// compiled out wherever NDEBUG is defined, together with the declarations that it needs.
#pragma once

#include "llvm/Support/Debug.h"
#include "llvm/Support/raw_ostream.h"

#undef isCurrentDebugType
#undef setCurrentDebugTypes

namespace llvm {
bool isCurrentDebugType(const char *type, int level);
void setCurrentDebugTypes(const char **types, unsigned count);
} // namespace llvm

/// Runs the statements when -debug-only selects DEBUG_TYPE, which the including source defines.
#define TRITON_DEBUG(...)                                                                                              \
  do {                                                                                                                 \
    if (::llvm::DebugFlag && ::llvm::isCurrentDebugType(DEBUG_TYPE, 0)) {                                              \
      __VA_ARGS__;                                                                                                     \
    }                                                                                                                  \
  } while (false)
