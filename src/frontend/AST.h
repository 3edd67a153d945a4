// The syntax tree: Python's grammar, one struct per kind of Nodes.def, with the names of Python's `ast` module. Nodes
// live in the allocator of their Source, are immutable after parsing and have no destructors. The tree is at most
// `maximumTreeDepth` deep, so walking it recursively is safe.
#pragma once

#include "base/Source.h"

#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Casting.h"

namespace triton::frontend {
using namespace base;
} // namespace triton::frontend

namespace triton::frontend::ast {

/// No node of a parsed tree has more ancestors than this; deeper input is reported as an error.
inline constexpr unsigned maximumTreeDepth = 1000;

enum class NodeKind : uint8_t {
#define TRITON_STATEMENT(name) name,
#define TRITON_EXPRESSION(name) name,
#include "frontend/Nodes.def"
};

/// The name of the struct, such as "AugAssign".
llvm::StringRef name(NodeKind kind);

struct Node {
  NodeKind kind;
  SourceRange range;
};

struct Statement : Node {
  static bool classof(const Node *node) { return node->kind <= NodeKind::Continue; }
};
struct Expression : Node {
  static bool classof(const Node *node) { return node->kind > NodeKind::Continue; }
};

using Statements = llvm::ArrayRef<const Statement *>;
using Expressions = llvm::ArrayRef<const Expression *>;

struct Module {
  Statements body;
};

/// Gives a struct its kind and the functions of LLVM's casting.
template <typename Base, NodeKind K> struct NodeOf : Base {
  static constexpr NodeKind staticKind = K;
  static bool classof(const Node *node) { return node->kind == K; }
};

enum class BinaryOperator : uint8_t {
#define TRITON_BINARY_OPERATOR(name, spelling) name,
#include "frontend/Operators.def"
};
enum class UnaryOperator : uint8_t {
#define TRITON_UNARY_OPERATOR(name, spelling) name,
#include "frontend/Operators.def"
};
enum class CompareOperator : uint8_t {
#define TRITON_COMPARE_OPERATOR(name, spelling) name,
#include "frontend/Operators.def"
};
enum class BoolOperator : uint8_t { And, Or };

llvm::StringRef spelling(BinaryOperator op);
llvm::StringRef spelling(UnaryOperator op);
llvm::StringRef spelling(CompareOperator op);
llvm::StringRef spelling(BoolOperator op);

// ---- Parts of nodes ----

struct Identifier {
  llvm::StringRef name;
  SourceRange range;
};

enum class ParameterKind : uint8_t { PositionalOnly, Positional, VarPositional, KeywordOnly, VarKeyword };

struct Parameter {
  ParameterKind kind;
  Identifier name;
  const Expression *annotation = nullptr;
  const Expression *defaultValue = nullptr;
  /// From the name (or its stars) to the end of the default.
  SourceRange range;
};

struct Keyword {
  /// Empty name: `**value`.
  Identifier name;
  const Expression *value = nullptr;
  SourceRange range;
};

struct WithItem {
  const Expression *context = nullptr;
  const Expression *target = nullptr; ///< null without `as`
};

struct ImportAlias {
  Identifier name;   ///< dotted for `import a.b`; "*" for `from a import *`
  Identifier asName; ///< empty without `as`
};

struct ExceptHandler {
  const Expression *type = nullptr; ///< null for a bare `except`
  Identifier name;                  ///< empty without `as`
  Statements body;
  SourceRange range;
};

struct MatchCase {
  const Expression *pattern = nullptr;
  const Expression *guard = nullptr;
  Statements body;
};

struct Comprehension {
  const Expression *target = nullptr;
  const Expression *iterable = nullptr;
  Expressions conditions;
  bool isAsync = false;
};

struct DictItem {
  const Expression *key = nullptr; ///< null: `**value`
  const Expression *value = nullptr;
};

// ---- Statements ----

struct FunctionDef : NodeOf<Statement, NodeKind::FunctionDef> {
  Expressions decorators;
  Identifier name;
  llvm::ArrayRef<Parameter> parameters;
  const Expression *returns = nullptr;
  Statements body;
  bool isAsync = false;
  /// `def name(…) -> …:`, for messages about the function as a whole.
  SourceRange signatureRange;
};

struct ClassDef : NodeOf<Statement, NodeKind::ClassDef> {
  Expressions decorators;
  Identifier name;
  Expressions bases;
  llvm::ArrayRef<Keyword> keywords;
  Statements body;
};

struct Return : NodeOf<Statement, NodeKind::Return> {
  const Expression *value = nullptr;
};

struct Delete : NodeOf<Statement, NodeKind::Delete> {
  Expressions targets;
};

/// `a = b = value` has two targets.
struct Assign : NodeOf<Statement, NodeKind::Assign> {
  Expressions targets;
  const Expression *value = nullptr;
};

struct AugAssign : NodeOf<Statement, NodeKind::AugAssign> {
  const Expression *target = nullptr;
  BinaryOperator op;
  SourceRange operatorRange;
  const Expression *value = nullptr;
};

struct AnnAssign : NodeOf<Statement, NodeKind::AnnAssign> {
  const Expression *target = nullptr;
  const Expression *annotation = nullptr;
  const Expression *value = nullptr; ///< null for a bare declaration
};

/// `type Name = value`.
struct TypeAlias : NodeOf<Statement, NodeKind::TypeAlias> {
  Identifier name;
  const Expression *value = nullptr;
};

struct For : NodeOf<Statement, NodeKind::For> {
  const Expression *target = nullptr;
  const Expression *iterable = nullptr;
  Statements body;
  Statements orElse;
  bool isAsync = false;
};

struct While : NodeOf<Statement, NodeKind::While> {
  const Expression *test = nullptr;
  Statements body;
  Statements orElse;
};

/// `elif` is an If that is the one statement of orElse.
struct If : NodeOf<Statement, NodeKind::If> {
  const Expression *test = nullptr;
  Statements body;
  Statements orElse;
};

struct With : NodeOf<Statement, NodeKind::With> {
  llvm::ArrayRef<WithItem> items;
  Statements body;
  bool isAsync = false;
};

struct Match : NodeOf<Statement, NodeKind::Match> {
  const Expression *subject = nullptr;
  llvm::ArrayRef<MatchCase> cases;
};

struct Raise : NodeOf<Statement, NodeKind::Raise> {
  const Expression *exception = nullptr;
  const Expression *cause = nullptr;
};

struct Try : NodeOf<Statement, NodeKind::Try> {
  Statements body;
  llvm::ArrayRef<ExceptHandler> handlers;
  Statements orElse;
  Statements finalBody;
  bool isStar = false; ///< `except*`
};

struct Assert : NodeOf<Statement, NodeKind::Assert> {
  const Expression *test = nullptr;
  const Expression *message = nullptr;
};

struct Import : NodeOf<Statement, NodeKind::Import> {
  llvm::ArrayRef<ImportAlias> names;
};

struct ImportFrom : NodeOf<Statement, NodeKind::ImportFrom> {
  Identifier module; ///< empty for `from . import x`
  llvm::ArrayRef<ImportAlias> names;
  unsigned level = 0; ///< number of leading dots
};

struct Global : NodeOf<Statement, NodeKind::Global> {
  llvm::ArrayRef<Identifier> names;
};

struct Nonlocal : NodeOf<Statement, NodeKind::Nonlocal> {
  llvm::ArrayRef<Identifier> names;
};

struct ExpressionStatement : NodeOf<Statement, NodeKind::ExpressionStatement> {
  const Expression *value = nullptr;
};

struct Pass : NodeOf<Statement, NodeKind::Pass> {};
struct Break : NodeOf<Statement, NodeKind::Break> {};
struct Continue : NodeOf<Statement, NodeKind::Continue> {};

// ---- Expressions ----

/// `a and b and c` is one node with three values.
struct BoolOp : NodeOf<Expression, NodeKind::BoolOp> {
  BoolOperator op;
  Expressions values;
};

struct NamedExpr : NodeOf<Expression, NodeKind::NamedExpr> {
  Identifier target;
  const Expression *value = nullptr;
};

struct BinOp : NodeOf<Expression, NodeKind::BinOp> {
  const Expression *left = nullptr;
  BinaryOperator op;
  SourceRange operatorRange;
  const Expression *right = nullptr;
};

struct UnaryOp : NodeOf<Expression, NodeKind::UnaryOp> {
  UnaryOperator op;
  const Expression *operand = nullptr;
};

struct Lambda : NodeOf<Expression, NodeKind::Lambda> {
  llvm::ArrayRef<Parameter> parameters;
  const Expression *body = nullptr;
};

struct IfExp : NodeOf<Expression, NodeKind::IfExp> {
  const Expression *test = nullptr;
  const Expression *body = nullptr;
  const Expression *orElse = nullptr;
};

struct Dict : NodeOf<Expression, NodeKind::Dict> {
  llvm::ArrayRef<DictItem> items;
};

struct Set : NodeOf<Expression, NodeKind::Set> {
  Expressions elements;
};

struct ListComp : NodeOf<Expression, NodeKind::ListComp> {
  const Expression *element = nullptr;
  llvm::ArrayRef<Comprehension> generators;
};

struct SetComp : NodeOf<Expression, NodeKind::SetComp> {
  const Expression *element = nullptr;
  llvm::ArrayRef<Comprehension> generators;
};

struct DictComp : NodeOf<Expression, NodeKind::DictComp> {
  const Expression *key = nullptr;
  const Expression *value = nullptr;
  llvm::ArrayRef<Comprehension> generators;
};

struct GeneratorExp : NodeOf<Expression, NodeKind::GeneratorExp> {
  const Expression *element = nullptr;
  llvm::ArrayRef<Comprehension> generators;
};

struct Await : NodeOf<Expression, NodeKind::Await> {
  const Expression *value = nullptr;
};

struct Yield : NodeOf<Expression, NodeKind::Yield> {
  const Expression *value = nullptr; ///< null for a bare `yield`
};

struct YieldFrom : NodeOf<Expression, NodeKind::YieldFrom> {
  const Expression *value = nullptr;
};

/// `a < b < c`: there are as many operators as comparators; `left` precedes them all.
struct Compare : NodeOf<Expression, NodeKind::Compare> {
  const Expression *left = nullptr;
  llvm::ArrayRef<CompareOperator> operators;
  llvm::ArrayRef<SourceRange> operatorRanges;
  Expressions comparators;
};

struct Call : NodeOf<Expression, NodeKind::Call> {
  const Expression *function = nullptr;
  Expressions arguments; ///< with Starred among them
  llvm::ArrayRef<Keyword> keywords;
};

/// An f-string; implicit concatenation makes one node of all its parts.
struct JoinedStr : NodeOf<Expression, NodeKind::JoinedStr> {
  Expressions values; ///< Constant (string) or FormattedValue
};

struct FormattedValue : NodeOf<Expression, NodeKind::FormattedValue> {
  const Expression *value = nullptr;
  char conversion = 0;                   ///< 's', 'r', 'a' or 0
  const JoinedStr *formatSpec = nullptr; ///< null without one
};

enum class ConstantKind : uint8_t { None, Boolean, Integer, Float, Imaginary, String, Bytes, Ellipsis };

struct Constant : NodeOf<Expression, NodeKind::Constant> {
  ConstantKind constantKind;
  bool boolean = false;
  /// String: the value in UTF-8 (lone surrogates encoded alike). Bytes: the bytes. Integer: the digits, see integer().
  llvm::StringRef text;
  uint8_t radix = 10;
  double number = 0; ///< Float, Imaginary

