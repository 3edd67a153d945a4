#include "frontend/ParserState.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Unicode.h"

namespace triton::frontend {

/// Appends the code point in UTF-8. Surrogates are encoded like other code points, because the compiler never
/// interprets strings.
static void appendUtf8(uint32_t codePoint, std::string &value) {
  if (codePoint < 0x80) {
    value += static_cast<char>(codePoint);
    return;
  }
  if (codePoint < 0x800) {
    value += static_cast<char>(0xC0 | (codePoint >> 6));
  } else if (codePoint < 0x10000) {
    value += static_cast<char>(0xE0 | (codePoint >> 12));
    value += static_cast<char>(0x80 | ((codePoint >> 6) & 0x3F));
  } else {
    value += static_cast<char>(0xF0 | (codePoint >> 18));
    value += static_cast<char>(0x80 | ((codePoint >> 12) & 0x3F));
    value += static_cast<char>(0x80 | ((codePoint >> 6) & 0x3F));
  }
  value += static_cast<char>(0x80 | (codePoint & 0x3F));
}

void ParserState::decodeText(SourceRange range, bool isRaw, TextKind textKind, std::string &value) {
  llvm::StringRef raw = source.text(range);
  bool isFString = textKind == TextKind::FString;
  for (size_t i = 0; i < raw.size();) {
    char c = raw[i];
    if (textKind == TextKind::Bytes && (c & 0x80))
      fail(diagnostics::NonAsciiBytes, {uint32_t(range.begin + i), uint32_t(range.begin + i + 1)});
    if (c == '\r') {
      value += '\n';
      i += raw.substr(i).starts_with("\r\n") ? 2 : 1;
    } else if (isFString && (c == '{' || c == '}')) {
      value += c;
      i += 2;
    } else if (c == '\\' && !isRaw && i + 1 < raw.size()) {
      i = decodeEscape(range, i, textKind, value);
    } else {
      value += c;
      ++i;
    }
  }
}

/// Decodes the escape whose backslash is at `at`; returns the index after it. An unknown escape stays as it is.
size_t ParserState::decodeEscape(SourceRange range, size_t at, TextKind textKind, std::string &value) {
  llvm::StringRef raw = source.text(range);
  bool isBytes = textKind == TextKind::Bytes;
  static constexpr std::pair<char, char> simple[] = {{'\\', '\\'}, {'\'', '\''}, {'"', '"'},  {'a', '\a'}, {'b', '\b'},
                                                     {'f', '\f'},  {'n', '\n'},  {'r', '\r'}, {'t', '\t'}, {'v', '\v'}};
  char c = raw[at + 1];
  for (auto [letter, meaning] : simple) {
    if (c != letter)
      continue;
    value += meaning;
    return at + 2;
  }
  if (c == '\n')
    return at + 2;
  if (c == '\r')
    return at + (raw.substr(at + 1).starts_with("\r\n") ? 3 : 2);
  if (c >= '0' && c <= '7') {
    uint32_t code = 0;
    size_t end = at + 1;
    for (; end < std::min(raw.size(), at + 4) && raw[end] >= '0' && raw[end] <= '7'; ++end)
      code = code * 8 + uint32_t(raw[end] - '0');
    if (isBytes)
      value += static_cast<char>(code);
    else
      appendUtf8(code, value);
    return end;
  }
  if (c == 'x')
    return decodeHexEscape(range, at, 2, textKind, value);
  if (c == 'u' && !isBytes)
    return decodeHexEscape(range, at, 4, textKind, value);
  if (c == 'U' && !isBytes)
    return decodeHexEscape(range, at, 8, textKind, value);
  if (c == 'N' && !isBytes)
    return decodeNamedEscape(range, at, value);
  value += '\\';
  return at + 1;
}

size_t ParserState::decodeHexEscape(SourceRange range, size_t at, unsigned digits, TextKind textKind,
                                    std::string &value) {
  llvm::StringRef rest = source.text(range).substr(at + 2);
  llvm::StringRef hex = rest.take_while([](char c) { return llvm::isHexDigit(c); }).take_front(digits);
  uint32_t begin = range.begin + static_cast<uint32_t>(at);
  SourceRange escape{begin, begin + 2 + static_cast<uint32_t>(hex.size())};
  uint32_t code = 0;
  if (hex.size() != digits || hex.getAsInteger(16, code))
    fail(diagnostics::TruncatedEscape, escape, source.text({begin, begin + 2}), digits);
  if (code > 0x10FFFF)
    fail(diagnostics::EscapeOutOfRange, escape);
  if (textKind == TextKind::Bytes)
    value += static_cast<char>(code);
  else
    appendUtf8(code, value);
  return at + 2 + digits;
}

size_t ParserState::decodeNamedEscape(SourceRange range, size_t at, std::string &value) {
  llvm::StringRef rest = source.text(range).substr(at + 2);
  size_t close = rest.starts_with("{") ? rest.find('}') : llvm::StringRef::npos;
  uint32_t begin = range.begin + static_cast<uint32_t>(at);
  if (close == llvm::StringRef::npos)
    fail(diagnostics::UnknownCharacterName, {begin, begin + 2}, "\\N");
  llvm::StringRef name = rest.slice(1, close);
  SourceRange escape{begin, begin + static_cast<uint32_t>(close) + 3};
  std::optional<char32_t> code = llvm::sys::unicode::nameToCodepointStrict(name.upper());
  if (!code)
    fail(diagnostics::UnknownCharacterName, escape, source.text(escape));
  appendUtf8(*code, value);
  return at + 3 + close;
}

} // namespace triton::frontend
