// The state of one run of the lexer. Only the files that lex its constructs use it.
#pragma once

#include "frontend/Lexer.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace triton::frontend {

class LexerState {
public:
  LexerState(const Source &source, LexStart start, DiagnosticSink &sink);
  std::vector<Token> run();

private:
  /// The lexer's position inside of an f-string. The innermost part is at the back of `parts`.
  struct FStringPart {
    enum class Kind : uint8_t { Literal, Expression, FormatSpec };
    Kind kind;
    char quote;
    bool isTriple;
    bool isRaw;
    uint32_t start;      ///< of the f-string, or of the field's brace
    size_t bracketCount; ///< open brackets outside of an Expression, its own brace included
  };

  // Lexer.cpp: lines, indentation, brackets and punctuation.
  bool lexLineStart();
  void lexToken();
  void finish();
  void pushToken(TokenKind kind, uint32_t begin);
  void stop(uint32_t begin);
  void applyIndentation(unsigned column, unsigned alternateColumn, uint32_t lineBegin);
  void dedentTo(unsigned column, unsigned alternateColumn, uint32_t lineBegin);
  bool skipBlanks();
  void lexNewline();
  void openBracket(TokenKind kind, uint32_t begin);
  void closeBracket(TokenKind kind, uint32_t begin);
  void abandonBrackets();
  uint32_t lineBeginBefore(uint32_t position) const;
  uint32_t firstDecoratorLine(uint32_t lineBegin, uint32_t bracket) const;
  bool beginsStatementInBrackets(TokenKind keyword, uint32_t begin) const;
  void lexName();
  void lexPunctuator();
  void lexInvalidCharacter();
  char32_t decode(uint32_t at, unsigned *length) const;

  // LexNumber.cpp
  void lexNumber();
  bool scanDigits(llvm::function_ref<bool(char)> isDigit);
  void scanRadixNumber(uint32_t begin, llvm::StringRef name, llvm::function_ref<bool(char)> isDigit);
  void scanDecimalNumber(uint32_t begin);
  void checkNumberEnd(uint32_t begin, llvm::StringRef name);

  // LexString.cpp
  /// The prefix length when a string literal starts here.
  std::optional<unsigned> stringPrefixLength() const;
  void lexString(unsigned prefixLength);
  void lexPlainString(uint32_t begin, char quote, bool isTriple);
  void lexFStringText();
  void lexFStringField();
  void endFString(uint32_t begin);
  void unterminatedFString();
  /// True when the punctuation at the cursor belongs to the f-string around it; it is lexed then.
  bool lexFStringPunctuation();

  char peek(size_t ahead = 0) const { return at + ahead < text.size() ? text[at + ahead] : '\0'; }
  bool atEnd() const { return at >= text.size(); }
  bool atLineEnd() const { return peek() == '\n' || peek() == '\r'; }
  bool isQuoteRun(char quote, unsigned count) const;
  void skipNewline() { at += peek() == '\r' && peek(1) == '\n' ? 2 : 1; }
  static bool isAsciiLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
  static bool isNameStart(char c) { return isAsciiLetter(c) || c == '_' || (c & 0x80); }
  static bool isNameContinue(char c) { return isNameStart(c) || (c >= '0' && c <= '9'); }

  template <typename... Args>
  void error(const DiagnosticKind<void(Args...)> &kind, uint32_t begin, uint32_t end,
             const std::type_identity_t<Args> &...args) {
    sink.report(kind, SourceRange{begin, end}, args...);
  }

  static constexpr unsigned maximumIndentation = 100;
  static constexpr unsigned maximumBrackets = 200;
  static constexpr unsigned maximumFStringNesting = 150;

  const Source &source;
  llvm::StringRef text;
  LexStart start;
  DiagnosticSink &sink;
  uint32_t at = 0;
  std::vector<Token> tokens;

  struct Indentation {
    unsigned column;          ///< tabs reach to multiples of 8
    unsigned alternateColumn; ///< tabs count 1: its order differs from that of `column` only when the mix is ambiguous
  };
  llvm::SmallVector<Indentation, 16> indentations;
  struct Bracket {
    TokenKind kind;
    uint32_t begin;
  };
  llvm::SmallVector<Bracket, 16> brackets;
  llvm::SmallVector<FStringPart, 4> parts;
  bool isLineStart = true;
};

} // namespace triton::frontend
