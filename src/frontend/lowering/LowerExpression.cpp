// Expressions: which function lowers each kind, and the operators.
#include "frontend/BuiltinDiagnostics.h"
#include "frontend/LoweringDiagnostics.h"
#include "frontend/lowering/ConstantEvaluation.h"
#include "frontend/lowering/Constructs.h"
#include "frontend/lowering/semantics/Semantics.h"

namespace triton::frontend {

using ast::NodeKind;

static Value lowerConstant(Lowering &lowering, const ast::Constant &constant) {
  switch (constant.constantKind) {
  case ast::ConstantKind::None:
    return Value();
  case ast::ConstantKind::Boolean:
    return Value::boolean(constant.boolean);
  case ast::ConstantKind::Integer:
    return Value(makeObject(constant.integer()));
  case ast::ConstantKind::Float:
    return Value(makeObject(constant.number));
  case ast::ConstantKind::String:
    return Value::string(constant.text.str());
  case ast::ConstantKind::Imaginary:
    lowering.error(diagnostics::UnsupportedExpression, "a complex number", "");
  case ast::ConstantKind::Bytes:
    lowering.error(diagnostics::UnsupportedExpression, "a bytes literal", "");
  case ast::ConstantKind::Ellipsis:
    lowering.error(diagnostics::UnsupportedExpression, "`...`", "write `:` for each dimension");
  }
  llvm_unreachable("every kind of constant returns");
}

/// Whether the operands are evaluated now: neither is a tensor, nor a pointer of some form.
static bool isEvaluated(const Value &value) { return value.constant() || value.tuple(); }

Value lowerBinary(Lowering &lowering, ast::BinaryOperator op, const Value &left, const Value &right,
                  SourceRange range) {
  if (std::optional<Value> result = binaryMethod(lowering, op, left, right, range))
    return *result;
  if (isEvaluated(left) && isEvaluated(right))
    return evaluateBinary(lowering, op, left, right, range);
  return binaryOperator(lowering, op, left, right);
}

static Value lowerUnary(Lowering &lowering, const ast::UnaryOp &expression) {
  Value operand = lowerExpression(lowering, *expression.operand);
  if (std::optional<Value> result = unaryMethod(lowering, expression.op, operand, expression.range))
    return *result;
  if (isEvaluated(operand))
    return evaluateUnary(lowering, expression.op, operand, expression.range);
  return unaryOperator(lowering, expression.op, operand);
}

static Value compareTwo(Lowering &lowering, ast::CompareOperator op, const Value &left, const Value &right,
                        SourceRange range) {
  using ast::CompareOperator;
  if (op == CompareOperator::Is || op == CompareOperator::IsNot)
    return Value::boolean(isIdentical(left, right) == (op == CompareOperator::Is));
  if (std::optional<Value> result = comparisonMethod(lowering, op, left, right, range))
    return *result;
  if (isEvaluated(left) && isEvaluated(right))
    return evaluateCompare(lowering, op, left, right, range);
  bool isContainment = op == CompareOperator::In || op == CompareOperator::NotIn;
  if (isContainment)
    lowering.error(range, diagnostics::UnsupportedExpression, ("`" + ast::spelling(op) + "` on a tensor").str(),
                   "compare with each value");
  // A tensor is never equal to `None`, a string or a dtype, as in Python.
  bool isEquality = op == CompareOperator::Eq || op == CompareOperator::NotEq;
  if (isEquality && !(isNumeric(left) && isNumeric(right)))
    return Value::boolean(op == CompareOperator::NotEq);
  return comparison(lowering, op, left, right);
}

/// `a < b < c` is `a < b and b < c` with b evaluated once.
static Value lowerCompare(Lowering &lowering, const ast::Compare &expression) {
  Value left = lowerExpression(lowering, *expression.left), result;
  for (auto [index, op] : llvm::enumerate(expression.operators)) {
    const ast::Expression &comparator = *expression.comparators[index];
    SourceRange range = SourceRange::cover(
        index == 0 ? expression.left->range : expression.comparators[index - 1]->range, comparator.range);
    Value right = lowerExpression(lowering, comparator);
    RangeScope scope(lowering, range);
    Value part = compareTwo(lowering, op, left, right, range);
    result = index == 0 ? part : lowerBinary(lowering, ast::BinaryOperator::BitAnd, result, part, range);
    if (constantTruth(result) == false)
      return result;
    left = std::move(right);
  }
  return result;
}

/// Constants decide as in Python, or drop out beside runtime operands. All runtime operands are evaluated.
static Value lowerBoolOp(Lowering &lowering, const ast::BoolOp &expression) {
  bool isAnd = expression.op == ast::BoolOperator::And;
  Value result;
  for (auto [index, operand] : llvm::enumerate(expression.values)) {
    Value value = lowerExpression(lowering, *operand);
    std::optional<bool> truth = constantTruth(value), resultTruth = constantTruth(result);
    if (index == 0 || resultTruth || (truth && *truth != isAnd))
      result = std::move(value);
    else if (std::optional<Value> called =
                 operatorMethod(lowering, isAnd ? "and" : "or", isAnd ? "logical_and" : "logical_or", "", result, value,
                                expression.range))
      result = std::move(*called);
    else if (!truth)
      result = logicalOperator(lowering, expression.op, result, value);
    resultTruth = constantTruth(result);
    if (resultTruth && *resultTruth != isAnd)
      return result;
  }
  return result;
}

static Value lowerElements(Lowering &lowering, ast::Expressions elements) {
  TupleValue result;
  for (const ast::Expression *element : elements) {
    const auto *starred = llvm::dyn_cast<ast::Starred>(element);
    Value value = lowerExpression(lowering, starred ? *starred->value : *element);
    if (!starred) {
      result.elements.push_back(std::move(value));
      continue;
    }
    if (!value.tuple())
      lowering.error(element->range, diagnostics::NotIterable, value.describe());
    llvm::append_range(result.elements, value.tuple()->elements);
  }
  return result;
}

static Value lowerNamedExpression(Lowering &lowering, const ast::NamedExpr &expression) {
  assignName(lowering, expression.target.name, lowerExpression(lowering, *expression.value), expression.target.range);
  return lowering.frame->locals[expression.target.name].value;
}

Value lowerSubscript(Lowering &lowering, const ast::Subscript &expression) {
  Value value = lowerExpression(lowering, *expression.value);
  if (const Tensor *tensor = value.tensor())
    return subscript(lowering, *tensor, *expression.index);
  if (value.aggregate() && !llvm::isa<ast::Slice>(expression.index))
    if (std::optional<Value> item = callMethod(lowering, value, "__getitem__",
                                               {lowerExpression(lowering, *expression.index)}, expression.range))
      return *item;
  if (value.buffer())
    lowering.error(expression.value->range, diagnostics::BufferSubscript, value.describe());
  if (!value.tuple() && !value.as<std::string>())
    lowering.error(expression.value->range, diagnostics::NotSubscriptable, value.describe());
  auto part = [&](const ast::Expression *bound) { return bound ? lowerExpression(lowering, *bound) : Value(); };
  if (const auto *slice = llvm::dyn_cast<ast::Slice>(expression.index))
    return evaluateSlice(lowering, value, part(slice->lower), part(slice->upper), part(slice->step), slice->range);
  return evaluateIndex(lowering, value, lowerExpression(lowering, *expression.index), expression.index->range);
}

/// Format specifications are accepted without effect.
Value lowerFormattedString(Lowering &lowering, const ast::JoinedStr &string) {
  std::string result;
  for (const ast::Expression *part : string.values) {
    const auto *formatted = llvm::dyn_cast<ast::FormattedValue>(part);
    Value value = lowerExpression(lowering, formatted ? *formatted->value : *part);
    if (!value.isCompileTime())
      lowering.error(part->range, diagnostics::FormatRuntimeValue, value.describe());
    bool asRepr = formatted && (formatted->conversion == 'r' || formatted->conversion == 'a');
    result += asRepr ? pythonRepr(value) : pythonString(value);
  }
  return Value::string(std::move(result));
}

/// Reports an expression that kernels do not have.
[[noreturn]] static void refuseExpression(Lowering &lowering, NodeKind kind) {
  struct Refusal {
    NodeKind kind;
    llvm::StringLiteral construct, instead;
  };
  static constexpr Refusal refusals[] = {
      {NodeKind::Lambda, "`lambda`", "define a function at module level with `@triton.jit`"},
      {NodeKind::Dict, "a dict", "use a tuple or a named tuple"},
      {NodeKind::DictComp, "a dict", "use a tuple or a named tuple"},
      {NodeKind::Set, "a set", "use a tuple"},
      {NodeKind::SetComp, "a set", "use a tuple"},
      {NodeKind::GeneratorExp, "a generator expression", "use a list comprehension"},
      {NodeKind::Await, "`await`", ""},
      {NodeKind::Yield, "`yield`", "return a tuple"},
      {NodeKind::YieldFrom, "`yield`", "return a tuple"},
      {NodeKind::Starred, "a starred expression here", ""},
      {NodeKind::Slice, "a slice here", ""},
      {NodeKind::FormattedValue, "a replacement field here", ""},
      {NodeKind::PatternAs, "a pattern", ""},
  };
  for (const Refusal &refusal : refusals)
    if (refusal.kind == kind)
      lowering.error(diagnostics::UnsupportedExpression, refusal.construct, refusal.instead);
  llvm_unreachable("every refused kind of expression is listed");
}

/// What `body` returns. An error of this kind says what the language has under the name, such as that of a function of
/// another module.
template <typename Body> static Value lowerForeign(llvm::StringRef name, const base::DiagnosticInfo &kind, Body body) {
  try {
    return body();
  } catch (base::DiagnosticError &error) {
    Diagnostic &diagnostic = error.diagnostics().front();
    if (std::string help = counterpartHelp(name); diagnostic.info == &kind && !help.empty())
      diagnostic.fix = std::move(help);
    throw;
  }
}

static Value lowerMember(Lowering &lowering, const ast::Attribute &attribute) {
  llvm::StringRef name = attribute.attribute.name;
  Value value =
      lowerForeign(name, diagnostics::ModuleNotUsable, [&] { return lowerExpression(lowering, *attribute.value); });
  auto lower = [&] { return lowerAttribute(lowering, value, attribute.attribute, attribute.range); };
  return value.as<std::shared_ptr<const Module>>() ? lowerForeign(name, diagnostics::GlobalNotUsable, lower) : lower();
}

/// `sin(x)` after `from numpy import sin` has a counterpart as well.
static Value lowerCallee(Lowering &lowering, const ast::Expression &callee) {
  auto lower = [&] { return lowerExpression(lowering, callee); };
  const auto *name = llvm::dyn_cast<ast::Name>(&callee);
  return name ? lowerForeign(name->id, diagnostics::GlobalNotUsable, lower) : lower();
}

static Value lowerByKind(Lowering &lowering, const ast::Expression &expression) {
  switch (expression.kind) {
  case NodeKind::Name:
    return lowerName(lowering, llvm::cast<ast::Name>(expression).id, expression.range);
  case NodeKind::Constant:
    return lowerConstant(lowering, llvm::cast<ast::Constant>(expression));
  case NodeKind::BinOp: {
    const auto &binary = llvm::cast<ast::BinOp>(expression);
    Value left = lowerExpression(lowering, *binary.left);
    Value right = lowerExpression(lowering, *binary.right);
    return lowerBinary(lowering, binary.op, left, right, expression.range);
  }
  case NodeKind::UnaryOp:
    return lowerUnary(lowering, llvm::cast<ast::UnaryOp>(expression));
  case NodeKind::BoolOp:
    return lowerBoolOp(lowering, llvm::cast<ast::BoolOp>(expression));
  case NodeKind::Compare:
    return lowerCompare(lowering, llvm::cast<ast::Compare>(expression));
  case NodeKind::IfExp:
    return lowerConditional(lowering, llvm::cast<ast::IfExp>(expression));
  case NodeKind::NamedExpr:
    return lowerNamedExpression(lowering, llvm::cast<ast::NamedExpr>(expression));
  case NodeKind::Call: {
    const auto &call = llvm::cast<ast::Call>(expression);
    return lowerCallExpression(lowering, call, lowerCallee(lowering, *call.function));
  }
  case NodeKind::Attribute:
    return lowerMember(lowering, llvm::cast<ast::Attribute>(expression));
  case NodeKind::Subscript:
    return lowerSubscript(lowering, llvm::cast<ast::Subscript>(expression));
  case NodeKind::Tuple:
    return lowerElements(lowering, llvm::cast<ast::Tuple>(expression).elements);
  case NodeKind::List:
    return lowerElements(lowering, llvm::cast<ast::List>(expression).elements);
  case NodeKind::ListComp:
    return lowerComprehension(lowering, llvm::cast<ast::ListComp>(expression));
  case NodeKind::JoinedStr:
    return lowerFormattedString(lowering, llvm::cast<ast::JoinedStr>(expression));
  case NodeKind::Lambda:
  case NodeKind::Dict:
  case NodeKind::DictComp:
  case NodeKind::Set:
  case NodeKind::SetComp:
  case NodeKind::GeneratorExp:
  case NodeKind::Await:
  case NodeKind::Yield:
  case NodeKind::YieldFrom:
  case NodeKind::Starred:
  case NodeKind::Slice:
  case NodeKind::FormattedValue:
  case NodeKind::PatternAs:
    refuseExpression(lowering, expression.kind);
#define TRITON_STATEMENT(name) case NodeKind::name:
#include "frontend/Nodes.def"
    llvm_unreachable("a statement is not an expression");
  }
}

Value lowerExpression(Lowering &lowering, const ast::Expression &expression) {
  DepthScope depth(lowering);
  RangeScope scope(lowering, expression.range);
  Value value = lowerByKind(lowering, expression);
  lowering.observe(expression.range, value);
  return value;
}

} // namespace triton::frontend
