// Source text → tokens. Indentation, line joining and f-strings are resolved here: the parser sees Indent, Dedent and
// Newline tokens, and the replacement fields of an f-string as ordinary tokens between FStringStart and FStringEnd.
#pragma once

#include "base/Diagnostics.h"
#include "base/Source.h"

#include <vector>

namespace triton::frontend {

using namespace base;

enum class TokenKind : uint8_t {
#define TRITON_TOKEN(name, description) name,
#define TRITON_PUNCTUATOR(name, spelling) name,
#define TRITON_KEYWORD(name, spelling) name,
#include "frontend/Tokens.def"
};

struct Token {
  TokenKind kind;
  SourceRange range;
};

/// The words for a message: "`:=`", "`while`", "a name".
std::string describe(TokenKind kind);
bool isKeyword(TokenKind kind);

/// Collects the errors in a text, up to a limit.
class DiagnosticSink {
public:
  static constexpr size_t maximumCount = 20;

  explicit DiagnosticSink(const Source &source) : source(source) {}

  template <typename... Args>
  void report(const DiagnosticKind<void(Args...)> &kind, SourceRange range, const std::type_identity_t<Args> &...args) {
    add(makeDiagnostic(kind, source, range, args...));
  }
  void add(Diagnostic diagnostic);
  bool isFull() const { return list.size() >= maximumCount; }
  bool isEmpty() const { return list.empty(); }
  /// In the order of the text.
  std::vector<Diagnostic> take();

private:
  const Source &source;
  std::vector<Diagnostic> list;
};

enum class LexStart : uint8_t {
  File,     ///< the first line must not be indented
  Function, ///< the first line's indentation is the outermost
};

/// Lexes the whole text. The last token is EndOfFile; errors are reported to `sink` and leave Invalid tokens or none.
std::vector<Token> lex(const Source &source, LexStart start, DiagnosticSink &sink);

} // namespace triton::frontend
