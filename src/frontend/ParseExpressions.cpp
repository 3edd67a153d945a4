#include "frontend/ParserState.h"

namespace triton::frontend {

using namespace ast;

/// True where no further element of an unparenthesized tuple can begin.
bool ParserState::atExpressionEnd() const {
  switch (kind()) {
  case TokenKind::Newline:
  case TokenKind::EndOfFile:
  case TokenKind::Dedent:
  case TokenKind::Semicolon:
  case TokenKind::RightParen:
  case TokenKind::RightBracket:
  case TokenKind::RightBrace:
  case TokenKind::Colon:
  case TokenKind::Equal:
  case TokenKind::Exclamation:
  case TokenKind::KeywordIn:
  case TokenKind::KeywordIf:
  case TokenKind::FStringEnd:
    return true;
  default:
    return kind() >= TokenKind::PlusEqual && kind() <= TokenKind::CaretEqual;
  }
}

const Expression *ParserState::parseStarredOr(ElementParser element) {
  if (!at(TokenKind::Star))
    return (this->*element)();
  DepthGuard guard(*this);
  uint32_t begin = advance().range.begin;
  const Expression *value = parseBitwiseOr();
  auto *starred = create<Starred>(rangeFrom(begin));
  starred->value = value;
  return starred;
}

/// One element, or several with commas as a tuple.
const Expression *ParserState::parseTupleOf(ElementParser element) {
  uint32_t begin = this->begin();
  const Expression *first = (this->*element)();
  if (!at(TokenKind::Comma))
    return first;
  ExpressionList elements{first};
  while (accept(TokenKind::Comma) && !atExpressionEnd())
    elements.push_back((this->*element)());
  auto *tuple = create<Tuple>(rangeFrom(begin));
  tuple->elements = copy(elements);
  return tuple;
}

const Expression *ParserState::parseExpressions() { return parseTupleOf(&ParserState::parseStarExpression); }

const Expression *ParserState::parseYieldOrExpressions() {
  return at(TokenKind::KeywordYield) ? parseYield() : parseExpressions();
}

const Expression *ParserState::parseYield() {
  uint32_t begin = advance().range.begin;
  if (accept(TokenKind::KeywordFrom)) {
    const Expression *value = parseExpression();
    auto *yield = create<YieldFrom>(rangeFrom(begin));
    yield->value = value;
    return yield;
  }
  const Expression *value = atExpressionEnd() ? nullptr : parseExpressions();
  auto *yield = create<Yield>(rangeFrom(begin));
  yield->value = value;
  return yield;
}

const Expression *ParserState::parseNamedExpression() {
  if (!at(TokenKind::Name) || kind(1) != TokenKind::ColonEqual)
    return parseExpression();
  Identifier target = expectName("a name");
  advance();
  const Expression *value = parseExpression();
  auto *named = create<NamedExpr>(rangeFrom(target.range.begin));
  named->target = target;
  named->value = value;
  return named;
}

const Expression *ParserState::parseExpression() {
  DepthGuard guard(*this);
  if (at(TokenKind::KeywordLambda))
    return parseLambda();
  uint32_t begin = this->begin();
  const Expression *body = parseDisjunction();
  if (!accept(TokenKind::KeywordIf))
    return body;
  const Expression *test = parseDisjunction();
  if (!at(TokenKind::KeywordElse) && !at(TokenKind::Invalid))
    fail(diagnostics::ConditionalWithoutElse, rangeFrom(begin));
  expect(TokenKind::KeywordElse, "");
  const Expression *orElse = parseExpression();
  auto *conditional = create<IfExp>(rangeFrom(begin));
  conditional->test = test;
  conditional->body = body;
  conditional->orElse = orElse;
  return conditional;
}

const Expression *ParserState::parseLambda() {
  uint32_t begin = advance().range.begin;
  llvm::ArrayRef<Parameter> parameters = parseParameters(TokenKind::Colon, /*hasAnnotations=*/false);
  expect(TokenKind::Colon, " after the parameters of `lambda`");
  const Expression *body = parseExpression();
  auto *lambda = create<Lambda>(rangeFrom(begin));
  lambda->parameters = parameters;
  lambda->body = body;
  return lambda;
}

const Expression *ParserState::parseBoolOp(TokenKind keyword, BoolOperator op, ElementParser operand) {
  uint32_t begin = this->begin();
  const Expression *first = (this->*operand)();
  if (!at(keyword))
    return first;
  ExpressionList values{first};
  while (accept(keyword))
    values.push_back((this->*operand)());
  auto *node = create<BoolOp>(rangeFrom(begin));
  node->op = op;
  node->values = copy(values);
  return node;
}

const Expression *ParserState::parseDisjunction() {
  return parseBoolOp(TokenKind::KeywordOr, BoolOperator::Or, &ParserState::parseConjunction);
}

const Expression *ParserState::parseConjunction() {
  return parseBoolOp(TokenKind::KeywordAnd, BoolOperator::And, &ParserState::parseInversion);
}

const Expression *ParserState::parseInversion() {
  llvm::SmallVector<uint32_t, 2> begins;
  while (at(TokenKind::KeywordNot))
    begins.push_back(advance().range.begin);
  const Expression *operand = parseComparison();
  for (uint32_t begin : llvm::reverse(begins)) {
    auto *node = create<UnaryOp>(rangeFrom(begin));
    node->op = UnaryOperator::Not;
    node->operand = operand;
    operand = node;
  }
  return operand;
}

bool ParserState::acceptCompareOperator(CompareOperator &op, SourceRange &range) {
  static constexpr std::pair<TokenKind, CompareOperator> simple[] = {
      {TokenKind::EqualEqual, CompareOperator::Eq}, {TokenKind::NotEqual, CompareOperator::NotEq},
      {TokenKind::Less, CompareOperator::Lt},       {TokenKind::LessEqual, CompareOperator::LtE},
      {TokenKind::Greater, CompareOperator::Gt},    {TokenKind::GreaterEqual, CompareOperator::GtE},
      {TokenKind::KeywordIn, CompareOperator::In},
  };
  uint32_t begin = this->begin();
  if (at(TokenKind::KeywordIs)) {
    advance();
    op = accept(TokenKind::KeywordNot) ? CompareOperator::IsNot : CompareOperator::Is;
    range = rangeFrom(begin);
    return true;
  }
  if (at(TokenKind::KeywordNot) && kind(1) == TokenKind::KeywordIn) {
    advance();
    advance();
    op = CompareOperator::NotIn;
    range = rangeFrom(begin);
    return true;
  }
  for (auto [tokenKind, compareOperator] : simple) {
    if (!accept(tokenKind))
      continue;
    op = compareOperator;
    range = rangeFrom(begin);
    return true;
  }
  return false;
}

const Expression *ParserState::parseComparison() {
  uint32_t begin = this->begin();
  const Expression *left = parseBitwiseOr();
  llvm::SmallVector<CompareOperator, 2> operators;
  llvm::SmallVector<SourceRange, 2> ranges;
  ExpressionList comparators;
  CompareOperator op;
  SourceRange range;
  while (acceptCompareOperator(op, range)) {
    operators.push_back(op);
    ranges.push_back(range);
    comparators.push_back(parseBitwiseOr());
  }
  if (operators.empty())
    return left;
  auto *node = create<Compare>(rangeFrom(begin));
  node->left = left;
  node->operators = copy(operators);
  node->operatorRanges = copy(ranges);
  node->comparators = copy(comparators);
  return node;
}

namespace {
struct BinaryInfo {
  BinaryOperator op;
  unsigned precedence;
};
} // namespace

/// The operators that associate to the left, from `|` (0) to `*` (5).
static std::optional<BinaryInfo> binaryInfo(TokenKind kind) {
  switch (kind) {
  case TokenKind::Pipe:
    return BinaryInfo{BinaryOperator::BitOr, 0};
  case TokenKind::Caret:
    return BinaryInfo{BinaryOperator::BitXor, 1};
  case TokenKind::Ampersand:
    return BinaryInfo{BinaryOperator::BitAnd, 2};
  case TokenKind::LeftShift:
    return BinaryInfo{BinaryOperator::LShift, 3};
  case TokenKind::RightShift:
    return BinaryInfo{BinaryOperator::RShift, 3};
  case TokenKind::Plus:
    return BinaryInfo{BinaryOperator::Add, 4};
  case TokenKind::Minus:
    return BinaryInfo{BinaryOperator::Sub, 4};
  case TokenKind::Star:
    return BinaryInfo{BinaryOperator::Mult, 5};
  case TokenKind::At:
    return BinaryInfo{BinaryOperator::MatMult, 5};
  case TokenKind::Slash:
    return BinaryInfo{BinaryOperator::Div, 5};
  case TokenKind::DoubleSlash:
    return BinaryInfo{BinaryOperator::FloorDiv, 5};
  case TokenKind::Percent:
    return BinaryInfo{BinaryOperator::Mod, 5};
  default:
    return std::nullopt;
  }
}

const Expression *ParserState::parseBinary(unsigned minimumPrecedence) {
  uint32_t begin = this->begin();
  const Expression *left = parseFactor();
  for (;;) {
    std::optional<BinaryInfo> info = binaryInfo(kind());
    if (!info || info->precedence < minimumPrecedence)
      return left;
    SourceRange operatorRange = advance().range;
    const Expression *right = parseBinary(info->precedence + 1);
    left = createBinary(begin, left, info->op, operatorRange, right);
  }
}

const Expression *ParserState::createBinary(uint32_t begin, const Expression *left, BinaryOperator op,
                                            SourceRange operatorRange, const Expression *right) {
  auto *node = create<BinOp>(rangeFrom(begin));
  node->left = left;
  node->op = op;
  node->operatorRange = operatorRange;
  node->right = right;
  return node;
}

static std::optional<UnaryOperator> unaryOperator(TokenKind kind) {
  switch (kind) {
  case TokenKind::Plus:
    return UnaryOperator::UAdd;
  case TokenKind::Minus:
    return UnaryOperator::USub;
  case TokenKind::Tilde:
    return UnaryOperator::Invert;
  default:
    return std::nullopt;
  }
}

/// Prefix operators, which bind weaker than `**`.
const Expression *ParserState::parseFactor() {
  llvm::SmallVector<std::pair<UnaryOperator, uint32_t>, 2> prefixes;
  for (; std::optional<UnaryOperator> op = unaryOperator(kind()); advance())
    prefixes.push_back({*op, begin()});
  const Expression *operand = parsePower();
  for (auto [op, begin] : llvm::reverse(prefixes)) {
    auto *node = create<UnaryOp>(rangeFrom(begin));
    node->op = op;
    node->operand = operand;
    operand = node;
  }
  return operand;
}

const Expression *ParserState::parsePower() {
  uint32_t begin = this->begin();
  const Expression *base = parseAwaitPrimary();
  if (!at(TokenKind::DoubleStar))
    return base;
  DepthGuard guard(*this);
  SourceRange operatorRange = advance().range;
  const Expression *exponent = parseFactor();
  return createBinary(begin, base, BinaryOperator::Pow, operatorRange, exponent);
}

} // namespace triton::frontend
