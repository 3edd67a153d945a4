#include "frontend/LexerState.h"
#include "frontend/ParseDiagnostics.h"

#include "llvm/ADT/StringExtras.h"

namespace triton::frontend {

std::optional<unsigned> LexerState::stringPrefixLength() const {
  unsigned length = 0;
  bool hasRaw = false, hasBytes = false, hasUnicode = false, hasFormat = false;
  for (; length < 3; ++length) {
    char c = peek(length);
    if (c == '"' || c == '\'')
      return length;
    bool *flag = nullptr;
    switch (llvm::toLower(c)) {
    case 'r':
      flag = &hasRaw;
      break;
    case 'b':
      flag = &hasBytes;
      break;
    case 'u':
      flag = &hasUnicode;
      break;
    case 'f':
      flag = &hasFormat;
      break;
    default:
      return std::nullopt;
    }
    if (*flag)
      return std::nullopt;
    *flag = true;
    if (hasBytes + hasUnicode + hasFormat > 1 || (hasUnicode && hasRaw))
      return std::nullopt;
  }
  return std::nullopt;
}

bool LexerState::isQuoteRun(char quote, unsigned count) const {
  for (unsigned i = 0; i < count; ++i)
    if (peek(i) != quote)
      return false;
  return true;
}

void LexerState::lexString(unsigned prefixLength) {
  uint32_t begin = at;
  std::string prefix = text.substr(at, prefixLength).lower();
  at += prefixLength;
  char quote = peek();
  bool isTriple = isQuoteRun(quote, 3);
  at += isTriple ? 3 : 1;
  if (!llvm::StringRef(prefix).contains('f'))
    return lexPlainString(begin, quote, isTriple);
  if (parts.size() >= maximumFStringNesting) {
    error(diagnostics::FStringTooDeep, begin, at);
    return stop(begin);
  }
  pushToken(TokenKind::FStringStart, begin);
  bool isRaw = llvm::StringRef(prefix).contains('r');
  parts.push_back({FStringPart::Kind::Literal, quote, isTriple, isRaw, begin, brackets.size()});
}

void LexerState::lexPlainString(uint32_t begin, char quote, bool isTriple) {
  const char *stops = quote == '"' ? "\"\\\r\n" : "'\\\r\n";
  for (;;) {
    at = static_cast<uint32_t>(std::min(text.find_first_of(llvm::StringRef(stops), at), text.size()));
    if (atEnd() || (atLineEnd() && !isTriple)) {
      // In a field of an f-string that has these quotes, the quote was meant to end the f-string.
      if (!isTriple && !parts.empty() && parts.back().quote == quote)
        return unterminatedFString();
      if (isTriple)
        error(diagnostics::UnterminatedTripleString, begin, begin + 3 + (text[begin] != quote),
              llvm::StringRef(&quote, 1));
      else
        error(diagnostics::UnterminatedString, begin, at, llvm::StringRef(&quote, 1));
      return pushToken(TokenKind::Invalid, begin);
    }
    if (peek() == '\\') {
      ++at;
      if (atLineEnd())
        skipNewline();
      else if (!atEnd())
        ++at;
    } else if (isTriple && !isQuoteRun(quote, 3)) {
      ++at;
    } else {
      at += isTriple ? 3 : 1;
      return pushToken(TokenKind::String, begin);
    }
  }
}

/// Literal text of an f-string, or of a format specification, up to a field or the end.
void LexerState::lexFStringText() {
  FStringPart part = parts.back();
  bool isSpec = part.kind == FStringPart::Kind::FormatSpec;
  uint32_t begin = at;
  auto flush = [&] {
    if (at != begin)
      pushToken(TokenKind::FStringMiddle, begin);
  };
  while (!atEnd()) {
    char c = peek();
    if (c == part.quote && isQuoteRun(part.quote, part.isTriple ? 3 : 1)) {
      flush();
      return isSpec ? unterminatedFString() : endFString(at);
    }
    if (atLineEnd() && !part.isTriple)
      break;
    if (c == '{' || c == '}') {
      if (!isSpec && peek(1) == c) {
        at += 2;
        continue;
      }
      flush();
      return lexFStringField();
    }
    if (c != '\\') {
      ++at;
      continue;
    }
    bool isNamed = !part.isRaw && peek(1) == 'N' && peek(2) == '{';
    ++at;
    if (isNamed) {
      size_t end = text.find_first_of("}\r\n", at);
      at = static_cast<uint32_t>(std::min(end == llvm::StringRef::npos ? end : end + (text[end] == '}'), text.size()));
    } else if (atLineEnd()) {
      skipNewline();
    } else if (!atEnd() && peek() != '{' && peek() != '}') {
      ++at;
    }
  }
  flush();
  unterminatedFString();
}

/// Lexes a single brace in the text of an f-string: a field begins there, or a format specification and its field end.
void LexerState::lexFStringField() {
  uint32_t begin = at++;
  FStringPart part = parts.back();
  if (text[begin] == '{') {
    openBracket(TokenKind::LeftBrace, begin);
    if (!parts.empty())
      parts.push_back({FStringPart::Kind::Expression, part.quote, part.isTriple, part.isRaw, begin, brackets.size()});
    return;
  }
  if (part.kind == FStringPart::Kind::Literal)
    return error(diagnostics::FStringSingleBrace, begin, at);
  parts.pop_back();
  parts.pop_back();
  brackets.pop_back();
  pushToken(TokenKind::RightBrace, begin);
}

bool LexerState::lexFStringPunctuation() {
  FStringPart part = parts.back();
  if (brackets.size() != part.bracketCount)
    return false;
  uint32_t begin = at;
  switch (peek()) {
  case ':':
    ++at;
    pushToken(TokenKind::Colon, begin);
    if (parts.size() >= maximumFStringNesting) {
      error(diagnostics::FStringTooDeep, begin, at);
      stop(begin);
      return true;
    }
    parts.push_back({FStringPart::Kind::FormatSpec, part.quote, part.isTriple, part.isRaw, begin, brackets.size()});
    return true;
  case '!':
    if (peek(1) == '=')
      return false;
    ++at;
    pushToken(TokenKind::Exclamation, begin);
    return true;
  case '}':
    ++at;
    parts.pop_back();
    brackets.pop_back();
    pushToken(TokenKind::RightBrace, begin);
    return true;
  default:
    return false;
  }
}

void LexerState::endFString(uint32_t begin) {
  at += parts.back().isTriple ? 3 : 1;
  parts.pop_back();
  pushToken(TokenKind::FStringEnd, begin);
}

/// Reports the outermost unfinished f-string, or the field in which the text ends, and leaves all of them.
void LexerState::unterminatedFString() {
  FStringPart innermost = parts.back();
  if (innermost.kind == FStringPart::Kind::Literal)
    error(diagnostics::UnterminatedString, innermost.start, at, llvm::StringRef(&innermost.quote, 1));
  else
    error(diagnostics::FStringFieldNotClosed, innermost.start, innermost.start + 1);
  tokens.push_back({TokenKind::Invalid, {at, at}});
  size_t outside = parts.front().bracketCount;
  parts.clear();
  brackets.truncate(outside);
  if (!atLineEnd())
    at = static_cast<uint32_t>(std::min(text.find_first_of("\r\n", at), text.size()));
}

} // namespace triton::frontend
