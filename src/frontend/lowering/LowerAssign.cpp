// Assignments: to names, to tuples of names, augmented, annotated.
#include "frontend/LoweringDiagnostics.h"
#include "frontend/lowering/Constructs.h"
#include "frontend/lowering/semantics/Semantics.h"

namespace triton::frontend {

Value toAssigned(Lowering &lowering, const Value &value) {
  if (value.isNumber())
    return toTensor(lowering, value);
  const TupleValue *tuple = value.tuple();
  if (!tuple || value.isNone())
    return value;
  TupleValue result = *tuple;
  for (Value &element : result.elements)
    element = toAssigned(lowering, element);
  return result;
}

void assignName(Lowering &lowering, llvm::StringRef name, const Value &value, SourceRange range) {
  Variable &variable = lowering.frame->locals[name];
  bool isConstexpr = variable.state == Variable::State::Declared;
  isConstexpr |= lowering.frame->keepsConstants;
  variable = {isConstexpr ? value : toAssigned(lowering, value), range, isConstexpr};
  lowering.observe(range, variable.value);
}

[[noreturn]] static void refuseTarget(Lowering &lowering, const ast::Expression &target) {
  switch (target.kind) {
  case ast::NodeKind::Subscript:
    lowering.error(target.range, diagnostics::UnsupportedTarget, "an element",
                   "write to memory with `tl.store`, or build a new value with `tl.where`");
  case ast::NodeKind::Starred:
    lowering.error(target.range, diagnostics::UnsupportedTarget, "a starred name", "name each element");
  default:
    lowering.error(target.range, diagnostics::UnsupportedTarget, "an expression", "");
  }
}

static void assignElements(Lowering &lowering, ast::Expressions targets, const Value &value, SourceRange range) {
  const TupleValue *tuple = value.tuple();
  if (!tuple)
    lowering.error(range, diagnostics::NotIterable, value.describe());
  for (const ast::Expression *target : targets)
    if (llvm::isa<ast::Starred>(target))
      refuseTarget(lowering, *target);
  if (tuple->elements.size() < targets.size())
    lowering.error(range, diagnostics::UnpackCount, tuple->elements.size(), targets.size());
  if (tuple->elements.size() > targets.size())
    lowering.warn(range, diagnostics::UnpackRest, tuple->elements.size(), targets.size());
  for (auto [target, element] : llvm::zip(targets, tuple->elements))
    assignTarget(lowering, *target, element);
}

void assignTarget(Lowering &lowering, const ast::Expression &target, const Value &value) {
  if (const auto *name = llvm::dyn_cast<ast::Name>(&target))
    assignName(lowering, name->id, value, target.range);
  else if (const auto *tuple = llvm::dyn_cast<ast::Tuple>(&target))
    assignElements(lowering, tuple->elements, value, target.range);
  else if (const auto *list = llvm::dyn_cast<ast::List>(&target))
    assignElements(lowering, list->elements, value, target.range);
  else if (const auto *attribute = llvm::dyn_cast<ast::Attribute>(&target))
    assignField(lowering, *attribute, value);
  else
    refuseTarget(lowering, target);
}

void lowerAssign(Lowering &lowering, const ast::Assign &statement) {
  Value value = lowerExpression(lowering, *statement.value);
  // The tuple on the right is evaluated completely before any name changes, as `a, b = b, a` requires.
  for (const ast::Expression *target : statement.targets)
    assignTarget(lowering, *target, value);
}

void lowerAugAssign(Lowering &lowering, const ast::AugAssign &statement) {
  const auto *name = llvm::dyn_cast<ast::Name>(statement.target);
  if (!name)
    refuseTarget(lowering, *statement.target);
  Value before = lowerName(lowering, name->id, name->range);
  Value operand = lowerExpression(lowering, *statement.value);
  Value result = lowerBinary(lowering, statement.op, before, operand, statement.range);
  assignName(lowering, name->id, result, name->range);
}

bool isConstexprAnnotation(const ast::Expression *annotation) {
  if (!annotation)
    return false;
  if (const auto *attribute = llvm::dyn_cast<ast::Attribute>(annotation))
    return attribute->attribute.name == "constexpr";
  if (const auto *name = llvm::dyn_cast<ast::Name>(annotation))
    return name->id == "constexpr";
  if (const auto *text = llvm::dyn_cast<ast::Constant>(annotation))
    return text->constantKind == ast::ConstantKind::String && text->text.ends_with("constexpr");
  return false;
}

void lowerAnnAssign(Lowering &lowering, const ast::AnnAssign &statement) {
  if (const auto *attribute = llvm::dyn_cast<ast::Attribute>(statement.target); attribute && statement.value)
    return assignField(lowering, *attribute, lowerExpression(lowering, *statement.value));
  const auto *name = llvm::dyn_cast<ast::Name>(statement.target);
  if (!name)
    refuseTarget(lowering, *statement.target);
  bool isConstexpr = isConstexprAnnotation(statement.annotation);
  if (!isConstexpr) {
    if (statement.value)
      assignName(lowering, name->id, lowerExpression(lowering, *statement.value), name->range);
    return;
  }
  auto previous = lowering.frame->locals.find(name->id);
  // Each repetition of a `tl.static_range` body repeats the same declaration.
  if (previous != lowering.frame->locals.end() && previous->second.state == Variable::State::Defined &&
      previous->second.range != name->range)
    lowering.raise(lowering.diagnose(name->range, diagnostics::RedeclaredConstexpr, name->id)
                       .note(diagnostics::PreviousValue, lowering.source(), previous->second.range));
  Variable variable{{}, name->range, true, Variable::State::Declared};
  if (statement.value) {
    variable.value = lowerExpression(lowering, *statement.value);
    variable.state = Variable::State::Defined;
    lowering.observe(name->range, variable.value);
  }
  lowering.frame->locals[name->id] = variable;
}

} // namespace triton::frontend
