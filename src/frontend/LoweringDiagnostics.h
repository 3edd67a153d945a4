// The kinds of LoweringDiagnostics.def as typed constants.
#pragma once

#include "frontend/DiagnosticKinds.h"

namespace triton::frontend::diagnostics {
#define TRITON_DIAGNOSTIC TRITON_DECLARE_DIAGNOSTIC
#include "frontend/LoweringDiagnostics.def"
#undef TRITON_DIAGNOSTIC
} // namespace triton::frontend::diagnostics
