#include "frontend/ParserState.h"

#include "llvm/ADT/StringExtras.h"

namespace triton::frontend {

using namespace ast;

/// The letters before the quotes of a literal, in lower case.
static std::string prefixOf(llvm::StringRef literal) {
  return literal.take_until([](char c) { return c == '"' || c == '\''; }).lower();
}

const Constant *ParserState::createString(llvm::StringRef value, SourceRange range) {
  auto *node = create<Constant>(range);
  node->constantKind = ConstantKind::String;
  node->text = copyText(value);
  return node;
}

/// Makes a value of the text since the last field of an f-string.
void ParserState::flushText(StringParts &parts, uint32_t end) {
  if (!parts.pending.empty())
    parts.values.push_back(createString(parts.pending, {parts.pendingBegin, end}));
  parts.pending.clear();
}

void ParserState::parsePlainString(const Token &token, bool isBytes, std::string &value) {
  llvm::StringRef literal = text(token);
  std::string prefix = prefixOf(literal);
  llvm::StringRef quoted = literal.drop_front(prefix.size());
  unsigned quotes = quoted.starts_with("\"\"\"") || quoted.starts_with("'''") ? 3 : 1;
  auto offset = static_cast<uint32_t>(prefix.size() + quotes);
  decodeText({token.range.begin + offset, token.range.end - quotes}, llvm::StringRef(prefix).contains('r'),
             isBytes ? TextKind::Bytes : TextKind::String, value);
}

/// Adjacent literals, which are one value.
const Expression *ParserState::parseStrings() {
  uint32_t begin = this->begin();
  bool isBytes = at(TokenKind::String) && llvm::StringRef(prefixOf(text(token()))).contains('b');
  bool isFormatted = false;
  StringParts parts;
  parts.pendingBegin = begin;
  while (at(TokenKind::String) || at(TokenKind::FStringStart)) {
    bool isFString = at(TokenKind::FStringStart);
    if (isBytes != (!isFString && llvm::StringRef(prefixOf(text(token()))).contains('b')))
      fail(diagnostics::MixedBytes, token().range);
    isFormatted |= isFString;
    if (isFString)
      parseFString(parts);
    else
      parsePlainString(advance(), isBytes, parts.pending);
  }
  SourceRange range = rangeFrom(begin);
  if (isFormatted) {
    flushText(parts, range.end);
    auto *node = create<JoinedStr>(range);
    node->values = copy(parts.values);
    return node;
  }
  auto *node = create<Constant>(range);
  node->constantKind = isBytes ? ConstantKind::Bytes : ConstantKind::String;
  node->text = copyText(parts.pending);
  return node;
}

void ParserState::parseFString(StringParts &parts) {
  bool isRaw = llvm::StringRef(prefixOf(text(advance()))).contains('r');
  parseFStringParts(parts, isRaw, TokenKind::FStringEnd);
  expect(TokenKind::FStringEnd, "");
}

/// Text and fields up to `end`, which is not consumed.
void ParserState::parseFStringParts(StringParts &parts, bool isRaw, TokenKind end) {
  while (!at(end)) {
    if (at(TokenKind::LeftBrace)) {
      parseFormattedValue(parts, isRaw);
      continue;
    }
    if (!at(TokenKind::FStringMiddle))
      failUnexpected("the text of an f-string");
    SourceRange range = advance().range;
    if (parts.pending.empty())
      parts.pendingBegin = range.begin;
    decodeText(range, isRaw, TextKind::FString, parts.pending);
  }
}

/// `{value = !r:spec}`.
void ParserState::parseFormattedValue(StringParts &parts, bool isRaw) {
  DepthGuard guard(*this);
  SourceRange brace = advance().range;
  if (at(TokenKind::RightBrace) || at(TokenKind::Colon) || at(TokenKind::Exclamation))
    fail(diagnostics::EmptyFStringField, SourceRange::cover(brace, token().range));
  const Expression *value = parseYieldOrExpressions();
  bool showsText = accept(TokenKind::Equal);
  // `{x=}` stands for the text of the expression, white space included, and its value.
  if (showsText)
    parts.pending += source.text({brace.end, begin()});
  flushText(parts, brace.begin);

  char conversion = 0;
  if (accept(TokenKind::Exclamation)) {
    llvm::StringRef name = at(TokenKind::Name) ? text(token()) : "";
    if (name != "s" && name != "r" && name != "a")
      fail(diagnostics::UnknownConversion, token().range);
    conversion = name[0];
    advance();
  }
  const JoinedStr *formatSpec = nullptr;
  if (at(TokenKind::Colon)) {
    uint32_t specBegin = advance().range.end;
    StringParts specParts;
    parseFStringParts(specParts, isRaw, TokenKind::RightBrace);
    flushText(specParts, begin());
    auto *spec = create<JoinedStr>({specBegin, begin()});
    spec->values = copy(specParts.values);
    formatSpec = spec;
  }
  expect(TokenKind::RightBrace, " at the end of an f-string field");
  if (showsText && !conversion && !formatSpec)
    conversion = 'r';
  auto *node = create<FormattedValue>(rangeFrom(brace.begin));
  node->value = value;
  node->conversion = conversion;
  node->formatSpec = formatSpec;
  parts.values.push_back(node);
}

} // namespace triton::frontend
