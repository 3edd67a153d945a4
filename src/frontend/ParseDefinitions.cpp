#include "frontend/ParserState.h"

#include "llvm/ADT/StringSet.h"

namespace triton::frontend {

using namespace ast;

const Statement *ParserState::parseDecorated() {
  ExpressionList decorators;
  while (accept(TokenKind::At)) {
    decorators.push_back(parseNamedExpression());
    expect(TokenKind::Newline, " after a decorator");
  }
  uint32_t begin = this->begin();
  if (at(TokenKind::KeywordClass))
    return parseClassDef(begin, copy(decorators));
  bool isAsync = at(TokenKind::KeywordAsync) && kind(1) == TokenKind::KeywordDef;
  if (isAsync)
    advance();
  if (!at(TokenKind::KeywordDef))
    failUnexpected("`def` or `class` after a decorator");
  return parseFunctionDef(begin, copy(decorators), isAsync);
}

const Statement *ParserState::parseFunctionDef(uint32_t begin, Expressions decorators, bool isAsync) {
  SourceRange keyword = advance().range;
  Identifier name = expectName("the name of a function");
  skipTypeParameters();
  expect(TokenKind::LeftParen, " after the name of a function");
  llvm::ArrayRef<Parameter> parameters = parseParameters(TokenKind::RightParen, /*hasAnnotations=*/true);
  expect(TokenKind::RightParen, " after the parameters");
  const Expression *returns = accept(TokenKind::Arrow) ? parseExpression() : nullptr;
  SourceRange signature = rangeFrom(begin);
  Statements body = parseBlock("def", keyword);

  auto *statement = create<FunctionDef>(rangeFrom(begin));
  statement->decorators = decorators;
  statement->name = name;
  statement->parameters = parameters;
  statement->returns = returns;
  statement->body = body;
  statement->isAsync = isAsync;
  statement->signatureRange = signature;
  return statement;
}

const Statement *ParserState::parseClassDef(uint32_t begin, Expressions decorators) {
  SourceRange keyword = advance().range;
  Identifier name = expectName("the name of a class");
  skipTypeParameters();
  ExpressionList bases;
  llvm::SmallVector<Keyword> keywords;
  if (accept(TokenKind::LeftParen))
    parseArguments(bases, keywords);
  Statements body = parseBlock("class", keyword);

  auto *statement = create<ClassDef>(rangeFrom(begin));
  statement->decorators = decorators;
  statement->name = name;
  statement->bases = copy(bases);
  statement->keywords = copy(keywords);
  statement->body = body;
  return statement;
}

/// `[T, *Ts, **P]`: the compiler does not use the type parameters of generic functions and classes.
void ParserState::skipTypeParameters() {
  if (!accept(TokenKind::LeftBracket))
    return;
  do {
    if (at(TokenKind::RightBracket))
      break;
    if (!accept(TokenKind::Star))
      accept(TokenKind::DoubleStar);
    expectName("the name of a type parameter");
    if (accept(TokenKind::Colon))
      parseExpression();
    if (accept(TokenKind::Equal))
      parseStarExpression();
  } while (accept(TokenKind::Comma));
  expect(TokenKind::RightBracket, " after the type parameters");
}

/// One parameter with its stars, if any.
Parameter ParserState::parseParameter(bool hasAnnotations) {
  Parameter parameter;
  uint32_t begin = this->begin();
  parameter.kind = ParameterKind::Positional;
  if (accept(TokenKind::Star))
    parameter.kind = ParameterKind::VarPositional;
  else if (accept(TokenKind::DoubleStar))
    parameter.kind = ParameterKind::VarKeyword;
  if (at(TokenKind::LeftParen))
    fail(diagnostics::TupleParameter, token().range);
  parameter.name = expectName("the name of a parameter");
  if (hasAnnotations && accept(TokenKind::Colon)) {
    bool mayBeStarred = parameter.kind == ParameterKind::VarPositional;
    parameter.annotation = mayBeStarred ? parseStarExpression() : parseExpression();
  }
  if (at(TokenKind::Equal) && parameter.kind != ParameterKind::Positional)
    fail(diagnostics::StarredParameterDefault, token().range, text(tokens[position - 1]));
  if (accept(TokenKind::Equal))
    parameter.defaultValue = parseExpression();
  parameter.range = rangeFrom(begin);
  return parameter;
}

llvm::ArrayRef<Parameter> ParserState::parseParameters(TokenKind end, bool hasAnnotations) {
  llvm::SmallVector<Parameter> parameters;
  bool hasSlash = false, hasStar = false, needsKeyword = false;
  SourceRange star;
  while (!at(end)) {
    if (at(TokenKind::Slash)) {
      if (hasSlash || hasStar || parameters.empty())
        fail(diagnostics::MisplacedSlash, token().range);
      advance();
      hasSlash = true;
      for (Parameter &parameter : parameters)
        parameter.kind = ParameterKind::PositionalOnly;
    } else {
      if (!parameters.empty() && parameters.back().kind == ParameterKind::VarKeyword)
        fail(diagnostics::ParameterAfterKeywords, token().range, parameters.back().name.name);
      if (at(TokenKind::Star) && hasStar)
        fail(diagnostics::SecondStarParameter, token().range);
      bool isBareStar = at(TokenKind::Star) && (kind(1) == TokenKind::Comma || kind(1) == end);
      if (isBareStar) {
        star = advance().range;
        hasStar = needsKeyword = true;
      } else {
        Parameter parameter = parseParameter(hasAnnotations);
        if (hasStar && parameter.kind == ParameterKind::Positional)
          parameter.kind = ParameterKind::KeywordOnly;
        hasStar |= parameter.kind == ParameterKind::VarPositional;
        needsKeyword &= parameter.kind != ParameterKind::KeywordOnly;
        if (needsKeyword)
          fail(diagnostics::BareStarWithoutName, star);
        parameters.push_back(parameter);
      }
    }
    if (!accept(TokenKind::Comma))
      break;
  }
  if (needsKeyword)
    fail(diagnostics::BareStarWithoutName, star);
  checkParameters(parameters);
  return copy(parameters);
}

/// Names differ, and positional parameters without a default come first. Reported without leaving the statement.
void ParserState::checkParameters(llvm::ArrayRef<Parameter> parameters) {
  llvm::StringSet<> names;
  const Parameter *withDefault = nullptr;
  for (const Parameter &parameter : parameters) {
    if (!names.insert(parameter.name.name).second)
      report(diagnostics::DuplicateParameter, parameter.name.range, parameter.name.name);
    if (parameter.kind != ParameterKind::Positional && parameter.kind != ParameterKind::PositionalOnly)
      continue;
    if (parameter.defaultValue)
      withDefault = &parameter;
    else if (withDefault)
      report(diagnostics::DefaultBeforeRequired, parameter.range, parameter.name.name, withDefault->name.name);
  }
}

} // namespace triton::frontend
