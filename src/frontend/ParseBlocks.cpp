#include "frontend/ParserState.h"

namespace triton::frontend {

using namespace ast;

/// Null when no compound statement begins here.
const Statement *ParserState::parseCompoundStatement() {
  DepthGuard guard(*this);
  switch (kind()) {
  case TokenKind::KeywordIf:
    return parseIf();
  case TokenKind::KeywordWhile:
    return parseWhile();
  case TokenKind::KeywordFor:
    return parseFor(begin(), /*isAsync=*/false);
  case TokenKind::KeywordWith:
    return parseWith(begin(), /*isAsync=*/false);
  case TokenKind::KeywordTry:
    return parseTry();
  case TokenKind::KeywordDef:
    return parseFunctionDef(begin(), {}, /*isAsync=*/false);
  case TokenKind::KeywordClass:
    return parseClassDef(begin(), {});
  case TokenKind::KeywordAsync:
    return parseAsync();
  case TokenKind::At:
    return parseDecorated();
  default:
    return atMatch() ? parseMatch() : nullptr;
  }
}

/// `:` and the statements after it, on the same line or as a block. `owner` is the keyword they belong to.
Statements ParserState::parseBlock(llvm::StringRef owner, SourceRange ownerRange) {
  if (at(TokenKind::Equal))
    fail(diagnostics::AssignInCondition, token().range);
  expect(TokenKind::Colon, (" after `" + owner + "`").str());
  StatementList body;
  if (!accept(TokenKind::Newline)) {
    parseSimpleStatements(body);
    return copy(body);
  }
  if (at(TokenKind::Invalid))
    throw Failure();
  if (!accept(TokenKind::Indent)) {
    report(diagnostics::MissingBlock, ownerRange, owner);
    return {};
  }
  while (!at(TokenKind::Dedent) && !at(TokenKind::EndOfFile) && !sink.isFull())
    parseStatement(body);
  accept(TokenKind::Dedent);
  return copy(body);
}

Statements ParserState::parseElse() {
  if (!at(TokenKind::KeywordElse))
    return {};
  SourceRange keyword = advance().range;
  if (at(TokenKind::KeywordIf))
    fail(diagnostics::ElseIf, SourceRange::cover(keyword, token().range));
  return parseBlock("else", keyword);
}

/// A chain of `elif` is gathered in a loop, so that its length does not use up the stack.
const Statement *ParserState::parseIf() {
  struct Branch {
    uint32_t begin;
    const Expression *test;
    Statements body;
  };
  llvm::SmallVector<Branch> branches;
  do {
    SourceRange keyword = advance().range;
    const Expression *test = parseNamedExpression();
    branches.push_back({keyword.begin, test, parseBlock(branches.empty() ? "if" : "elif", keyword)});
  } while (at(TokenKind::KeywordElif));

  Statements orElse = parseElse();
  const Statement *statement = nullptr;
  for (const Branch &branch : llvm::reverse(branches)) {
    auto *node = create<If>(rangeFrom(branch.begin));
    node->test = branch.test;
    node->body = branch.body;
    node->orElse = orElse;
    statement = node;
    orElse = copy(llvm::ArrayRef<const Statement *>(statement));
  }
  return statement;
}

const Statement *ParserState::parseWhile() {
  SourceRange keyword = advance().range;
  const Expression *test = parseNamedExpression();
  Statements body = parseBlock("while", keyword);
  Statements orElse = parseElse();
  auto *statement = create<While>(rangeFrom(keyword.begin));
  statement->test = test;
  statement->body = body;
  statement->orElse = orElse;
  return statement;
}

const Statement *ParserState::parseFor(uint32_t begin, bool isAsync) {
  SourceRange keyword = advance().range;
  const Expression *target = parseTargetList();
  expect(TokenKind::KeywordIn, " after the target of `for`");
  const Expression *iterable = parseExpressions();
  Statements body = parseBlock("for", keyword);
  Statements orElse = parseElse();
  auto *statement = create<For>(rangeFrom(begin));
  statement->target = target;
  statement->iterable = iterable;
  statement->body = body;
  statement->orElse = orElse;
  statement->isAsync = isAsync;
  return statement;
}

/// True for `with (a as b, c):`, whose parentheses hold items; other parentheses belong to an expression.
bool ParserState::atParenthesizedWithItems() const {
  if (!at(TokenKind::LeftParen))
    return false;
  unsigned open = 0;
  bool hasAs = false, hasComma = false, isExpression = false;
  for (size_t ahead = 0;; ++ahead) {
    switch (kind(ahead)) {
    case TokenKind::LeftParen:
    case TokenKind::LeftBracket:
    case TokenKind::LeftBrace:
      ++open;
      break;
    case TokenKind::RightParen:
    case TokenKind::RightBracket:
    case TokenKind::RightBrace:
      if (--open == 0)
        return (hasAs || (hasComma && !isExpression)) && kind(ahead + 1) == TokenKind::Colon;
      break;
    case TokenKind::KeywordAs:
      hasAs |= open == 1;
      break;
    case TokenKind::Comma:
      hasComma |= open == 1;
      isExpression |= open == 1 && kind(ahead + 1) == TokenKind::Star;
      break;
    case TokenKind::Star:
      isExpression |= ahead == 1;
      break;
    case TokenKind::ColonEqual:
    case TokenKind::KeywordYield:
      isExpression |= open == 1;
      break;
    case TokenKind::Newline:
    case TokenKind::EndOfFile:
      return false;
    default:
      break;
    }
  }
}

WithItem ParserState::parseWithItem() {
  const Expression *context = parseExpression();
  if (!accept(TokenKind::KeywordAs))
    return {context, nullptr};
  const Expression *target = parseStarTarget();
  checkTarget(target, TargetUse::With);
  return {context, target};
}

const Statement *ParserState::parseWith(uint32_t begin, bool isAsync) {
  SourceRange keyword = advance().range;
  bool isParenthesized = atParenthesizedWithItems();
  if (isParenthesized)
    advance();
  llvm::SmallVector<WithItem> items;
  do {
    if (isParenthesized && !items.empty() && at(TokenKind::RightParen))
      break;
    items.push_back(parseWithItem());
  } while (accept(TokenKind::Comma));
  if (isParenthesized)
    expect(TokenKind::RightParen, " after the items of `with`");
  Statements body = parseBlock("with", keyword);
  auto *statement = create<With>(rangeFrom(begin));
  statement->items = copy(items);
  statement->body = body;
  statement->isAsync = isAsync;
  return statement;
}

ExceptHandler ParserState::parseExceptHandler(bool isStar) {
  SourceRange keyword = advance().range;
  if (isStar)
    advance();
  ExceptHandler handler;
  if (!at(TokenKind::Colon)) {
    handler.type = parseExpression();
    handler.name = parseAsName();
    if (at(TokenKind::Comma))
      fail(diagnostics::ExceptionsNotParenthesized, token().range);
  } else if (isStar) {
    failUnexpected("the type of an exception after `except*`");
  }
  handler.body = parseBlock("except", keyword);
  handler.range = rangeFrom(keyword.begin);
  return handler;
}

const Statement *ParserState::parseTry() {
  SourceRange keyword = advance().range;
  Statements body = parseBlock("try", keyword);
  llvm::SmallVector<ExceptHandler> handlers;
  bool isStar = at(TokenKind::KeywordExcept) && kind(1) == TokenKind::Star;
  while (at(TokenKind::KeywordExcept)) {
    if ((kind(1) == TokenKind::Star) != isStar)
      fail(diagnostics::MixedExcept, token().range);
    handlers.push_back(parseExceptHandler(isStar));
  }
  Statements orElse = handlers.empty() ? Statements() : parseElse();
  Statements finalBody;
  bool hasFinally = at(TokenKind::KeywordFinally);
  if (hasFinally) {
    SourceRange finallyKeyword = advance().range;
    finalBody = parseBlock("finally", finallyKeyword);
  }
  if (handlers.empty() && !hasFinally)
    report(diagnostics::TryWithoutHandler, keyword);
  auto *statement = create<Try>(rangeFrom(keyword.begin));
  statement->body = body;
  statement->handlers = copy(handlers);
  statement->orElse = orElse;
  statement->finalBody = finalBody;
  statement->isStar = isStar;
  return statement;
}

const Statement *ParserState::parseAsync() {
  uint32_t begin = advance().range.begin;
  switch (kind()) {
  case TokenKind::KeywordDef:
    return parseFunctionDef(begin, {}, /*isAsync=*/true);
  case TokenKind::KeywordFor:
    return parseFor(begin, /*isAsync=*/true);
  case TokenKind::KeywordWith:
    return parseWith(begin, /*isAsync=*/true);
  default:
    failUnexpected("`def`, `for` or `with` after `async`");
  }
}

} // namespace triton::frontend
