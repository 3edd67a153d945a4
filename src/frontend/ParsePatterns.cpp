#include "frontend/ParserState.h"

namespace triton::frontend {

using namespace ast;

/// `match` is a name unless its line ends in `:` and a block beginning with `case` follows.
bool ParserState::atMatch() const {
  if (!atSoftKeyword("match"))
    return false;
  switch (kind(1)) {
  case TokenKind::Equal:
  case TokenKind::Dot:
  case TokenKind::Comma:
  case TokenKind::Newline:
  case TokenKind::Colon:
    return false;
  default:
    break;
  }
  size_t ahead = 1;
  while (kind(ahead) != TokenKind::Newline && kind(ahead) != TokenKind::EndOfFile)
    ++ahead;
  return kind(ahead - 1) == TokenKind::Colon && kind(ahead + 1) == TokenKind::Indent &&
         kind(ahead + 2) == TokenKind::Name && text(token(ahead + 2)) == "case";
}

const Statement *ParserState::parseMatch() {
  uint32_t begin = advance().range.begin;
  const Expression *subject = parseTupleOf(&ParserState::parseStarNamedExpression);
  expect(TokenKind::Colon, " after `match`");
  expect(TokenKind::Newline, " after `match`");
  expect(TokenKind::Indent, " after `match`");
  llvm::SmallVector<MatchCase> cases;
  while (atSoftKeyword("case"))
    cases.push_back(parseCase());
  if (!accept(TokenKind::Dedent))
    failUnexpected("`case`");
  auto *statement = create<Match>(rangeFrom(begin));
  statement->subject = subject;
  statement->cases = copy(cases);
  return statement;
}

MatchCase ParserState::parseCase() {
  SourceRange keyword = advance().range;
  MatchCase result;
  result.pattern = parsePatterns();
  if (accept(TokenKind::KeywordIf))
    result.guard = parseNamedExpression();
  result.body = parseBlock("case", keyword);
  return result;
}

/// One pattern, or a sequence of them without brackets.
const Expression *ParserState::parsePatterns() {
  const Expression *pattern = parseTupleOf(&ParserState::parsePattern);
  if (!isa<Tuple, Starred>(pattern))
    return pattern;
  auto *list = create<List>(pattern->range);
  list->elements = isa<Tuple>(pattern) ? cast<Tuple>(pattern)->elements : copy(Expressions(pattern));
  return list;
}

/// `*name`, or alternatives with an optional `as name`.
const Expression *ParserState::parsePattern() {
  DepthGuard guard(*this);
  uint32_t begin = this->begin();
  if (accept(TokenKind::Star)) {
    Identifier target = expectName("a name after `*`");
    auto *name = create<Name>(target.range);
    name->id = target.name;
    auto *starred = create<Starred>(rangeFrom(begin));
    starred->value = name;
    return starred;
  }
  const Expression *pattern = parseClosedPattern();
  while (at(TokenKind::Pipe)) {
    SourceRange operatorRange = advance().range;
    const Expression *right = parseClosedPattern();
    pattern = createBinary(begin, pattern, BinaryOperator::BitOr, operatorRange, right);
  }
  if (!accept(TokenKind::KeywordAs))
    return pattern;
  Identifier name = expectName("a name after `as`");
  auto *as = create<PatternAs>(rangeFrom(begin));
  as->pattern = pattern;
  as->name = name;
  return as;
}

const Expression *ParserState::parseClosedPattern() {
  switch (kind()) {
  case TokenKind::Number:
  case TokenKind::Minus:
    return parsePatternNumber();
  case TokenKind::String:
  case TokenKind::FStringStart:
  case TokenKind::KeywordNone:
  case TokenKind::KeywordTrue:
  case TokenKind::KeywordFalse:
    return parseAtom();
  case TokenKind::LeftParen:
    return parsePatternSequence(TokenKind::RightParen);
  case TokenKind::LeftBracket:
    return parsePatternSequence(TokenKind::RightBracket);
  case TokenKind::LeftBrace:
    return parsePatternMapping();
  case TokenKind::Name:
    break;
  default:
    failUnexpected("a pattern");
  }
  uint32_t begin = this->begin();
  const Expression *value = parseAtom();
  while (accept(TokenKind::Dot)) {
    Identifier attribute = expectName("the name of an attribute");
    auto *node = create<Attribute>(rangeFrom(begin));
    node->value = value;
    node->attribute = attribute;
    value = node;
  }
  return at(TokenKind::LeftParen) ? parsePatternClass(value) : value;
}

/// `-1`, `1 + 2j`.
const Expression *ParserState::parsePatternNumber() {
  uint32_t begin = this->begin();
  auto parseSigned = [&]() -> const Expression * {
    uint32_t signedBegin = this->begin();
    if (!accept(TokenKind::Minus))
      return at(TokenKind::Number) ? parseNumber() : (failUnexpected("a number"), nullptr);
    if (!at(TokenKind::Number))
      failUnexpected("a number after `-`");
    const Expression *operand = parseNumber();
    auto *negated = create<UnaryOp>(rangeFrom(signedBegin));
    negated->op = UnaryOperator::USub;
    negated->operand = operand;
    return negated;
  };
  const Expression *left = parseSigned();
  if (!at(TokenKind::Plus) && !at(TokenKind::Minus))
    return left;
  SourceRange operatorRange = token().range;
  BinaryOperator op = advance().kind == TokenKind::Plus ? BinaryOperator::Add : BinaryOperator::Sub;
  if (!at(TokenKind::Number))
    failUnexpected("the imaginary part of a number");
  const Expression *right = parseNumber();
  return createBinary(begin, left, op, operatorRange, right);
}

const Expression *ParserState::parsePatternSequence(TokenKind end) {
  uint32_t begin = advance().range.begin;
  ExpressionList elements;
  bool hasComma = false;
  while (!at(end)) {
    elements.push_back(parsePattern());
    if (!accept(TokenKind::Comma))
      break;
    hasComma = true;
  }
  expect(end, " after the patterns");
  bool isGroup = end == TokenKind::RightParen && elements.size() == 1 && !hasComma;
  if (isGroup && !isa<Starred>(elements[0]))
    return elements[0];
  auto *list = create<List>(rangeFrom(begin));
  list->elements = copy(elements);
  return list;
}

const Expression *ParserState::parsePatternMapping() {
  uint32_t begin = advance().range.begin;
  llvm::SmallVector<DictItem> items;
  while (!at(TokenKind::RightBrace)) {
    DictItem item;
    if (accept(TokenKind::DoubleStar)) {
      auto *name = create<Name>(token().range);
      name->id = expectName("a name after `**`").name;
      item.value = name;
    } else {
      item.key = parseClosedPattern();
      expect(TokenKind::Colon, " after the key of a mapping pattern");
      item.value = parsePattern();
    }
    items.push_back(item);
    if (!accept(TokenKind::Comma))
      break;
  }
  expect(TokenKind::RightBrace, " after the patterns");
  auto *mapping = create<Dict>(rangeFrom(begin));
  mapping->items = copy(items);
  return mapping;
}

const Expression *ParserState::parsePatternClass(const Expression *function) {
  advance();
  ExpressionList arguments;
  llvm::SmallVector<Keyword> keywords;
  while (!at(TokenKind::RightParen)) {
    if (at(TokenKind::Name) && kind(1) == TokenKind::Equal) {
      Identifier name = expectName("a name");
      advance();
      const Expression *value = parsePattern();
      keywords.push_back({name, value, rangeFrom(name.range.begin)});
    } else if (!keywords.empty()) {
      fail(diagnostics::PositionalAfterKeyword, token().range);
    } else {
      arguments.push_back(parsePattern());
    }
    if (!accept(TokenKind::Comma))
      break;
  }
  expect(TokenKind::RightParen, " after the patterns");
  auto *call = create<Call>(rangeFrom(function->range.begin));
  call->function = function;
  call->arguments = copy(arguments);
  call->keywords = copy(keywords);
  return call;
}

} // namespace triton::frontend
