// The kinds of diagnostics of the frontend. A section's own header (ParseDiagnostics.h, LoweringDiagnostics.h,
// BuiltinDiagnostics.h) declares its kinds, so that a new kind recompiles only the files of that section.
#pragma once

#include "base/Diagnostics.h"

namespace triton::frontend {

using namespace base;

/// Every registered kind, in the order of Diagnostics.def.
llvm::ArrayRef<const DiagnosticInfo *> allDiagnostics();

} // namespace triton::frontend
