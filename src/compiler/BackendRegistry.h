// The backends of this build.
#pragma once

#include "backends/Backend.h"

namespace triton::compiler {

/// The backend with that name, or null.
const backends::Backend *findBackend(llvm::StringRef name);
/// The names that findBackend knows.
llvm::SmallVector<llvm::StringRef> backendNames();
/// The backend of the target; throws CompilationError when there is none.
const backends::Backend &requireBackend(const base::Target &target);

} // namespace triton::compiler
