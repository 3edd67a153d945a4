#include "frontend/Lexer.h"
#include "frontend/LexerState.h"
#include "frontend/ParseDiagnostics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/UnicodeCharRanges.h"

#include <tuple>

namespace triton::frontend {

#include "frontend/IdentifierRanges.inc"

std::string describe(TokenKind kind) {
  switch (kind) {
#define TRITON_TOKEN(name, description)                                                                                \
  case TokenKind::name:                                                                                                \
    return description;
#define TRITON_PUNCTUATOR(name, spelling)                                                                              \
  case TokenKind::name:                                                                                                \
    return "`" spelling "`";
#define TRITON_KEYWORD(name, spelling) TRITON_PUNCTUATOR(name, spelling)
#include "frontend/Tokens.def"
  }
  llvm_unreachable("unknown token kind");
}

bool isKeyword(TokenKind kind) { return kind >= TokenKind::KeywordFalse; }

void DiagnosticSink::add(Diagnostic diagnostic) {
  // Lexer and parser may both find the same bracket that is never closed.
  bool isKnown = llvm::any_of(
      list, [&](const Diagnostic &other) { return other.info == diagnostic.info && other.range == diagnostic.range; });
  if (!isKnown && !isFull())
    list.push_back(std::move(diagnostic));
}

std::vector<Diagnostic> DiagnosticSink::take() {
  llvm::sort(list, [](const Diagnostic &a, const Diagnostic &b) {
    return std::tie(a.range.begin, a.range.end, a.message) < std::tie(b.range.begin, b.range.end, b.message);
  });
  return std::move(list);
}

std::vector<Token> lex(const Source &source, LexStart start, DiagnosticSink &sink) {
  return LexerState(source, start, sink).run();
}

LexerState::LexerState(const Source &source, LexStart start, DiagnosticSink &sink)
    : source(source), text(source.text()), start(start), sink(sink) {
  if (text.starts_with("\xEF\xBB\xBF"))
    at = 3;
}

std::vector<Token> LexerState::run() {
  auto *bytes = reinterpret_cast<const llvm::UTF8 *>(text.data());
  const llvm::UTF8 *cursor = bytes;
  if (!llvm::isLegalUTF8String(&cursor, bytes + text.size())) {
    auto position = static_cast<uint32_t>(cursor - bytes);
    error(diagnostics::NotUtf8, position, position + 1, "0x" + llvm::utohexstr(bytes[position], /*LowerCase=*/true, 2));
    tokens.push_back({TokenKind::EndOfFile, {position, position}});
    return std::move(tokens);
  }
  tokens.reserve(text.size() / 4 + 16);
  while (!atEnd() && !sink.isFull()) {
    if (!parts.empty() && parts.back().kind != FStringPart::Kind::Expression)
      lexFStringText();
    else if (!isLineStart || lexLineStart())
      lexToken();
  }
  finish();
  return std::move(tokens);
}

void LexerState::pushToken(TokenKind kind, uint32_t begin) { tokens.push_back({kind, {begin, at}}); }

/// Ends the lexing at an error after which nothing would make sense.
void LexerState::stop(uint32_t begin) {
  pushToken(TokenKind::Invalid, begin);
  at = static_cast<uint32_t>(text.size());
  brackets.clear();
  parts.clear();
}

/// Closes what is open at the end of the text.
void LexerState::finish() {
  if (!sink.isFull()) {
    if (!parts.empty())
      unterminatedFString();
    else if (!brackets.empty())
      abandonBrackets();
  }
  at = static_cast<uint32_t>(text.size());
  if (!tokens.empty() && tokens.back().kind != TokenKind::Newline && tokens.back().kind != TokenKind::Dedent)
    pushToken(TokenKind::Newline, at);
  for (; indentations.size() > 1; indentations.pop_back())
    pushToken(TokenKind::Dedent, at);
  pushToken(TokenKind::EndOfFile, at);
}

/// Reads the white space that begins a logical line. False when the line holds nothing else.
bool LexerState::lexLineStart() {
  unsigned column = 0, alternateColumn = 0;
  uint32_t lineBegin = at;
  for (;; ++at) {
    char c = peek();
    if (c == ' ') {
      ++column;
      ++alternateColumn;
    } else if (c == '\t') {
      column = (column / 8 + 1) * 8;
      ++alternateColumn;
    } else if (c == '\f') {
      column = alternateColumn = 0;
    } else {
      break;
    }
  }
  if (peek() == '#')
    at = static_cast<uint32_t>(std::min(text.find_first_of("\r\n", at), text.size()));
  if (atEnd())
    return false;
  if (atLineEnd()) {
    skipNewline();
    return false;
  }
  isLineStart = false;
  applyIndentation(column, alternateColumn, lineBegin);
  return !atEnd();
}

void LexerState::applyIndentation(unsigned column, unsigned alternateColumn, uint32_t lineBegin) {
  if (indentations.empty()) {
    bool setsLevel = start == LexStart::Function;
    indentations.push_back(setsLevel ? Indentation{column, alternateColumn} : Indentation{0, 0});
  }
  Indentation top = indentations.back();
  if (column == top.column) {
    if (alternateColumn != top.alternateColumn)
      error(diagnostics::InconsistentTabs, lineBegin, at);
    return;
  }
  if (column < top.column)
    return dedentTo(column, alternateColumn, lineBegin);
  if (alternateColumn <= top.alternateColumn)
    error(diagnostics::InconsistentTabs, lineBegin, at);
  if (indentations.size() >= maximumIndentation) {
    error(diagnostics::TooManyIndentations, lineBegin, at, maximumIndentation);
    return stop(lineBegin);
  }
  indentations.push_back({column, alternateColumn});
  tokens.push_back({TokenKind::Indent, {lineBegin, at}});
}

void LexerState::dedentTo(unsigned column, unsigned alternateColumn, uint32_t lineBegin) {
  while (indentations.size() > 1 && column < indentations.back().column) {
    bool isBetween = column > indentations[indentations.size() - 2].column;
    if (isBetween)
      break;
    indentations.pop_back();
    tokens.push_back({TokenKind::Dedent, {at, at}});
  }
  Indentation &top = indentations.back();
  if (column != top.column) {
    // The line then belongs to the inner block, whose indentation it sets; the parser skips it.
    error(diagnostics::UnmatchedDedent, lineBegin, at);
    top = {column, alternateColumn};
    tokens.push_back({TokenKind::Invalid, {at, at}});
  } else if (alternateColumn != top.alternateColumn) {
    error(diagnostics::InconsistentTabs, lineBegin, at);
  }
}

/// Skips white space, comments and joined lines between tokens. False when a token starts here.
bool LexerState::skipBlanks() {
  switch (peek()) {
  case ' ':
  case '\t':
  case '\f':
    ++at;
    return true;
  case '#':
    at = static_cast<uint32_t>(std::min(text.find_first_of("\r\n", at), text.size()));
    return true;
  case '\n':
  case '\r':
    lexNewline();
    return true;
  case '\\':
    break;
  default:
    return false;
  }
  uint32_t begin = at++;
  if (atLineEnd())
    skipNewline();
  if (atEnd() || at == begin + 1)
    error(diagnostics::StrayBackslash, begin, begin + 1);
  return true;
}

void LexerState::lexNewline() {
  uint32_t begin = at;
  skipNewline();
  if (!brackets.empty())
    return;
  pushToken(TokenKind::Newline, begin);
  isLineStart = true;
}

void LexerState::lexToken() {
  if (skipBlanks())
    return;
  char c = peek();
  if (std::optional<unsigned> prefixLength = stringPrefixLength())
    return lexString(*prefixLength);
  if (isNameStart(c))
    return lexName();
  if (llvm::isDigit(c) || (c == '.' && llvm::isDigit(peek(1))))
    return lexNumber();
  if (!parts.empty() && lexFStringPunctuation())
    return;
  lexPunctuator();
}

char32_t LexerState::decode(uint32_t position, unsigned *length) const {
  auto *cursor = reinterpret_cast<const llvm::UTF8 *>(text.data()) + position;
  const llvm::UTF8 *begin = cursor;
  llvm::UTF32 result = 0;
  llvm::convertUTF8Sequence(&cursor, reinterpret_cast<const llvm::UTF8 *>(text.end()), &result, llvm::strictConversion);
  *length = static_cast<unsigned>(cursor - begin);
  return result;
}

static TokenKind keywordOrName(llvm::StringRef word) {
  if (word.size() < 2 || word.size() > 8)
    return TokenKind::Name;
  return llvm::StringSwitch<TokenKind>(word)
#define TRITON_KEYWORD(name, spelling) .Case(spelling, TokenKind::name)
#include "frontend/Tokens.def"
      .Default(TokenKind::Name);
}

void LexerState::lexName() {
  static const llvm::sys::UnicodeCharSet starts(identifierStartRanges);
  static const llvm::sys::UnicodeCharSet continues(identifierContinueRanges);
  uint32_t begin = at;
  while (isNameContinue(peek())) {
    if (!(peek() & 0x80)) {
      ++at;
      continue;
    }
    unsigned length = 0;
    char32_t character = decode(at, &length);
    if (!(at == begin ? starts : continues).contains(character)) {
      if (at == begin)
        return lexInvalidCharacter();
      break;
    }
    at += length;
  }
  TokenKind kind = keywordOrName(text.slice(begin, at));
  if (beginsStatementInBrackets(kind, begin))
    return abandonBrackets();
  pushToken(kind, begin);
}

/// True for a keyword with which only statements begin, at the start of a line inside of brackets: a bracket was not
/// closed.
bool LexerState::beginsStatementInBrackets(TokenKind keyword, uint32_t begin) const {
  switch (keyword) {
  case TokenKind::KeywordAssert:
  case TokenKind::KeywordBreak:
  case TokenKind::KeywordClass:
  case TokenKind::KeywordContinue:
  case TokenKind::KeywordDef:
  case TokenKind::KeywordDel:
  case TokenKind::KeywordGlobal:
  case TokenKind::KeywordImport:
  case TokenKind::KeywordNonlocal:
  case TokenKind::KeywordPass:
  case TokenKind::KeywordRaise:
  case TokenKind::KeywordReturn:
  case TokenKind::KeywordTry:
  case TokenKind::KeywordWhile:
  case TokenKind::KeywordWith:
    break;
  default:
    return false;
  }
  if (brackets.empty() || !parts.empty())
    return false;
  llvm::StringRef before = text.substr(0, begin).rtrim(" \t\f");
  return before.ends_with("\n") || before.ends_with("\r");
}

/// Reports the innermost open bracket and continues as if a new line began here, outside of all brackets.
void LexerState::abandonBrackets() {
  Bracket bracket = brackets.back();
  error(diagnostics::BracketNeverClosed, bracket.begin, bracket.begin + 1, describe(bracket.kind));
  brackets.clear();
  uint32_t lineBegin = at;
  if (!atEnd()) // The bracket does not contain the decorators of a definition either.
    lineBegin = firstDecoratorLine(lineBeginBefore(at), bracket.begin);
  while (!atEnd() && tokens.back().range.begin > bracket.begin && tokens.back().range.begin >= lineBegin)
    tokens.pop_back();
  tokens.push_back({TokenKind::Invalid, {bracket.begin, bracket.begin + 1}});
  tokens.push_back({TokenKind::Newline, {lineBegin, lineBegin}});
  if (atEnd())
    return;
  at = lineBegin;
  lexLineStart();
}

uint32_t LexerState::lineBeginBefore(uint32_t position) const {
  return static_cast<uint32_t>(text.find_last_of("\r\n", position ? position - 1 : 0) + 1);
}

/// The first of the lines directly before this one, but behind the bracket, that begin with `@` as this one is
/// indented.
uint32_t LexerState::firstDecoratorLine(uint32_t lineBegin, uint32_t bracket) const {
  llvm::StringRef indentation = text.substr(lineBegin).take_while([](char c) { return c == ' ' || c == '\t'; });
  while (lineBegin != 0) {
    uint32_t end = text.substr(0, lineBegin).ends_with("\r\n") ? lineBegin - 2 : lineBegin - 1;
    uint32_t before = lineBeginBefore(end);
    llvm::StringRef line = text.slice(before, lineBegin);
    if (before <= bracket || !line.consume_front(indentation) || !line.starts_with("@"))
      break;
    lineBegin = before;
  }
  return lineBegin;
}

void LexerState::openBracket(TokenKind kind, uint32_t begin) {
  if (brackets.size() >= maximumBrackets) {
    error(diagnostics::TooManyBrackets, begin, at, maximumBrackets);
    return stop(begin);
  }
  brackets.push_back({kind, begin});
  pushToken(kind, begin);
}

void LexerState::closeBracket(TokenKind kind, uint32_t begin) {
  auto expected = static_cast<TokenKind>(static_cast<uint8_t>(kind) - 1);
  size_t outside = parts.empty() ? 0 : parts.back().bracketCount;
  if (brackets.size() <= outside) {
    error(diagnostics::UnmatchedClosingBracket, begin, at, describe(kind));
    pushToken(TokenKind::Invalid, begin);
    return;
  }
  Bracket open = brackets.pop_back_val();
  if (open.kind == expected)
    return pushToken(kind, begin);
  sink.add(makeDiagnostic(diagnostics::MismatchedBracket, source, {begin, at}, describe(kind), describe(open.kind))
               .note(diagnostics::OpenedHere, source, {open.begin, open.begin + 1}, describe(open.kind)));
  pushToken(TokenKind::Invalid, begin);
}

void LexerState::lexPunctuator() {
  static constexpr std::pair<llvm::StringLiteral, TokenKind> punctuators[] = {
#define TRITON_PUNCTUATOR(name, spelling) {llvm::StringLiteral(spelling), TokenKind::name},
#include "frontend/Tokens.def"
  };
  uint32_t begin = at;
  llvm::StringRef rest = text.substr(at);
  for (const auto &[spelling, kind] : punctuators) {
    if (!rest.starts_with(spelling))
      continue;
    if (kind == TokenKind::Exclamation)
      break;
    at += spelling.size();
    switch (kind) {
    case TokenKind::LeftParen:
    case TokenKind::LeftBracket:
    case TokenKind::LeftBrace:
      return openBracket(kind, begin);
    case TokenKind::RightParen:
    case TokenKind::RightBracket:
    case TokenKind::RightBrace:
      return closeBracket(kind, begin);
    default:
      return pushToken(kind, begin);
    }
  }
  lexInvalidCharacter();
}

/// What to write instead of a character that other languages or word processors use.
static llvm::StringRef remedyFor(char32_t character) {
  switch (character) {
  case U'‘':
  case U'’':
    return "write `'`";
  case U'“':
  case U'”':
    return "write `\"`";
  case U'−':
  case U'–':
    return "write `-`";
  case U'×':
    return "write `*`";
  case U'\u00A0':
    return "write a plain space";
  case U'!':
    return "write `not`, or `!=` for a comparison";
  case U'?':
    return "write `a if condition else b` for a conditional value";
  case U'$':
    return "names hold letters, digits and `_`";
  default:
    return "";
  }
}

void LexerState::lexInvalidCharacter() {
  uint32_t begin = at;
  unsigned length = 1;
  char32_t character = decode(at, &length);
  at += std::max(length, 1u);
  std::string shown = "`" + text.slice(begin, at).str() + "`";
  if (character < 0x20 || character == 0x7F || character == 0xA0)
    shown = "U+" + llvm::utohexstr(character, /*LowerCase=*/false, 4);
  if (character == 0)
    error(diagnostics::NulByte, begin, at);
  else
    error(diagnostics::InvalidCharacter, begin, at, shown, remedyFor(character));
  pushToken(TokenKind::Invalid, begin);
}

} // namespace triton::frontend
