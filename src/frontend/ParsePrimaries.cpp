#include "frontend/ParserState.h"

#include "llvm/ADT/StringExtras.h"

#include <cstdlib>

namespace triton::frontend {

using namespace ast;

const Expression *ParserState::parseAwaitPrimary() {
  if (!at(TokenKind::KeywordAwait))
    return parsePrimary();
  uint32_t begin = advance().range.begin;
  const Expression *value = parsePrimary();
  auto *node = create<Await>(rangeFrom(begin));
  node->value = value;
  return node;
}

/// An atom and the attributes, calls and subscripts after it.
const Expression *ParserState::parsePrimary() {
  uint32_t begin = this->begin();
  const Expression *value = parseAtom();
  for (;;) {
    if (accept(TokenKind::Dot)) {
      Identifier attribute = expectName("the name of an attribute after `.`");
      auto *node = create<Attribute>(rangeFrom(begin));
      node->value = value;
      node->attribute = attribute;
      value = node;
    } else if (at(TokenKind::LeftParen)) {
      const Expression *function = value;
      advance();
      ExpressionList arguments;
      llvm::SmallVector<Keyword> keywords;
      parseArguments(arguments, keywords);
      auto *node = create<Call>(rangeFrom(begin));
      node->function = function;
      node->arguments = copy(arguments);
      node->keywords = copy(keywords);
      value = node;
    } else if (accept(TokenKind::LeftBracket)) {
      const Expression *index = parseSubscriptIndex();
      expect(TokenKind::RightBracket, " after a subscript");
      auto *node = create<Subscript>(rangeFrom(begin));
      node->value = value;
      node->index = index;
      value = node;
    } else {
      return value;
    }
  }
}

const Expression *ParserState::parseAtom() {
  switch (kind()) {
  case TokenKind::Name: {
    auto *node = create<Name>(token().range);
    node->id = text(advance());
    return node;
  }
  case TokenKind::Number:
    return parseNumber();
  case TokenKind::String:
  case TokenKind::FStringStart:
    return parseStrings();
  case TokenKind::KeywordNone:
    return parseConstant(ConstantKind::None);
  case TokenKind::KeywordTrue:
    return parseConstant(ConstantKind::Boolean, true);
  case TokenKind::KeywordFalse:
    return parseConstant(ConstantKind::Boolean, false);
  case TokenKind::Ellipsis:
    return parseConstant(ConstantKind::Ellipsis);
  case TokenKind::LeftParen:
    return parseGroup();
  case TokenKind::LeftBracket:
    return parseListDisplay();
  case TokenKind::LeftBrace:
    return parseBraceDisplay();
  default:
    failUnexpected("an expression");
  }
}

const Expression *ParserState::parseConstant(ConstantKind constantKind, bool boolean) {
  auto *node = create<Constant>(advance().range);
  node->constantKind = constantKind;
  node->boolean = boolean;
  return node;
}

const Expression *ParserState::parseNumber() {
  // The limit is Python's, because longer numbers take quadratic time to read.
  constexpr size_t maximumDigits = 4300;
  const Token &token = advance();
  auto *node = create<Constant>(token.range);
  std::string digits;
  for (char c : text(token))
    if (c != '_')
      digits += llvm::toLower(c);
  llvm::StringRef spelling = digits;
  bool hasRadix = spelling.size() > 1 && spelling[0] == '0' && llvm::isAlpha(spelling[1]) &&
                  llvm::StringRef("xob").contains(spelling[1]);
  if (!hasRadix && spelling.find_first_of(".ej") != llvm::StringRef::npos) {
    bool isImaginary = spelling.consume_back("j");
    node->constantKind = isImaginary ? ConstantKind::Imaginary : ConstantKind::Float;
    node->number = std::strtod(spelling.str().c_str(), nullptr);
    return node;
  }
  node->constantKind = ConstantKind::Integer;
  if (hasRadix) {
    node->radix = spelling[1] == 'x' ? 16 : spelling[1] == 'o' ? 8 : 2;
    spelling = spelling.drop_front(2);
  }
  spelling = spelling.ltrim('0');
  if (spelling.size() > maximumDigits)
    report(diagnostics::NumberTooLong, token.range, spelling.size(), maximumDigits);
  node->text = spelling.empty() ? "0" : copyText(spelling);
  return node;
}

void ParserState::parseArguments(ExpressionList &arguments, llvm::SmallVectorImpl<Keyword> &keywords) {
  while (!at(TokenKind::RightParen)) {
    parseArgument(arguments, keywords);
    if (!accept(TokenKind::Comma))
      break;
  }
  if (at(TokenKind::Equal))
    fail(diagnostics::AssignInCondition, token().range);
  expect(TokenKind::RightParen, " after the arguments");
}

void ParserState::parseArgument(ExpressionList &arguments, llvm::SmallVectorImpl<Keyword> &keywords) {
  uint32_t begin = this->begin();
  uint32_t openParenthesis = tokens[position - 1].range.begin;
  bool hasDoubleStar = !keywords.empty() && keywords.back().name.name.empty();
  if (accept(TokenKind::DoubleStar)) {
    const Expression *value = parseExpression();
    keywords.push_back({{}, value, rangeFrom(begin)});
    return;
  }
  if (at(TokenKind::Name) && kind(1) == TokenKind::Equal) {
    Identifier name = expectName("a name");
    advance();
    const Expression *value = parseExpression();
    keywords.push_back({name, value, rangeFrom(begin)});
    return;
  }
  if (at(TokenKind::Star)) {
    if (hasDoubleStar)
      fail(diagnostics::PositionalAfterKeyword, token().range);
    advance();
    const Expression *value = parseExpression();
    auto *starred = create<Starred>(rangeFrom(begin));
    starred->value = value;
    arguments.push_back(starred);
    return;
  }
  const Expression *value = parseNamedExpression();
  if (atComprehension()) {
    llvm::ArrayRef<Comprehension> generators = parseComprehensions();
    bool isOnly = arguments.empty() && keywords.empty() && at(TokenKind::RightParen);
    SourceRange range = rangeFrom(begin);
    if (!isOnly)
      report(diagnostics::GeneratorNotParenthesized, range);
    // A generator that is the only argument shares the parentheses of the call.
    if (isOnly)
      range = {openParenthesis, token().range.end};
    auto *generator = create<GeneratorExp>(range);
    generator->element = value;
    generator->generators = generators;
    value = generator;
  }
  if (!keywords.empty())
    report(diagnostics::PositionalAfterKeyword, value->range);
  arguments.push_back(value);
}

/// What stands between the brackets of a subscript.
const Expression *ParserState::parseSubscriptIndex() {
  uint32_t begin = this->begin();
  const Expression *first = parseSlice();
  if (!at(TokenKind::Comma) && !isa<Starred>(first))
    return first;
  ExpressionList elements{first};
  while (accept(TokenKind::Comma) && !at(TokenKind::RightBracket))
    elements.push_back(parseSlice());
  auto *tuple = create<Tuple>(rangeFrom(begin));
  tuple->elements = copy(elements);
  return tuple;
}

/// One entry of a subscript: a slice, an expression or a starred one.
const Expression *ParserState::parseSlice() {
  uint32_t begin = this->begin();
  const Expression *lower = at(TokenKind::Colon) ? nullptr : parseStarNamedExpression();
  if (!at(TokenKind::Colon))
    return lower;
  advance();
  auto parseBound = [&]() -> const Expression * {
    bool isAbsent = at(TokenKind::Colon) || at(TokenKind::Comma) || at(TokenKind::RightBracket);
    return isAbsent ? nullptr : parseExpression();
  };
  const Expression *upper = parseBound();
  const Expression *step = accept(TokenKind::Colon) ? parseBound() : nullptr;
  auto *slice = create<Slice>(rangeFrom(begin));
  slice->lower = lower;
  slice->upper = upper;
  slice->step = step;
  return slice;
}

} // namespace triton::frontend
