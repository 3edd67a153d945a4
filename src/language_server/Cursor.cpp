#include "language_server/Cursor.h"

#include "frontend/Lexer.h"
#include "frontend/ParseDiagnostics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace triton::language_server {

using namespace base;
using frontend::Token;
using frontend::TokenKind;

namespace {

bool isNameByte(char c) { return llvm::isAlnum(c) || c == '_' || (c & 0x80); }

/// Where the outermost statement around a place begins: a line that is not indented and not inside of a string.
uint32_t statementBegin(llvm::StringRef text, uint32_t offset) {
  llvm::StringRef before = text.take_front(offset);
  while (true) {
    size_t line = before.find_last_of('\n');
    if (line == llvm::StringRef::npos)
      return 0;
    llvm::StringRef rest = text.slice(line + 1, offset);
    bool begins = !rest.empty() && (isNameByte(rest.front()) || rest.front() == '@');
    if (begins)
      return static_cast<uint32_t>(line + 1);
    before = before.take_front(line);
  }
}

class Scanner {
public:
  Scanner(llvm::StringRef text, uint32_t offset) : begin(statementBegin(text, offset)) {
    source = Source::create("", text.slice(begin, offset).str());
    frontend::DiagnosticSink sink(*source);
    tokens = frontend::lex(*source, frontend::LexStart::File, sink);
    for (const Diagnostic &diagnostic : sink.take())
      isOpenString |= diagnostic.info == &frontend::diagnostics::UnterminatedString ||
                      diagnostic.info == &frontend::diagnostics::UnterminatedTripleString;
    llvm::erase_if(tokens, [](const Token &token) {
      return token.range.begin == token.range.end || token.kind == TokenKind::Newline ||
             token.kind == TokenKind::Indent || token.kind == TokenKind::Invalid;
    });
  }

  Cursor run() {
    Cursor cursor;
    uint32_t end = static_cast<uint32_t>(source->text().size());
    size_t last = tokens.size();
    cursor.prefixBegin = end + begin;
    uint32_t lastEnd = tokens.empty() ? 0 : tokens.back().range.end;
    cursor.isInText = isOpenString || source->text().substr(lastEnd).contains('#');
    bool hasPrefix = !tokens.empty() && lastEnd == end && isWord(tokens.back());
    if (hasPrefix) {
      cursor.prefix = word(tokens.back());
      cursor.prefixBegin = tokens.back().range.begin + begin;
      --last;
    }
    cursor.isMember = last != 0 && tokens[last - 1].kind == TokenKind::Dot;
    if (cursor.isMember)
      cursor.owner = dottedBefore(last - 1, nullptr);
    cursor.call = openCall(last);
    return cursor;
  }

private:
  bool isWord(const Token &token) const { return token.kind == TokenKind::Name || frontend::isKeyword(token.kind); }
  std::string word(const Token &token) const { return source->text(token.range).str(); }

  /// The dotted name whose last part is before the token `end`.
  std::vector<std::string> dottedBefore(size_t end, size_t *first) const {
    std::vector<std::string> parts;
    while (end != 0 && tokens[end - 1].kind == TokenKind::Name) {
      parts.push_back(word(tokens[--end]));
      if (end == 0 || tokens[end - 1].kind != TokenKind::Dot)
        break;
      --end;
      bool isLonger = end != 0 && tokens[end - 1].kind == TokenKind::Name;
      if (!isLonger)
        return {}; // a member of a call or of another expression
    }
    std::reverse(parts.begin(), parts.end());
    if (first)
      *first = end;
    return parts;
  }

  std::optional<OpenCall> openCall(size_t end) const {
    unsigned closed = 0;
    OpenCall call;
    bool isCurrent = true; // whether the argument before the place is still being read
    for (size_t i = end; i-- > 0;) {
      TokenKind kind = tokens[i].kind;
      if (kind == TokenKind::RightParen || kind == TokenKind::RightBracket || kind == TokenKind::RightBrace) {
        ++closed;
      } else if (kind == TokenKind::LeftParen || kind == TokenKind::LeftBracket || kind == TokenKind::LeftBrace) {
        if (closed != 0) {
          --closed;
          continue;
        }
        if (kind == TokenKind::LeftParen && nameCallee(i, call))
          return call;
        call = OpenCall(); // The commas so far are those of a display, a subscript or a group.
        isCurrent = true;
      } else if (closed == 0 && kind == TokenKind::Comma) {
        ++call.position;
        isCurrent = false;
      } else if (closed == 0 && kind == TokenKind::Equal && i != 0 && tokens[i - 1].kind == TokenKind::Name) {
        if (isCurrent)
          call.keyword = word(tokens[i - 1]);
        else
          call.keywords.push_back(word(tokens[i - 1]));
      }
    }
    return std::nullopt;
  }

  /// Whether the parenthesis opens a call, whose callee it then has.
  bool nameCallee(size_t parenthesis, OpenCall &call) const {
    size_t first = parenthesis;
    call.callee = dottedBefore(parenthesis, &first);
    bool isDefinition = first != 0 && tokens[first - 1].kind == TokenKind::KeywordDef;
    if (call.callee.empty() || isDefinition)
      return false;
    call.calleeBegin = tokens[first].range.begin + begin;
    return true;
  }

  uint32_t begin;
  std::shared_ptr<const Source> source;
  std::vector<Token> tokens;
  bool isOpenString = false;
};

} // namespace

Cursor cursorAt(llvm::StringRef text, uint32_t offset) { return Scanner(text, offset).run(); }

DottedName dottedNameAt(llvm::StringRef text, uint32_t offset) {
  uint32_t end = offset;
  while (end < text.size() && isNameByte(text[end]))
    ++end;
  Cursor cursor = cursorAt(text, end);
  if (cursor.prefix.empty() || cursor.isInText || (cursor.isMember && cursor.owner.empty()))
    return {};
  DottedName name{std::move(cursor.owner), {cursor.prefixBegin, end}};
  name.parts.push_back(std::move(cursor.prefix));
  return name;
}

} // namespace triton::language_server
