// The functions of triton.profiler.language, which mark parts of kernels.
#pragma once

#include "frontend/lowering/builtins/Builtin.h"

namespace triton::frontend {

inline constexpr llvm::StringLiteral profilerModule = "triton.profiler.language";

/// Null when there is none of that name.
const Builtin *findProfilerFunction(llvm::StringRef name);

} // namespace triton::frontend
