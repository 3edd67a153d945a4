#include "frontend/Parser.h"
#include "frontend/ParserState.h"

#include "llvm/ADT/StringExtras.h"

namespace triton::frontend {

namespace {

constexpr size_t maximumTextSize = UINT32_MAX / 2;

std::shared_ptr<Source> makeSource(std::string fileName, std::string text, unsigned firstLine, unsigned columnOffset) {
  if (text.size() > maximumTextSize)
    throwError(diagnostics::FileTooLarge, fileName, maximumTextSize);
  return Source::create(std::move(fileName), std::move(text), firstLine, columnOffset);
}

/// Gives the source its tree, and returns the errors in it.
std::vector<Diagnostic> parse(Source &source, LexStart start) {
  DiagnosticSink sink(source);
  std::vector<Token> tokens = lex(source, start, sink);
  auto tree = std::make_unique<SyntaxTree>();
  tree->module = new (tree->nodes) ast::Module{ParserState(source, std::move(tokens), sink, tree->nodes).parseFile()};
  source.setParsed(std::move(tree));
  return sink.take();
}

void parseValid(Source &source, LexStart start) {
  std::vector<Diagnostic> diagnostics = parse(source, start);
  if (!diagnostics.empty())
    throw DiagnosticError(std::move(diagnostics));
}

const ast::FunctionDef *parseDefinition(Source &source) {
  parseValid(source, LexStart::Function);
  ast::Statements body = moduleOf(source).body;
  auto *definition = body.empty() ? nullptr : llvm::dyn_cast<ast::FunctionDef>(body.front());
  if (!definition) {
    SourceRange range = body.empty() ? SourceRange() : body.front()->range;
    throwError(diagnostics::NotAFunction, source, range);
  }
  return definition;
}

bool beginsDefinition(llvm::StringRef line) {
  line = line.ltrim(" \t\f");
  if (!line.consume_front("def") && !line.consume_front("async"))
    return false;
  return !line.empty() && !llvm::isAlnum(line.front()) && line.front() != '_' && !(line.front() & 0x80);
}

/// Without the decorators: from the first line that begins with `def`. One within a decorator's text is before it.
SourceRange placeOfDefinition(llvm::StringRef text) {
  llvm::StringRef rest = text;
  while (!rest.empty() && !beginsDefinition(rest))
    rest = rest.split('\n').second;
  llvm::StringRef definition = (rest.empty() ? text : rest).trim();
  auto begin = uint32_t(definition.data() - text.data());
  return {begin, begin + uint32_t(definition.size())};
}

} // namespace

const ast::Module &moduleOf(const Source &source) {
  assert(source.parsed() && "a source has a tree once it is parsed");
  return *static_cast<const SyntaxTree *>(source.parsed())->module;
}

std::shared_ptr<const Source> parseModule(std::string fileName, std::string text) {
  std::shared_ptr<Source> source = makeSource(std::move(fileName), std::move(text), 1, 0);
  parseValid(*source, LexStart::File);
  return source;
}

RecoveredModule recoverModule(std::string fileName, std::string text) {
  try {
    std::shared_ptr<Source> source = makeSource(std::move(fileName), std::move(text), 1, 0);
    std::vector<Diagnostic> diagnostics = parse(*source, LexStart::File);
    return {std::move(source), std::move(diagnostics)};
  } catch (const DiagnosticError &error) { // The text is too large for a tree.
    return {parseModule("", ""), error.diagnostics()};
  }
}

ParsedFunction parseFunction(std::string fileName, std::string text, unsigned firstLine, unsigned columnOffset) {
  std::shared_ptr<Source> source = makeSource(std::move(fileName), std::move(text), firstLine, columnOffset);
  const ast::FunctionDef *definition = parseDefinition(*source);
  return {std::move(source), definition};
}

UnparsedFunction parseFunctionLater(std::string fileName, std::string text, unsigned firstLine, unsigned columnOffset) {
  std::shared_ptr<Source> source = makeSource(std::move(fileName), std::move(text), firstLine, columnOffset);
  SourceRange place = placeOfDefinition(source->text());
  return {source, Definition([source] { return parseDefinition(*source); }), place};
}

SourceRange ParserState::rangeFrom(uint32_t begin) const {
  size_t last = position ? position - 1 : 0;
  auto isLayout = [](TokenKind kind) {
    return kind == TokenKind::Newline || kind == TokenKind::Indent || kind == TokenKind::Dedent ||
           kind == TokenKind::Semicolon;
  };
  while (last != 0 && isLayout(tokens[last].kind))
    --last;
  return {begin, std::max(begin, tokens[last].range.end)};
}

bool ParserState::accept(TokenKind wanted) {
  if (!at(wanted))
    return false;
  advance();
  return true;
}

const Token *ParserState::openBracket() const {
  unsigned closed = 0;
  for (size_t i = position; i-- > 0;) {
    switch (tokens[i].kind) {
    case TokenKind::RightParen:
    case TokenKind::RightBracket:
    case TokenKind::RightBrace:
      ++closed;
      break;
    case TokenKind::LeftParen:
    case TokenKind::LeftBracket:
    case TokenKind::LeftBrace:
      if (closed == 0)
        return &tokens[i];
      --closed;
      break;
    case TokenKind::Newline:
      return nullptr;
    default:
      break;
    }
  }
  return nullptr;
}

bool ParserState::atLineStart() const {
  uint32_t previousEnd = position ? tokens[position - 1].range.end : 0;
  return source.text({previousEnd, token().range.begin}).find_first_of("\r\n") != llvm::StringRef::npos;
}

const Token &ParserState::expect(TokenKind wanted, llvm::StringRef where) {
  if (at(wanted))
    return advance();
  // What does not fit inside of brackets but begins a line is the next statement.
  bool isCloser =
      wanted == TokenKind::RightParen || wanted == TokenKind::RightBracket || wanted == TokenKind::RightBrace;
  if (isCloser && !at(TokenKind::Invalid) && atLineStart())
    if (const Token *bracket = openBracket())
      fail(diagnostics::BracketNeverClosed, bracket->range, describe(bracket->kind));
  failUnexpected(describe(wanted) + where.str());
}

ast::Identifier ParserState::expectName(llvm::StringRef what) {
  if (isKeyword(kind()))
    fail(diagnostics::KeywordAsName, token().range, describe(kind()), what);
  if (!at(TokenKind::Name))
    failUnexpected(what);
  const Token &name = advance();
  return {text(name), name.range};
}

void ParserState::failUnexpected(llvm::StringRef wanted) {
  // The lexer has already reported an invalid token.
  if (at(TokenKind::Invalid))
    throw Failure();
  SourceRange range = token().range;
  if (at(TokenKind::Newline) || at(TokenKind::EndOfFile))
    range.end = range.begin;
  bool isShown = kind() == TokenKind::Name || kind() == TokenKind::Number || kind() == TokenKind::String;
  std::string seen = isShown && text(token()).size() <= 40 ? "`" + text(token()).str() + "`" : describe(kind());
  fail(diagnostics::UnexpectedToken, range, wanted, seen);
}

void ParserState::recover(size_t statementStart) {
  if (position == statementStart && !at(TokenKind::Newline))
    advance();
  while (!at(TokenKind::Newline) && !at(TokenKind::EndOfFile) && !at(TokenKind::Indent) && !at(TokenKind::Dedent))
    advance();
  accept(TokenKind::Newline);
  StatementList discarded;
  for (;;) {
    if (at(TokenKind::Indent)) {
      advance();
      while (!at(TokenKind::Dedent) && !at(TokenKind::EndOfFile) && !sink.isFull())
        parseStatement(discarded);
      accept(TokenKind::Dedent);
    }
    bool continuesFailed = at(TokenKind::KeywordElif) || at(TokenKind::KeywordElse) || at(TokenKind::KeywordExcept) ||
                           at(TokenKind::KeywordFinally);
    if (!continuesFailed)
      return;
    while (!at(TokenKind::Newline) && !at(TokenKind::EndOfFile))
      advance();
    accept(TokenKind::Newline);
  }
}

ast::Statements ParserState::parseFile() {
  StatementList body;
  while (!at(TokenKind::EndOfFile) && !sink.isFull()) {
    if (at(TokenKind::Dedent) || at(TokenKind::Newline))
      advance();
    else
      parseStatement(body);
  }
  ast::Statements statements = copy(body);
  return hasAllowedDepth(statements) ? statements : ast::Statements();
}

bool ParserState::hasAllowedDepth(ast::Statements body) {
  std::vector<std::pair<const ast::Node *, unsigned>> work;
  for (const ast::Statement *statement : body)
    work.push_back({statement, 1});
  while (!work.empty()) {
    auto [node, nodeDepth] = work.back();
    work.pop_back();
    if (nodeDepth > ast::maximumTreeDepth) {
      report(diagnostics::NestedTooDeep, node->range);
      return false;
    }
    ast::forEachChild(*node, [&, below = nodeDepth + 1](const ast::Node &child) { work.push_back({&child, below}); });
  }
  return true;
}

} // namespace triton::frontend
