#include "frontend/DiagnosticKinds.h"
#include "frontend/BuiltinDiagnostics.h"
#include "frontend/LoweringDiagnostics.h"
#include "frontend/ParseDiagnostics.h"

namespace triton::frontend {

llvm::ArrayRef<const DiagnosticInfo *> allDiagnostics() {
  static constexpr const DiagnosticInfo *registry[] = {
#define TRITON_DIAGNOSTIC(name, diagnosticClass, arguments, message, fix) &diagnostics::name,
#include "frontend/Diagnostics.def"
  };
  return registry;
}

} // namespace triton::frontend
