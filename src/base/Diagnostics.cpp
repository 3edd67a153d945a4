#include "base/Diagnostics.h"

namespace triton::base {

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

} // namespace triton::base
