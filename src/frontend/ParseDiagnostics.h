// The kinds of ParseDiagnostics.def as typed constants.
#pragma once

#include "frontend/DiagnosticKinds.h"

namespace triton::frontend::diagnostics {
#define TRITON_DIAGNOSTIC TRITON_DECLARE_DIAGNOSTIC
#include "frontend/ParseDiagnostics.def"
#undef TRITON_DIAGNOSTIC
} // namespace triton::frontend::diagnostics
