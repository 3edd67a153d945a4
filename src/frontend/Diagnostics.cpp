#include "frontend/Diagnostics.h"
#include "frontend/BuiltinDiagnostics.h"
#include "frontend/LoweringDiagnostics.h"
#include "frontend/ParseDiagnostics.h"

namespace triton::frontend {

std::string Diagnostic::str() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  render(stream);
  return text;
}

std::string DiagnosticError::str() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (const Diagnostic &diagnostic : list)
    diagnostic.render(stream);
  return text;
}

const char *DiagnosticError::what() const noexcept {
  rendered = str();
  return rendered.c_str();
}

void throwError(Diagnostic diagnostic) { throw DiagnosticError(std::move(diagnostic)); }

llvm::ArrayRef<const DiagnosticInfo *> allDiagnostics() {
  static constexpr const DiagnosticInfo *registry[] = {
#define TRITON_DIAGNOSTIC(name, diagnosticClass, arguments, message, fix) &diagnostics::name,
#include "frontend/Diagnostics.def"
  };
  return registry;
}

} // namespace triton::frontend
