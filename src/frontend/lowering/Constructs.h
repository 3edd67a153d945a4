// The functions that lower one construct each and call each other. Lowering.h declares those that builtins need as
// well.
#pragma once

#include "frontend/lowering/Lowering.h"
#include "frontend/lowering/builtins/Builtin.h"

#include "llvm/ADT/StringSet.h"

namespace triton::frontend {

// ---- Statements ----

/// Statements to lower, and the statements that follow them. The latter come from the enclosing lists, up to the
/// function's end or, if `next == nullptr`, to the place where the caller continues.
struct Sequence {
  ast::Statements statements;
  const Sequence *next = nullptr;
};

/// How control leaves statements: by a `return`, or at their end.
struct Outcome {
  bool returned = false;
  Value value;
  SourceRange range; ///< of the `return`
};

/// Lowers the statements and what follows them. A runtime `if` of which one branch returns takes all that follows it
/// into the other one, so that the result is structured control flow.
Outcome lowerSequence(Lowering &lowering, const Sequence &sequence);
/// Lowers what follows statements that some or all paths have left by a `return` in a loop or in a branch.
Outcome lowerAfterReturningLoop(Lowering &lowering, const Sequence &rest);
/// Lowers what follows statements that some of the paths may have left.
void lowerRest(Lowering &lowering, ast::Statements rest);
/// Lowers statements for the paths that arrive at each of them; the frame's `exits` describe the others. What follows
/// an exit on every path is not lowered.
void lowerStatements(Lowering &lowering, ast::Statements statements);
/// `rest` are the statements that follow; an `if` lowers them as well.
void lowerStatement(Lowering &lowering, const ast::Statement &statement, ast::Statements rest = {});

void lowerAssign(Lowering &lowering, const ast::Assign &statement);
void lowerAugAssign(Lowering &lowering, const ast::AugAssign &statement);
void lowerAnnAssign(Lowering &lowering, const ast::AnnAssign &statement);
void lowerFor(Lowering &lowering, const ast::For &statement);
void lowerWhile(Lowering &lowering, const ast::While &statement);
/// Lowers an `if`, and what follows it if it contains exits. If only one branch arrives at its end, the rest goes into
/// that branch.
void lowerIf(Lowering &lowering, const ast::If &statement, ast::Statements rest);
/// An `if` on a runtime condition whose branches and what follows may return.
Outcome lowerReturningIf(Lowering &lowering, const ast::If &statement, const Tensor &condition, const Sequence *next);

/// Marks a loop so that nothing is hoisted out of it.
void setLicmDisabled(Lowering &lowering, mlir::Operation *loop);
/// The indices of a range whose bounds are constants. Reports a range with other bounds or with too many indices.
llvm::SmallVector<int64_t> staticIndices(Lowering &lowering, const RangeValue &range);
/// Whether a `return` stands in the statements.
bool containsReturn(ast::Statements statements);
/// Whether control may leave the statement by a `return`, or by a `break` or `continue` of a loop around it.
bool containsExit(const ast::Statement &statement);
/// The names that the statements may assign, in source order.
llvm::SmallVector<llvm::StringRef> assignedNames(ast::Statements statements);
/// The same for the assignment expressions within an expression.
llvm::SmallVector<llvm::StringRef> assignedNames(const ast::Expression &expression);

/// The names that an iteration of a loop may read before it assigns them: `test` comes first, then `index` is assigned.
llvm::StringSet<> exposedNames(const ast::Expression *test, const ast::Expression *index, ast::Statements body);

// ---- Names ----

/// The value of the name as a local name, a name of the function's scope, or a name of Python. Reports an undefined
/// name.
Value lowerName(Lowering &lowering, llvm::StringRef name, SourceRange range);
/// `value.name`.
Value lowerAttribute(Lowering &lowering, const Value &value, const ast::Identifier &attribute, SourceRange range);
/// The same; none when there is no such attribute.
std::optional<Value> findAttribute(Lowering &lowering, const Value &value, llvm::StringRef name);
/// Assigns as `name = value` does.
void assignName(Lowering &lowering, llvm::StringRef name, const Value &value, SourceRange range);
/// Assigns to a name or to a tuple of targets.
void assignTarget(Lowering &lowering, const ast::Expression &target, const Value &value);
/// The value that a plain assignment stores: numbers become runtime scalars, tuples element by element.
Value toAssigned(Lowering &lowering, const Value &value);
/// Whether an annotation is `constexpr`; the module may have any alias.
bool isConstexprAnnotation(const ast::Expression *annotation);
/// The candidate within a small edit distance of a misspelled name, or empty.
llvm::StringRef closestName(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates);
/// What to use in place of `sin`, `np.sin` or `torch.float16`, whose last word is `name`: the function or type of that
/// name in the language or in the device library. Empty when there is none.
std::string counterpartHelp(llvm::StringRef name);

// ---- Aggregates (LowerAggregate.cpp) ----

/// An object of the class, as calling it makes one.
Value constructAggregate(Lowering &lowering, const std::shared_ptr<const AggregateClass> &type,
                         llvm::ArrayRef<Argument> arguments, SourceRange range);
/// `object.name` or `Class.name`; none when there is no such member.
std::optional<Value> aggregateAttribute(Lowering &lowering, const Value &value, llvm::StringRef name);
/// Calls the method of an aggregate; none when the aggregate has no method of that name.
std::optional<Value> callMethod(Lowering &lowering, const Value &object, llvm::StringRef name,
                                llvm::ArrayRef<Value> arguments, SourceRange range);
/// Evaluates an operator by the methods of aggregates: by the left operand's, or by the right operand's `reflected`.
/// None when neither operand is an aggregate. If no method applies, reports so with the operator's `spelling`.
std::optional<Value> operatorMethod(Lowering &lowering, llvm::StringRef spelling, llvm::StringRef name,
                                    llvm::StringRef reflected, const Value &left, const Value &right,
                                    SourceRange range);
std::optional<Value> binaryMethod(Lowering &lowering, ast::BinaryOperator op, const Value &left, const Value &right,
                                  SourceRange range);
std::optional<Value> comparisonMethod(Lowering &lowering, ast::CompareOperator op, const Value &left,
                                      const Value &right, SourceRange range);
std::optional<Value> unaryMethod(Lowering &lowering, ast::UnaryOperator op, const Value &operand, SourceRange range);
/// `object.name = value` within the `__init__` of the object's class; reports every other assignment to a field.
void assignField(Lowering &lowering, const ast::Attribute &target, const Value &value);
/// Lowers `__init__` in place; returns the object with the fields that it sets. Defined in LowerFunction.cpp.
Value lowerInitializer(Lowering &lowering, const Function &function, const Value &object,
                       llvm::ArrayRef<Argument> arguments, SourceRange callRange);

// ---- Expressions ----

/// Lowers the call of `callee`, which is the value of the call's function expression.
Value lowerCallExpression(Lowering &lowering, const ast::Call &call, const Value &callee);
Value lowerConditional(Lowering &lowering, const ast::IfExp &expression);
Value lowerComprehension(Lowering &lowering, const ast::ListComp &comprehension);
/// The elements of a tuple or of a range with constant bounds; reports anything else.
std::vector<Value> constantElements(Lowering &lowering, const Value &iterable);
Value lowerFormattedString(Lowering &lowering, const ast::JoinedStr &string);
Value lowerSubscript(Lowering &lowering, const ast::Subscript &subscript);
/// A condition: a constant that is decided now, or a runtime int1 scalar.
std::variant<bool, Tensor> lowerCondition(Lowering &lowering, const ast::Expression &test);
/// `left op right`, constant or not.
Value lowerBinary(Lowering &lowering, ast::BinaryOperator op, const Value &left, const Value &right, SourceRange range);

// ---- Calls ----

/// Calls a jit function: a tt.call of the specialization for these arguments.
Value lowerFunctionCall(Lowering &lowering, const Function &function, llvm::ArrayRef<Argument> arguments,
                        SourceRange callRange);
/// The builtin of that name among Python's own, or null.
const Builtin *findPythonBuiltin(llvm::StringRef name);
llvm::ArrayRef<Builtin> pythonBuiltins();

/// Lowers the body of a function into the current block, its parameters being the frame's locals.
Outcome lowerBody(Lowering &lowering, const Function &function);

} // namespace triton::frontend
