#include "frontend/ParserState.h"

namespace triton::frontend {

using namespace ast;

/// Parses a logical line, or a compound statement with its blocks. Reports errors and continues behind them.
void ParserState::parseStatement(StatementList &list) {
  size_t start = position;
  unsigned outerDepth = depth;
  try {
    if (at(TokenKind::Indent)) {
      report(diagnostics::UnexpectedIndent, token().range);
      throw Failure();
    }
    if (const Statement *statement = parseCompoundStatement())
      list.push_back(statement);
    else
      parseSimpleStatements(list);
  } catch (const Failure &) {
    depth = outerDepth;
    if (at(TokenKind::Indent) && position == start)
      return recover(start + 1);
    recover(start);
  }
}

void ParserState::parseSimpleStatements(StatementList &list) {
  do {
    list.push_back(parseSimpleStatement());
  } while (accept(TokenKind::Semicolon) && !at(TokenKind::Newline));
  if (accept(TokenKind::Newline) || at(TokenKind::EndOfFile))
    return;
  const Statement *last = list.back();
  if (isa<ExpressionStatement>(last)) {
    auto *name = dyn_cast<Name>(cast<ExpressionStatement>(last)->value);
    if (name && (name->id == "print" || name->id == "exec") && !isKeyword(kind()) && !at(TokenKind::Invalid))
      fail(diagnostics::PrintStatement, rangeFrom(last->range.begin), name->id);
    if (name && at(TokenKind::ColonEqual))
      fail(diagnostics::WalrusNeedsParentheses, token().range, name->id);
  }
  failUnexpected("the end of the statement");
}

template <typename T> const Statement *ParserState::parseKeywordStatement() { return create<T>(advance().range); }

const Statement *ParserState::parseSimpleStatement() {
  switch (kind()) {
  case TokenKind::KeywordPass:
    return parseKeywordStatement<Pass>();
  case TokenKind::KeywordBreak:
    return parseKeywordStatement<Break>();
  case TokenKind::KeywordContinue:
    return parseKeywordStatement<Continue>();
  case TokenKind::KeywordReturn:
    return parseReturn();
  case TokenKind::KeywordDel:
    return parseDelete();
  case TokenKind::KeywordRaise:
    return parseRaise();
  case TokenKind::KeywordAssert:
    return parseAssert();
  case TokenKind::KeywordGlobal:
    return parseScopeDeclaration<Global>();
  case TokenKind::KeywordNonlocal:
    return parseScopeDeclaration<Nonlocal>();
  case TokenKind::KeywordImport:
    return parseImport();
  case TokenKind::KeywordFrom:
    return parseImportFrom();
  case TokenKind::KeywordElse:
  case TokenKind::KeywordElif:
  case TokenKind::KeywordExcept:
  case TokenKind::KeywordFinally:
    fail(diagnostics::BranchWithoutStart, token().range, describe(kind()),
         at(TokenKind::KeywordElse)   ? "`if`, `for`, `while` or `try`"
         : at(TokenKind::KeywordElif) ? "`if`"
                                      : "`try`");
  default:
    return atTypeAlias() ? parseTypeAlias() : parseExpressionStatement();
  }
}

static std::optional<BinaryOperator> augmentedOperator(TokenKind kind) {
  switch (kind) {
  case TokenKind::PlusEqual:
    return BinaryOperator::Add;
  case TokenKind::MinusEqual:
    return BinaryOperator::Sub;
  case TokenKind::StarEqual:
    return BinaryOperator::Mult;
  case TokenKind::AtEqual:
    return BinaryOperator::MatMult;
  case TokenKind::SlashEqual:
    return BinaryOperator::Div;
  case TokenKind::DoubleSlashEqual:
    return BinaryOperator::FloorDiv;
  case TokenKind::PercentEqual:
    return BinaryOperator::Mod;
  case TokenKind::DoubleStarEqual:
    return BinaryOperator::Pow;
  case TokenKind::LeftShiftEqual:
    return BinaryOperator::LShift;
  case TokenKind::RightShiftEqual:
    return BinaryOperator::RShift;
  case TokenKind::AmpersandEqual:
    return BinaryOperator::BitAnd;
  case TokenKind::PipeEqual:
    return BinaryOperator::BitOr;
  case TokenKind::CaretEqual:
    return BinaryOperator::BitXor;
  default:
    return std::nullopt;
  }
}

const Statement *ParserState::parseExpressionStatement() {
  uint32_t begin = this->begin();
  const Expression *first = parseYieldOrExpressions();
  if (at(TokenKind::Equal))
    return parseAssign(begin, first);
  if (at(TokenKind::Colon))
    return parseAnnAssign(begin, first);
  if (augmentedOperator(kind()))
    return parseAugAssign(begin, first);
  auto *statement = create<ExpressionStatement>(rangeFrom(begin));
  statement->value = first;
  return statement;
}

const Statement *ParserState::parseAssign(uint32_t begin, const Expression *first) {
  ExpressionList targets;
  const Expression *value = first;
  while (accept(TokenKind::Equal)) {
    checkTarget(value, TargetUse::Assign);
    targets.push_back(value);
    value = parseYieldOrExpressions();
  }
  auto *statement = create<Assign>(rangeFrom(begin));
  statement->targets = copy(targets);
  statement->value = value;
  return statement;
}

const Statement *ParserState::parseAnnAssign(uint32_t begin, const Expression *target) {
  checkTarget(target, TargetUse::Annotate);
  advance();
  const Expression *annotation = parseExpression();
  const Expression *value = accept(TokenKind::Equal) ? parseYieldOrExpressions() : nullptr;
  auto *statement = create<AnnAssign>(rangeFrom(begin));
  statement->target = target;
  statement->annotation = annotation;
  statement->value = value;
  return statement;
}

const Statement *ParserState::parseAugAssign(uint32_t begin, const Expression *target) {
  checkTarget(target, TargetUse::Augment);
  SourceRange operatorRange = token().range;
  BinaryOperator op = *augmentedOperator(advance().kind);
  const Expression *value = parseYieldOrExpressions();
  auto *statement = create<AugAssign>(rangeFrom(begin));
  statement->target = target;
  statement->op = op;
  statement->operatorRange = operatorRange;
  statement->value = value;
  return statement;
}

const Statement *ParserState::parseReturn() {
  uint32_t begin = advance().range.begin;
  const Expression *value = atExpressionEnd() ? nullptr : parseExpressions();
  auto *statement = create<Return>(rangeFrom(begin));
  statement->value = value;
  return statement;
}

const Statement *ParserState::parseDelete() {
  uint32_t begin = advance().range.begin;
  ExpressionList targets;
  do {
    if (!targets.empty() && atExpressionEnd())
      break;
    const Expression *target = parseBitwiseOr();
    checkTarget(target, TargetUse::Delete);
    targets.push_back(target);
  } while (accept(TokenKind::Comma));
  auto *statement = create<Delete>(rangeFrom(begin));
  statement->targets = copy(targets);
  return statement;
}

const Statement *ParserState::parseRaise() {
  uint32_t begin = advance().range.begin;
  const Expression *exception = atExpressionEnd() ? nullptr : parseExpression();
  const Expression *cause = exception && accept(TokenKind::KeywordFrom) ? parseExpression() : nullptr;
  auto *statement = create<Raise>(rangeFrom(begin));
  statement->exception = exception;
  statement->cause = cause;
  return statement;
}

const Statement *ParserState::parseAssert() {
  uint32_t begin = advance().range.begin;
  const Expression *test = parseExpression();
  const Expression *message = accept(TokenKind::Comma) ? parseExpression() : nullptr;
  auto *statement = create<Assert>(rangeFrom(begin));
  statement->test = test;
  statement->message = message;
  return statement;
}

/// `global` and `nonlocal`.
template <typename T> const Statement *ParserState::parseScopeDeclaration() {
  uint32_t begin = advance().range.begin;
  llvm::SmallVector<Identifier> names;
  do {
    names.push_back(expectName("a name"));
  } while (accept(TokenKind::Comma));
  auto *statement = create<T>(rangeFrom(begin));
  statement->names = copy(names);
  return statement;
}

bool ParserState::atTypeAlias() const {
  return atSoftKeyword("type") && kind(1) == TokenKind::Name &&
         (kind(2) == TokenKind::Equal || kind(2) == TokenKind::LeftBracket);
}

const Statement *ParserState::parseTypeAlias() {
  uint32_t begin = advance().range.begin;
  Identifier name = expectName("a name");
  skipTypeParameters();
  expect(TokenKind::Equal, " after the name of a type");
  const Expression *value = parseExpression();
  auto *statement = create<TypeAlias>(rangeFrom(begin));
  statement->name = name;
  statement->value = value;
  return statement;
}

} // namespace triton::frontend