  /// The value of an Integer: signed, with just enough bits, never negative.
  llvm::APSInt integer() const;
};

struct Attribute : NodeOf<Expression, NodeKind::Attribute> {
  const Expression *value = nullptr;
  Identifier attribute;
};

/// `x[i, j]` has a Tuple as index.
struct Subscript : NodeOf<Expression, NodeKind::Subscript> {
  const Expression *value = nullptr;
  const Expression *index = nullptr;
};

struct Starred : NodeOf<Expression, NodeKind::Starred> {
  const Expression *value = nullptr;
};

struct Name : NodeOf<Expression, NodeKind::Name> {
  llvm::StringRef id;
};

struct List : NodeOf<Expression, NodeKind::List> {
  Expressions elements;
};

/// The range includes parentheses where there are any.
struct Tuple : NodeOf<Expression, NodeKind::Tuple> {
  Expressions elements;
};

struct Slice : NodeOf<Expression, NodeKind::Slice> {
  const Expression *lower = nullptr;
  const Expression *upper = nullptr;
  const Expression *step = nullptr;
};

/// `pattern as name` inside a `case`; the other patterns are the expressions that they look like.
struct PatternAs : NodeOf<Expression, NodeKind::PatternAs> {
  const Expression *pattern = nullptr;
  Identifier name;
};

/// Calls `visit` for each child that exists, in source order (annotations, defaults, decorators and handlers included).
void forEachChild(const Node &node, llvm::function_ref<void(const Node &)> visit);

} // namespace triton::frontend::ast
