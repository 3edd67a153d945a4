#include "frontend/ParserState.h"

namespace triton::frontend {

using namespace ast;

/// `a.b.c` as one identifier; white space around the dots is dropped.
Identifier ParserState::parseDottedName() {
  Identifier first = expectName("the name of a module");
  if (!at(TokenKind::Dot))
    return first;
  std::string name = first.name.str();
  while (accept(TokenKind::Dot))
    name += "." + expectName("the name of a module").name.str();
  return {copyText(name), rangeFrom(first.range.begin)};
}

Identifier ParserState::parseAsName() {
  return accept(TokenKind::KeywordAs) ? expectName("a name after `as`") : Identifier();
}

const Statement *ParserState::parseImport() {
  uint32_t begin = advance().range.begin;
  llvm::SmallVector<ImportAlias> names;
  do {
    Identifier name = parseDottedName();
    names.push_back({name, parseAsName()});
  } while (accept(TokenKind::Comma));
  auto *statement = create<Import>(rangeFrom(begin));
  statement->names = copy(names);
  return statement;
}

const Statement *ParserState::parseImportFrom() {
  uint32_t begin = advance().range.begin;
  unsigned level = 0;
  for (; at(TokenKind::Dot) || at(TokenKind::Ellipsis); advance())
    level += at(TokenKind::Dot) ? 1 : 3;
  Identifier module;
  if (level == 0 || !at(TokenKind::KeywordImport))
    module = parseDottedName();
  expect(TokenKind::KeywordImport, " after the name of a module");

  llvm::SmallVector<ImportAlias> names;
  if (at(TokenKind::Star)) {
    SourceRange star = advance().range;
    names.push_back({{"*", star}, {}});
  } else {
    bool isParenthesized = accept(TokenKind::LeftParen);
    do {
      if (isParenthesized && !names.empty() && at(TokenKind::RightParen))
        break;
      Identifier name = expectName("a name to import");
      names.push_back({name, parseAsName()});
    } while (accept(TokenKind::Comma));
    if (isParenthesized)
      expect(TokenKind::RightParen, " after the imported names");
  }
  auto *statement = create<ImportFrom>(rangeFrom(begin));
  statement->module = module;
  statement->names = copy(names);
  statement->level = level;
  return statement;
}

} // namespace triton::frontend
