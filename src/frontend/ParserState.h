// The state of one run of the parser. Only the files that parse its constructs (Parse*.cpp) use it.
#pragma once

#include "frontend/AST.h"
#include "frontend/Lexer.h"
#include "frontend/ParseDiagnostics.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Allocator.h"

namespace triton::frontend {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;

/// The syntax tree of a source, with the memory of its nodes. They have no destructors.
struct SyntaxTree final : Source::Parsed {
  llvm::BumpPtrAllocator nodes;
  const ast::Module *module = nullptr;
};

class ParserState {
public:
  ParserState(const Source &source, std::vector<Token> tokens, DiagnosticSink &sink, llvm::BumpPtrAllocator &nodes)
      : source(source), tokens(std::move(tokens)), sink(sink), nodes(nodes) {}

  /// The whole token stream.
  ast::Statements parseFile();

private:
  /// Thrown after reporting an error, to the next place where parsing can continue: the end of the statement.
  struct Failure {};

  using StatementList = llvm::SmallVector<const ast::Statement *, 8>;
  using ExpressionList = llvm::SmallVector<const ast::Expression *, 8>;

  // Parser.cpp: tokens, nodes and errors.
  const Token &token(size_t ahead = 0) const { return tokens[std::min(position + ahead, tokens.size() - 1)]; }
  TokenKind kind(size_t ahead = 0) const { return token(ahead).kind; }
  bool at(TokenKind wanted) const { return kind() == wanted; }
  llvm::StringRef text(const Token &token) const { return source.text(token.range); }
  bool atSoftKeyword(llvm::StringRef word) const { return at(TokenKind::Name) && text(token()) == word; }
  const Token &advance() { return tokens[position + 1 < tokens.size() ? position++ : position]; }
  bool accept(TokenKind wanted);
  const Token &expect(TokenKind wanted, llvm::StringRef where);
  /// The innermost bracket before the current token that is not closed; null outside of brackets.
  const Token *openBracket() const;
  bool atLineStart() const;
  /// From `begin` to the end of the last consumed token that is part of a line's text.
  SourceRange rangeFrom(uint32_t begin) const;
  uint32_t begin() const { return token().range.begin; }
  ast::Identifier expectName(llvm::StringRef what);

  template <typename T> T *create(SourceRange range) {
    T *node = new (nodes.Allocate<T>()) T();
    node->kind = T::staticKind;
    node->range = range;
    return node;
  }
  template <typename List> auto copy(const List &list) {
    return llvm::ArrayRef<typename List::value_type>(list).copy(nodes);
  }
  llvm::StringRef copyText(llvm::StringRef value) { return value.copy(nodes); }

  template <typename... Args>
  void report(const DiagnosticKind<void(Args...)> &kind, SourceRange range, const std::type_identity_t<Args> &...args) {
    sink.report(kind, range, args...);
  }
  template <typename... Args>
  [[noreturn]] void fail(const DiagnosticKind<void(Args...)> &kind, SourceRange range,
                         const std::type_identity_t<Args> &...args) {
    sink.report(kind, range, args...);
    throw Failure();
  }
  [[noreturn]] void failUnexpected(llvm::StringRef wanted);
  /// Continues after a failed statement: skips the rest of its lines and parses the blocks that follow for more errors.
  void recover(size_t statementStart);

  /// Counts the recursion of the parser on the call stack.
  class DepthGuard {
  public:
    explicit DepthGuard(ParserState &parser) : parser(parser) {
      if (++parser.depth <= maximumDepth)
        return;
      --parser.depth;
      parser.fail(diagnostics::NestedTooDeep, parser.token().range);
    }
    ~DepthGuard() { --parser.depth; }
    DepthGuard(const DepthGuard &) = delete;
    DepthGuard &operator=(const DepthGuard &) = delete;

  private:
    ParserState &parser;
  };
  static constexpr unsigned maximumDepth = 600;

  // ParseStatements.cpp: statements of one line.
  void parseStatement(StatementList &list);
  void parseSimpleStatements(StatementList &list);
  const ast::Statement *parseSimpleStatement();
  const ast::Statement *parseExpressionStatement();
  const ast::Statement *parseAssign(uint32_t begin, const ast::Expression *first);
  const ast::Statement *parseAnnAssign(uint32_t begin, const ast::Expression *target);
  const ast::Statement *parseAugAssign(uint32_t begin, const ast::Expression *target);
  const ast::Statement *parseReturn();
  const ast::Statement *parseDelete();
  const ast::Statement *parseRaise();
  const ast::Statement *parseAssert();
  template <typename T> const ast::Statement *parseScopeDeclaration();
  template <typename T> const ast::Statement *parseKeywordStatement();
  const ast::Statement *parseTypeAlias();
  bool atTypeAlias() const;

  // ParseImports.cpp
  const ast::Statement *parseImport();
  const ast::Statement *parseImportFrom();
  ast::Identifier parseDottedName();
  ast::Identifier parseAsName();

  // ParseBlocks.cpp: statements with a block.
  const ast::Statement *parseCompoundStatement();
  ast::Statements parseBlock(llvm::StringRef owner, SourceRange ownerRange);
  const ast::Statement *parseIf();
  const ast::Statement *parseWhile();
  const ast::Statement *parseFor(uint32_t begin, bool isAsync);
  const ast::Statement *parseWith(uint32_t begin, bool isAsync);
  ast::WithItem parseWithItem();
  bool atParenthesizedWithItems() const;
  const ast::Statement *parseTry();
  ast::ExceptHandler parseExceptHandler(bool isStar);
  const ast::Statement *parseAsync();
  ast::Statements parseElse();

