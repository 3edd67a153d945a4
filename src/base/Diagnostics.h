// Diagnostics: each kind is declared once, in a list (frontend/Diagnostics.def), with its class, the types of its
// arguments, its message and its remedy. Here is the machinery that makes, throws and renders them.
#pragma once

#include "base/Source.h"

#include <exception>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace triton::base {

/// The last three are errors; they differ in the exception that Python users see.
enum class DiagnosticClass : uint8_t { Note, Remark, Warning, Error, UnsupportedConstruct, StaticAssertion };

struct DiagnosticInfo {
  llvm::StringLiteral name;
  DiagnosticClass diagnosticClass;
  llvm::StringLiteral message; ///< llvm::formatv's syntax
  llvm::StringLiteral fix;     ///< the remedy, of the same arguments; may be empty
};

namespace detail {
/// One more than the highest index among the `{n…}` of a format; `{{` is a brace.
consteval unsigned countPlaceholders(llvm::StringLiteral format) {
  unsigned count = 0;
  for (size_t i = 0; i + 1 < format.size(); ++i) {
    if (format.data()[i] != '{')
      continue;
    char next = format.data()[i + 1];
    if (next >= '0' && next <= '9')
      count = std::max(count, unsigned(next - '0') + 1);
    else if (next != '{')
      throw "a brace that begins no placeholder is written {{";
    else
      ++i;
  }
  return count;
}
} // namespace detail

/// A kind of diagnostic whose arguments have these types.
template <typename Signature> struct DiagnosticKind;
template <typename... Args> struct DiagnosticKind<void(Args...)> : DiagnosticInfo {
  consteval DiagnosticKind(llvm::StringLiteral name, DiagnosticClass diagnosticClass, llvm::StringLiteral message,
                           llvm::StringLiteral fix)
      : DiagnosticInfo{name, diagnosticClass, message, fix} {
    if (detail::countPlaceholders(message) > sizeof...(Args) || detail::countPlaceholders(fix) > sizeof...(Args))
      throw "a placeholder has no argument";
  }
};

/// Declares the kinds of a section: `#define TRITON_DIAGNOSTIC TRITON_DECLARE_DIAGNOSTIC`, then include the section.
#define TRITON_DECLARE_DIAGNOSTIC(name, diagnosticClass, arguments, message, fix)                                      \
  inline constexpr ::triton::base::DiagnosticKind<void arguments> name{                                                \
      llvm::StringLiteral(#name), ::triton::base::DiagnosticClass::diagnosticClass, llvm::StringLiteral(message),      \
      llvm::StringLiteral(fix)};

/// Something further to look at: another place, or a caller.
struct DiagnosticNote {
  const DiagnosticInfo *info;
  std::shared_ptr<const Source> source; ///< null when there is no place to show
  SourceRange range;
  std::string message;
};

class Diagnostic {
public:
  Diagnostic(const DiagnosticInfo &info, std::shared_ptr<const Source> source, SourceRange range, std::string message,
             std::string fix)
      : info(&info), source(std::move(source)), range(range), message(std::move(message)), fix(std::move(fix)) {}

  /// Appends a note about a place. Calls can be chained.
  template <typename... Args>
  Diagnostic &note(const DiagnosticKind<void(Args...)> &kind, const Source &source, SourceRange range,
                   const std::type_identity_t<Args> &...args);

  bool isError() const { return info->diagnosticClass >= DiagnosticClass::Error; }
  /// `file:line:column: error: message`, the source line with carets, the remedy, then the notes in the same form.
  void render(llvm::raw_ostream &stream) const;
  std::string str() const;

  const DiagnosticInfo *info;
  std::shared_ptr<const Source> source; ///< null when the error has no place in a source (a wrong launch)
  SourceRange range;
  std::string message;
  std::string fix;
  std::vector<DiagnosticNote> notes;
};

/// Thrown when the user's program has an error. As it passes the callers of a kernel, each adds its place.
class DiagnosticError : public std::exception {
public:
  explicit DiagnosticError(Diagnostic diagnostic) : list({std::move(diagnostic)}) {}
  explicit DiagnosticError(std::vector<Diagnostic> diagnostics) : list(std::move(diagnostics)) {}

  /// At least one.
  const std::vector<Diagnostic> &diagnostics() const { return list; }
  std::vector<Diagnostic> &diagnostics() { return list; }
  const Diagnostic &first() const { return list.front(); }
  /// All of them, rendered.
  std::string str() const;
  const char *what() const noexcept override;

private:
  std::vector<Diagnostic> list;
  mutable std::string rendered;
};

namespace detail {
template <typename... Args> std::string formatMessage(llvm::StringLiteral format, const Args &...args) {
  return llvm::formatv(false, format.data(), args...).str();
}
inline std::shared_ptr<const Source> share(const Source *source) {
  return source ? source->shared_from_this() : nullptr;
}
} // namespace detail

template <typename... Args>
Diagnostic makeDiagnostic(const DiagnosticKind<void(Args...)> &kind, const Source *source, SourceRange range,
                          const std::type_identity_t<Args> &...args) {
  return Diagnostic(kind, detail::share(source), range, detail::formatMessage(kind.message, args...),
                    detail::formatMessage(kind.fix, args...));
}
template <typename... Args>
Diagnostic makeDiagnostic(const DiagnosticKind<void(Args...)> &kind, const Source &source, SourceRange range,
                          const std::type_identity_t<Args> &...args) {
  return makeDiagnostic(kind, &source, range, args...);
}

[[noreturn]] void throwError(Diagnostic diagnostic);

template <typename... Args>
[[noreturn]] void throwError(const DiagnosticKind<void(Args...)> &kind, const Source &source, SourceRange range,
                             const std::type_identity_t<Args> &...args) {
  throwError(makeDiagnostic(kind, &source, range, args...));
}
/// An error without a place in a source.
template <typename... Args>
[[noreturn]] void throwError(const DiagnosticKind<void(Args...)> &kind, const std::type_identity_t<Args> &...args) {
  throwError(makeDiagnostic(kind, static_cast<const Source *>(nullptr), SourceRange(), args...));
}

template <typename... Args>
Diagnostic &Diagnostic::note(const DiagnosticKind<void(Args...)> &kind, const Source &source, SourceRange range,
                             const std::type_identity_t<Args> &...args) {
  notes.push_back({&kind, source.shared_from_this(), range, detail::formatMessage(kind.message, args...)});
  return *this;
}

} // namespace triton::base
