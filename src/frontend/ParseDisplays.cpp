#include "frontend/ParserState.h"

namespace triton::frontend {

using namespace ast;

bool ParserState::atComprehension() const {
  return at(TokenKind::KeywordFor) || (at(TokenKind::KeywordAsync) && kind(1) == TokenKind::KeywordFor);
}

llvm::ArrayRef<Comprehension> ParserState::parseComprehensions() {
  llvm::SmallVector<Comprehension, 2> generators;
  while (atComprehension()) {
    Comprehension generator;
    generator.isAsync = accept(TokenKind::KeywordAsync);
    advance();
    generator.target = parseTargetList();
    expect(TokenKind::KeywordIn, " after the target of `for`");
    generator.iterable = parseDisjunction();
    ExpressionList conditions;
    while (accept(TokenKind::KeywordIf))
      conditions.push_back(parseDisjunction());
    generator.conditions = copy(conditions);
    generators.push_back(generator);
  }
  return copy(generators);
}

const Expression *ParserState::rejectStarred(const Expression *element) {
  if (isa<Starred>(element))
    fail(diagnostics::MisplacedStar, element->range);
  return element;
}

/// `(…)`: a group, a tuple or a generator expression.
const Expression *ParserState::parseGroup() {
  uint32_t begin = advance().range.begin;
  if (at(TokenKind::RightParen)) {
    advance();
    return create<Tuple>(rangeFrom(begin));
  }
  if (at(TokenKind::KeywordYield)) {
    const Expression *yield = parseYield();
    expect(TokenKind::RightParen, " after `yield`");
    return yield;
  }
  ExpressionList elements{parseStarNamedExpression()};
  if (atComprehension()) {
    llvm::ArrayRef<Comprehension> generators = parseComprehensions();
    expect(TokenKind::RightParen, " after a generator expression");
    auto *generator = create<GeneratorExp>(rangeFrom(begin));
    generator->element = rejectStarred(elements[0]);
    generator->generators = generators;
    return generator;
  }
  if (at(TokenKind::Equal))
    fail(diagnostics::AssignInCondition, token().range);
  if (!at(TokenKind::Comma)) {
    expect(TokenKind::RightParen, " to close the parentheses");
    return rejectStarred(elements[0]);
  }
  while (accept(TokenKind::Comma) && !at(TokenKind::RightParen))
    elements.push_back(parseStarNamedExpression());
  expect(TokenKind::RightParen, " after the elements of a tuple");
  auto *tuple = create<Tuple>(rangeFrom(begin));
  tuple->elements = copy(elements);
  return tuple;
}

const Expression *ParserState::parseListDisplay() {
  uint32_t begin = advance().range.begin;
  ExpressionList elements;
  if (!at(TokenKind::RightBracket))
    elements.push_back(parseStarNamedExpression());
  if (atComprehension()) {
    llvm::ArrayRef<Comprehension> generators = parseComprehensions();
    expect(TokenKind::RightBracket, " after a list comprehension");
    auto *comprehension = create<ListComp>(rangeFrom(begin));
    comprehension->element = rejectStarred(elements[0]);
    comprehension->generators = generators;
    return comprehension;
  }
  while (!elements.empty() && accept(TokenKind::Comma) && !at(TokenKind::RightBracket))
    elements.push_back(parseStarNamedExpression());
  expect(TokenKind::RightBracket, " after the elements of a list");
  auto *list = create<List>(rangeFrom(begin));
  list->elements = copy(elements);
  return list;
}

DictItem ParserState::parseDictItem() {
  if (accept(TokenKind::DoubleStar))
    return {nullptr, parseBitwiseOr()};
  const Expression *key = parseExpression();
  expect(TokenKind::Colon, " after the key of a dictionary");
  return {key, parseExpression()};
}

/// `{…}`: a dictionary, a set or a comprehension of either.
const Expression *ParserState::parseBraceDisplay() {
  uint32_t begin = advance().range.begin;
  bool isSet = false;
  llvm::SmallVector<DictItem> items;
  ExpressionList elements;
  if (!at(TokenKind::RightBrace) && !at(TokenKind::DoubleStar)) {
    const Expression *first = parseStarNamedExpression();
    isSet = !at(TokenKind::Colon);
    if (isSet) {
      elements.push_back(first);
    } else {
      advance();
      items.push_back({rejectStarred(first), parseExpression()});
    }
  } else if (at(TokenKind::DoubleStar)) {
    items.push_back(parseDictItem());
  }

  if (atComprehension() && (isSet || (!items.empty() && items[0].key))) {
    llvm::ArrayRef<Comprehension> generators = parseComprehensions();
    expect(TokenKind::RightBrace, " after a comprehension");
    if (isSet) {
      auto *comprehension = create<SetComp>(rangeFrom(begin));
      comprehension->element = rejectStarred(elements[0]);
      comprehension->generators = generators;
      return comprehension;
    }
    auto *comprehension = create<DictComp>(rangeFrom(begin));
    comprehension->key = items[0].key;
    comprehension->value = items[0].value;
    comprehension->generators = generators;
    return comprehension;
  }
  bool hasAny = isSet || !items.empty();
  while (hasAny && accept(TokenKind::Comma) && !at(TokenKind::RightBrace)) {
    if (isSet)
      elements.push_back(parseStarNamedExpression());
    else
      items.push_back(parseDictItem());
  }
  expect(TokenKind::RightBrace, isSet ? " after the elements of a set" : " after the items of a dictionary");
  if (isSet) {
    auto *set = create<Set>(rangeFrom(begin));
    set->elements = copy(elements);
    return set;
  }
  auto *dict = create<Dict>(rangeFrom(begin));
  dict->items = copy(items);
  return dict;
}

} // namespace triton::frontend