  // ParseDefinitions.cpp: functions, classes, parameters, decorators.
  const ast::Statement *parseDecorated();
  const ast::Statement *parseFunctionDef(uint32_t begin, ast::Expressions decorators, bool isAsync);
  const ast::Statement *parseClassDef(uint32_t begin, ast::Expressions decorators);
  llvm::ArrayRef<ast::Parameter> parseParameters(TokenKind end, bool hasAnnotations);
  ast::Parameter parseParameter(bool hasAnnotations);
  void checkParameters(llvm::ArrayRef<ast::Parameter> parameters);
  void skipTypeParameters();

  // ParsePatterns.cpp: match statements.
  bool atMatch() const;
  const ast::Statement *parseMatch();
  ast::MatchCase parseCase();
  const ast::Expression *parsePatterns();
  const ast::Expression *parsePattern();
  const ast::Expression *parseClosedPattern();
  const ast::Expression *parsePatternNumber();
  const ast::Expression *parsePatternSequence(TokenKind end);
  const ast::Expression *parsePatternMapping();
  const ast::Expression *parsePatternClass(const ast::Expression *function);

  // ParseExpressions.cpp: operators.
  const ast::Expression *parseExpression();
  const ast::Expression *parseNamedExpression();
  const ast::Expression *parseExpressions();
  const ast::Expression *parseYieldOrExpressions();
  using ElementParser = const ast::Expression *(ParserState::*)();
  const ast::Expression *parseStarredOr(ElementParser element);
  const ast::Expression *parseTupleOf(ElementParser element);
  const ast::Expression *parseStarExpression() { return parseStarredOr(&ParserState::parseExpression); }
  const ast::Expression *parseStarNamedExpression() { return parseStarredOr(&ParserState::parseNamedExpression); }
  const ast::Expression *parseStarTarget() { return parseStarredOr(&ParserState::parseBitwiseOr); }
  const ast::Expression *parseDisjunction();
  const ast::Expression *parseConjunction();
  const ast::Expression *parseBoolOp(TokenKind keyword, ast::BoolOperator op, ElementParser operand);
  const ast::Expression *parseInversion();
  const ast::Expression *parseComparison();
  bool acceptCompareOperator(ast::CompareOperator &op, SourceRange &range);
  const ast::Expression *parseBitwiseOr() { return parseBinary(0); }
  const ast::Expression *parseBinary(unsigned minimumPrecedence);
  const ast::Expression *parseFactor();
  const ast::Expression *parsePower();
  /// A node from `begin` up to here.
  const ast::Expression *createBinary(uint32_t begin, const ast::Expression *left, ast::BinaryOperator op,
                                      SourceRange operatorRange, const ast::Expression *right);
  const ast::Expression *parseLambda();
  const ast::Expression *parseYield();
  bool atExpressionEnd() const;

  // ParsePrimaries.cpp: calls, subscripts, attributes.
  const ast::Expression *parseAwaitPrimary();
  const ast::Expression *parsePrimary();
  const ast::Expression *parseAtom();
  /// Between parentheses, the closing one included.
  void parseArguments(ExpressionList &arguments, llvm::SmallVectorImpl<ast::Keyword> &keywords);
  void parseArgument(ExpressionList &arguments, llvm::SmallVectorImpl<ast::Keyword> &keywords);
  const ast::Expression *parseSubscriptIndex();
  const ast::Expression *parseSlice();
  const ast::Expression *parseConstant(ast::ConstantKind kind, bool boolean = false);
  const ast::Expression *parseNumber();

  // ParseDisplays.cpp: parentheses, lists, dictionaries, sets, comprehensions.
  const ast::Expression *parseGroup();
  const ast::Expression *parseListDisplay();
  const ast::Expression *parseBraceDisplay();
  ast::DictItem parseDictItem();
  bool atComprehension() const;
  llvm::ArrayRef<ast::Comprehension> parseComprehensions();
  const ast::Expression *rejectStarred(const ast::Expression *element);

  // ParseStrings.cpp: literals, f-strings, implicit concatenation.
  /// The parts of an f-string so far; `pending` is the text since the last field.
  struct StringParts {
    ExpressionList values;
    std::string pending;
    uint32_t pendingBegin = 0;
  };
  const ast::Expression *parseStrings();
  void parsePlainString(const Token &token, bool isBytes, std::string &value);
  void parseFString(StringParts &parts);
  void parseFStringParts(StringParts &parts, bool isRaw, TokenKind end);
  void parseFormattedValue(StringParts &parts, bool isRaw);
  void flushText(StringParts &parts, uint32_t end);
  const ast::Constant *createString(llvm::StringRef value, SourceRange range);

  // DecodeEscapes.cpp
  enum class TextKind : uint8_t { String, Bytes, FString };
  /// Appends the value of the text at `range`, between the quotes of a literal, to `value`.
  void decodeText(SourceRange range, bool isRaw, TextKind textKind, std::string &value);
  size_t decodeEscape(SourceRange range, size_t at, TextKind textKind, std::string &value);
  size_t decodeHexEscape(SourceRange range, size_t at, unsigned digits, TextKind textKind, std::string &value);
  size_t decodeNamedEscape(SourceRange range, size_t at, std::string &value);

  // ParseTargets.cpp: what may stand left of `=`, after `for`, `del` and `as`.
  enum class TargetUse : uint8_t { Assign, Annotate, Augment, For, Delete, With };
  void checkTarget(const ast::Expression *target, TargetUse use);
  const ast::Expression *parseTargetList();

  /// Whether the whole tree is at most ast::maximumTreeDepth deep; reports one that is not.
  bool hasAllowedDepth(ast::Statements body);

  const Source &source;
  std::vector<Token> tokens;
  DiagnosticSink &sink;
  llvm::BumpPtrAllocator &nodes;
  size_t position = 0;
  unsigned depth = 0;
};

} // namespace triton::frontend
