// List comprehensions over what is known at compile time; the result is a tuple.
#include "frontend/LoweringDiagnostics.h"
#include "frontend/lowering/ConstantEvaluation.h"
#include "frontend/lowering/Constructs.h"
#include "frontend/lowering/semantics/Promotion.h"

namespace triton::frontend {

std::vector<Value> constantElements(Lowering &lowering, const Value &iterable) {
  if (const TupleValue *tuple = iterable.tuple())
    return tuple->elements;
  const RangeValue *range = iterable.range();
  if (!range)
    lowering.error(diagnostics::ConstantIterable, iterable.describe());
  if (!range->lower.isCompileTime() || !range->upper.isCompileTime() || !range->step.isCompileTime())
    lowering.error(diagnostics::ConstantIterable, "a range with bounds of the run time");
  std::vector<Value> elements;
  for (int64_t index : staticIndices(lowering, *range))
    elements.push_back(Value::integer(index));
  return elements;
}

static std::vector<Value> iterate(Lowering &lowering, const ast::Expression &expression) {
  Value iterable = lowerExpression(lowering, expression);
  RangeScope scope(lowering, expression.range);
  return constantElements(lowering, iterable);
}

/// Turns a number that a plain assignment of a tuple made a scalar back into the number; leaves other values unchanged.
static Value asNumber(const Value &element) {
  const Tensor *tensor = element.tensor();
  mlir::Attribute constant;
  if (!tensor || !tensor->type.isScalar() || !mlir::matchPattern(tensor->value, mlir::m_Constant(&constant)))
    return element;
  ScalarType type = tensor->type.element.scalar;
  std::optional<Number> number;
  if (auto integer = mlir::dyn_cast<mlir::IntegerAttr>(constant); integer && type == ScalarType::Int1)
    number = integer.getValue().isOne();
  else if (integer)
    number = llvm::APSInt(integer.getValue(), /*isUnsigned=*/kind(type) == ScalarKind::Unsigned);
  else if (auto real = mlir::dyn_cast<mlir::FloatAttr>(constant))
    number = real.getValueAsDouble();
  if (!number || naturalType(*number) != type)
    return element;
  return std::visit([](const auto &value) { return Value(makeObject(value)); }, *number);
}

/// Binds the target to an element without changing it: numbers stay constants.
static void bindElement(Lowering &lowering, const ast::Expression &target, const Value &element) {
  if (const auto *name = llvm::dyn_cast<ast::Name>(&target))
    lowering.frame->locals[name->id] = {element, name->range, /*isConstexpr=*/true};
  else
    assignTarget(lowering, target, element);
}

static bool passes(Lowering &lowering, const ast::Comprehension &generator) {
  for (const ast::Expression *condition : generator.conditions) {
    Value value = lowerExpression(lowering, *condition);
    std::optional<bool> truth = constantTruth(value);
    if (!truth)
      lowering.error(condition->range, diagnostics::ComprehensionCondition, value.describe());
    if (!*truth)
      return false;
  }
  return true;
}

Value lowerComprehension(Lowering &lowering, const ast::ListComp &comprehension) {
  if (comprehension.generators.size() != 1)
    lowering.error(diagnostics::UnsupportedExpression, "a comprehension with several `for`", "nest two comprehensions");
  const ast::Comprehension &generator = comprehension.generators.front();
  std::vector<Value> elements = iterate(lowering, *generator.iterable);
  // The target's names are local to the comprehension.
  Locals saved = lowering.frame->locals;
  TupleValue result;
  for (const Value &element : elements) {
    bindElement(lowering, *generator.target, generator.conditions.empty() ? element : asNumber(element));
    if (passes(lowering, generator))
      result.elements.push_back(lowerExpression(lowering, *comprehension.element));
  }
  lowering.frame->locals = std::move(saved);
  return result;
}

} // namespace triton::frontend
