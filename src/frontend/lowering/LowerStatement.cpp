// Statements in order: which function lowers each kind, and what a kernel may not contain.
#include "frontend/BuiltinDiagnostics.h"
#include "frontend/LoweringDiagnostics.h"
#include "frontend/lowering/ConstantEvaluation.h"
#include "frontend/lowering/Constructs.h"
#include "frontend/lowering/Loops.h"
#include "frontend/lowering/PathMerge.h"
#include "frontend/lowering/builtins/Functions.h"
#include "frontend/lowering/builtins/ProfilerScopes.h"

#include "base/Errors.h"

namespace triton::frontend {

using ast::NodeKind;

bool containsReturn(ast::Statements statements) {
  return llvm::any_of(statements, [](const ast::Statement *statement) {
    if (const auto *branch = llvm::dyn_cast<ast::If>(statement))
      return containsReturn(branch->body) || containsReturn(branch->orElse);
    if (const auto *loop = llvm::dyn_cast<ast::For>(statement))
      return containsReturn(loop->body) || containsReturn(loop->orElse);
    if (const auto *loop = llvm::dyn_cast<ast::While>(statement))
      return containsReturn(loop->body) || containsReturn(loop->orElse);
    return llvm::isa<ast::Return>(statement);
  });
}

static bool containsExit(ast::Statements statements) {
  return llvm::any_of(statements, [](const ast::Statement *statement) { return containsExit(*statement); });
}

bool containsExit(const ast::Statement &statement) {
  if (const auto *branch = llvm::dyn_cast<ast::If>(&statement))
    return containsExit(branch->body) || containsExit(branch->orElse);
  // A loop handles all exits of its body except a `return`.
  if (const auto *loop = llvm::dyn_cast<ast::For>(&statement))
    return containsReturn(loop->body) || containsExit(loop->orElse);
  if (const auto *loop = llvm::dyn_cast<ast::While>(&statement))
    return containsReturn(loop->body) || containsExit(loop->orElse);
  return llvm::isa<ast::Break, ast::Continue, ast::Return>(statement);
}

static Value returnedValue(Lowering &lowering, const ast::Return &statement) {
  RangeScope scope(lowering, statement.range);
  return statement.value ? lowerExpression(lowering, *statement.value) : Value();
}

/// A `return` among statements which other paths continue.
static void lowerReturn(Lowering &lowering, const ast::Return &statement) {
  Value value = returnedValue(lowering, statement);
  Exits &exits = lowering.frame->exits;
  exits.result = std::move(value);
  exits.range = statement.range;
  exits[ExitKind::Return] = Value::boolean(true);
  exits.isDead = true;
}

/// How many statements with errors an observed lowering leaves out. More would help nobody, and statements that follow
/// an `if` may be tried repeatedly.
static constexpr unsigned maximumLeftOut = 100;

/// Whether `lower` ends without an error. With an observer, an error is reported and undone; otherwise it is thrown.
static bool succeeds(Lowering &lowering, SourceRange range, llvm::function_ref<void()> lower) {
  if (!lowering.options.observer) {
    lower();
    return true;
  }
  mlir::OpBuilder::InsertPoint place = lowering.builder.saveInsertionPoint();
  try {
    lower();
    return true;
  } catch (const DiagnosticError &error) {
    for (const Diagnostic &diagnostic : error.diagnostics())
      lowering.options.observer->onDiagnostic(diagnostic);
  } catch (const UnknownNameRead &) {
    lowering.options.observer->onLeftOut(lowering.source(), range);
  }
  if (++lowering.leftOut > maximumLeftOut)
    throw UnknownNameRead();
  lowering.builder.restoreInsertionPoint(place);
  return false;
}

/// Makes the names unknown that a failed statement would have assigned.
static void loseAssigned(Lowering &lowering, const ast::Statement &statement) {
  for (llvm::StringRef name : assignedNames({&statement}))
    lowering.frame->locals[name] = {{}, statement.range, false, Variable::State::Unknown};
}

/// An `if` that holds a `return`; `rest` follows it.
static Outcome lowerBranchingReturn(Lowering &lowering, const ast::If &statement, const Sequence &rest) {
  DepthScope depth(lowering);
  std::variant<bool, Tensor> condition;
  if (!succeeds(lowering, statement.test->range, [&] { condition = lowerCondition(lowering, *statement.test); })) {
    loseAssigned(lowering, statement);
    return lowerSequence(lowering, {{}, &rest});
  }
  if (const bool *isTaken = std::get_if<bool>(&condition))
    return lowerSequence(lowering, {*isTaken ? statement.body : statement.orElse, &rest});
  RangeScope scope(lowering, statement.range);
  return lowerReturningIf(lowering, statement, std::get<Tensor>(condition), &rest);
}

Outcome lowerSequence(Lowering &lowering, const Sequence &sequence) {
  for (const Sequence *part = &sequence; part; part = part->next)
    for (auto [index, statement] : llvm::enumerate(part->statements)) {
      if (const auto *returned = llvm::dyn_cast<ast::Return>(statement))
        return {true, returnedValue(lowering, *returned), returned->range};
      Sequence rest{part->statements.drop_front(index + 1), part->next};
      const auto *branch = llvm::dyn_cast<ast::If>(statement);
      if (branch && containsReturn(part->statements.slice(index, 1)))
        return lowerBranchingReturn(lowering, *branch, rest);
      lowerStatement(lowering, *statement);
      if (!lowering.frame->exits.isNone())
        return lowerAfterReturningLoop(lowering, rest);
    }
  return {};
}

void lowerRest(Lowering &lowering, ast::Statements rest) {
  Exits exits = lowering.frame->exits;
  if (rest.empty() || exits.isDead)
    return;
  if (exits.isNone())
    return lowerStatements(lowering, rest);
  exits.isDead = true; // where control has left
  lowerUnless(lowering, hasLeft(lowering, exits), exits, assignedNames(rest), [&] { lowerStatements(lowering, rest); });
}

void lowerStatements(Lowering &lowering, ast::Statements statements) {
  for (auto [index, statement] : llvm::enumerate(statements)) {
    ast::Statements rest = statements.drop_front(index + 1);
    bool takesRest = llvm::isa<ast::If>(statement) && !rest.empty() && containsExit(*statement);
    lowerStatement(lowering, *statement, takesRest ? rest : ast::Statements());
    if (takesRest)
      return;
    if (!lowering.frame->exits.isNone())
      return lowerRest(lowering, rest);
  }
}

/// Reports a statement that kernels do not have.
[[noreturn]] static void refuseStatement(Lowering &lowering, NodeKind kind) {
  struct Refusal {
    NodeKind kind;
    llvm::StringLiteral construct, instead;
  };
  static constexpr Refusal refusals[] = {
      {NodeKind::FunctionDef, "a nested function", "define it at module level with `@triton.jit`"},
      {NodeKind::ClassDef, "a class", "define a named tuple at module level"},
      {NodeKind::Delete, "`del`", "leave the name alone"},
      {NodeKind::TypeAlias, "a type alias", ""},
      {NodeKind::With, "`with`",
       "only scopes of `triton.profiler.language` and Gluon's `warp_pipeline_stage` can follow it"},
      {NodeKind::Match, "`match`", "use `if` and `elif`"},
      {NodeKind::Raise, "`raise`", "use `tl.static_assert` or `tl.device_assert`"},
      {NodeKind::Try, "`try`", "test the condition with `if`"},
      {NodeKind::Import, "`import`", "import at module level"},
      {NodeKind::ImportFrom, "`import`", "import at module level"},
      {NodeKind::Global, "`global`", "pass the value as an argument"},
      {NodeKind::Nonlocal, "`nonlocal`", "pass the value as an argument"},
  };
  for (const Refusal &refusal : refusals)
    if (refusal.kind == kind)
      lowering.error(diagnostics::UnsupportedStatement, refusal.construct, refusal.instead);
  llvm_unreachable("every refused kind of statement is listed");
}

/// Whether a value that nothing uses was computed by an operation without any other effect.
static bool hasNoUse(const Value &value) {
  const Tensor *tensor = value.tensor();
  const SharedBuffer *buffer = value.buffer();
  mlir::Operation *op = tensor ? tensor->value.getDefiningOp() : buffer ? buffer->value.getDefiningOp() : nullptr;
  return op && op->use_empty() && mlir::wouldOpBeTriviallyDead(op);
}

static void lowerExpressionStatement(Lowering &lowering, const ast::Expression &expression) {
  const auto *call = llvm::dyn_cast<ast::Call>(&expression);
  if (!call) {
    lowerExpression(lowering, expression);
    return;
  }
  Value callee = lowerExpression(lowering, *call->function);
  ObjectRef object = callee.method() ? callee.method()->callee : callee.constantRef();
  const Builtin *const *builtin = object ? object->get<const Builtin *>() : nullptr;
  if (builtin && ((*builtin)->flags & MustUseResult))
    lowering.error(diagnostics::ResultNotUsed, (*builtin)->name);
  Value result = lowerCallExpression(lowering, *call, callee);
  if (lowering.isGluon && builtin && hasNoUse(result))
    lowering.warn(call->range, diagnostics::ResultWithoutUse, (*builtin)->displayName());
}

/// `assert test, message` is `tl.device_assert(test, message)`.
static void lowerAssert(Lowering &lowering, const ast::Assert &statement) {
  const Builtin *builtin = findBuiltin("triton.language", "device_assert");
  llvm::SmallVector<Argument, 2> arguments = {
      {lowerExpression(lowering, *statement.test), statement.test->range, {}, {}}};
  if (statement.message)
    arguments.push_back({lowerExpression(lowering, *statement.message), statement.message->range, {}, {}});
  callBuiltin(lowering, *builtin, arguments, statement.range);
}

/// `with scope("name"):` of the profiler and `with warp_pipeline_stage("name"):` of Gluon, which are all that kernels
/// have of `with`.
static void lowerWith(Lowering &lowering, const ast::With &statement) {
  struct Opened {
    const ast::Call *call;
    const Builtin *end;
  };
  llvm::SmallVector<Opened, 1> opened;
  for (const ast::WithItem &item : statement.items) {
    const auto *call = llvm::dyn_cast<ast::Call>(item.context);
    Value callee = call ? lowerExpression(lowering, *call->function) : Value();
    ObjectRef object = call ? callee.constantRef() : nullptr;
    const Builtin *const *builtin = object ? object->get<const Builtin *>() : nullptr;
    bool isScope = builtin && *builtin == findProfilerFunction("scope"),
         isStage = builtin && (*builtin)->lower == builtin::warpPipelineStage;
    if ((!isScope && !isStage) || item.target || statement.isAsync)
      refuseStatement(lowering, NodeKind::With);
    if (isStage) {
      lowerCallExpression(lowering, *call, callee);
      continue;
    }
    opened.push_back({call, findProfilerFunction("exit_scope")});
    lowerCallExpression(lowering, *call, Value(makeObject(findProfilerFunction("enter_scope"))));
  }
  if (containsExit(statement.body))
    lowering.error(diagnostics::UnsupportedStatement,
                   llvm::StringRef("`return`, `break` or `continue` inside of `with`"),
                   llvm::StringRef("end the scope first"));
  lowerStatements(lowering, statement.body);
  for (const Opened &scope : llvm::reverse(opened))
    lowerCallExpression(lowering, *scope.call, Value(makeObject(scope.end)));
}

static void lowerByKind(Lowering &lowering, const ast::Statement &statement, ast::Statements rest) {
  DepthScope depth(lowering);
  RangeScope scope(lowering, statement.range);
  switch (statement.kind) {
  case NodeKind::Assign:
    return lowerAssign(lowering, llvm::cast<ast::Assign>(statement));
  case NodeKind::AugAssign:
    return lowerAugAssign(lowering, llvm::cast<ast::AugAssign>(statement));
  case NodeKind::AnnAssign:
    return lowerAnnAssign(lowering, llvm::cast<ast::AnnAssign>(statement));
  case NodeKind::For:
    return lowerFor(lowering, llvm::cast<ast::For>(statement));
  case NodeKind::While:
    return lowerWhile(lowering, llvm::cast<ast::While>(statement));
  case NodeKind::If:
    return lowerIf(lowering, llvm::cast<ast::If>(statement), rest);
  case NodeKind::Return:
    return lowerReturn(lowering, llvm::cast<ast::Return>(statement));
  case NodeKind::Break:
    return lowerLoopExit(lowering, ExitKind::Break);
  case NodeKind::Continue:
    return lowerLoopExit(lowering, ExitKind::Continue);
  case NodeKind::ExpressionStatement:
    return lowerExpressionStatement(lowering, *llvm::cast<ast::ExpressionStatement>(statement).value);
  case NodeKind::Assert:
    return lowerAssert(lowering, llvm::cast<ast::Assert>(statement));
  case NodeKind::With:
    return lowerWith(lowering, llvm::cast<ast::With>(statement));
  case NodeKind::Pass:
    return;
  case NodeKind::FunctionDef:
  case NodeKind::ClassDef:
  case NodeKind::Delete:
  case NodeKind::TypeAlias:
  case NodeKind::Match:
  case NodeKind::Raise:
  case NodeKind::Try:
  case NodeKind::Import:
  case NodeKind::ImportFrom:
  case NodeKind::Global:
  case NodeKind::Nonlocal:
    refuseStatement(lowering, statement.kind);
#define TRITON_EXPRESSION(name) case NodeKind::name:
#include "frontend/Nodes.def"
    llvm_unreachable("an expression is not a statement");
  }
}

/// Lowers a statement; if that fails, continues as LoweringObserver describes.
static void lowerObserved(Lowering &lowering, const ast::Statement &statement, ast::Statements rest) {
  FunctionFrame &frame = *lowering.frame;
  bool isCompound = llvm::isa<ast::If, ast::For, ast::While>(statement);
  Locals locals = isCompound ? frame.locals : Locals();
  Exits exits = frame.exits;
  if (succeeds(lowering, statement.range, [&] { lowerByKind(lowering, statement, rest); }))
    return;
  if (isCompound)
    frame.locals = std::move(locals);
  frame.exits = std::move(exits);
  loseAssigned(lowering, statement);
  lowerStatements(lowering, rest);
}

void lowerStatement(Lowering &lowering, const ast::Statement &statement, ast::Statements rest) {
  if (lowering.options.isAbandoned && lowering.options.isAbandoned->load(std::memory_order_relaxed))
    throw base::CompilationAbandoned();
  if (lowering.options.observer)
    return lowerObserved(lowering, statement, rest);
  lowerByKind(lowering, statement, rest);
}

} // namespace triton::frontend
