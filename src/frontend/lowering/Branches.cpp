#include "frontend/lowering/Branches.h"

#include "frontend/lowering/semantics/Semantics.h"

namespace triton::frontend {

namespace scf = mlir::scf;

Branches::Branches(Lowering &lowering, mlir::Value condition)
    : lowering(lowering), operation(lowering.create<scf::IfOp>(mlir::TypeRange(), condition, /*addThenBlock=*/true,
                                                               /*addElseBlock=*/true)) {}

mlir::Block *Branches::block(bool inThen) const { return &operation->getRegion(inThen ? 0 : 1).front(); }

void Branches::enterThen() { lowering.builder.setInsertionPointToEnd(block(true)); }
void Branches::enterElse() { lowering.builder.setInsertionPointToEnd(block(false)); }

Value Branches::materialize(const Value &number, const Value &other, bool inThen) {
  mlir::OpBuilder::InsertionGuard guard(lowering.builder);
  lowering.builder.setInsertionPointToEnd(block(inThen));
  if (const Tensor *tensor = other.tensor(); tensor && tensor->type.isScalar() && !tensor->type.element.isPointer()) {
    ScalarType type = tensor->type.element.scalar;
    bool adapts = isFloat(type) || (number.as<llvm::APSInt>() && kind(type) != ScalarKind::Boolean);
    if (adapts)
      return toTensor(lowering, number, type);
  }
  return toTensor(lowering, number);
}

bool Branches::unify(Value &thenValue, Value &elseValue) {
  const TupleValue *thenTuple = thenValue.composite(), *elseTuple = elseValue.composite();
  // Constants of an aggregate stay as they are: its fields have declared types.
  bool mayChange = thenTuple && !thenTuple->aggregateClass;
  if (mayChange && elseTuple && thenTuple->elements.size() == elseTuple->elements.size()) {
    TupleValue first = *thenTuple, second = *elseTuple;
    for (auto [a, b] : llvm::zip(first.elements, second.elements))
      if (!unify(a, b))
        return false;
    thenValue = std::move(first);
    elseValue = std::move(second);
    return sameType(thenValue, elseValue);
  }
  if (sameType(thenValue, elseValue))
    return true;
  Value first = thenValue, second = elseValue;
  if (first.isNumber() && isNumeric(second))
    thenValue = materialize(first, second, /*inThen=*/true);
  if (second.isNumber() && isNumeric(first))
    elseValue = materialize(second, thenValue, /*inThen=*/false);
  return sameType(thenValue, elseValue);
}

std::optional<unsigned> Branches::merge(const Value &thenValue, const Value &elseValue) {
  Value first = thenValue, second = elseValue;
  if (!unify(first, second))
    return std::nullopt;
  llvm::SmallVector<mlir::Value> firstParts, secondParts;
  flatten(first, firstParts);
  flatten(second, secondParts);
  Merged value{first, {}};
  for (auto [a, b] : llvm::zip(firstParts, secondParts)) {
    value.resultOfPart.push_back(a == b ? -1 : int(thenParts.size()));
    if (a != b) {
      thenParts.push_back(a);
      elseParts.push_back(b);
    }
  }
  merged.push_back(std::move(value));
  return merged.size() - 1;
}

Value Branches::undefined(const Value &like, bool inThen) {
  mlir::OpBuilder::InsertionGuard guard(lowering.builder);
  lowering.builder.setInsertionPointToEnd(block(inThen));
  llvm::SmallVector<mlir::Value> parts;
  flatten(like, parts);
  for (mlir::Value &part : parts)
    part = lowering.create<mlir::ub::PoisonOp>(part.getType());
  llvm::ArrayRef<mlir::Value> rest = parts;
  return rebuild(like, rest);
}

void Branches::finish() {
  enterThen();
  lowering.create<scf::YieldOp>(thenParts);
  enterElse();
  lowering.create<scf::YieldOp>(elseParts);
  lowering.builder.setInsertionPointAfter(operation);
  bool hasElse = !thenParts.empty() || !llvm::hasSingleElement(*block(false));
  auto incomplete = llvm::cast<scf::IfOp>(operation);
  scf::IfOp complete = scf::IfOp::create(lowering.builder, operation->getLoc(), mlir::ValueRange(thenParts).getTypes(),
                                         incomplete.getCondition(), /*addThenBlock=*/false, /*addElseBlock=*/false);
  complete.getThenRegion().takeBody(incomplete.getThenRegion());
  if (hasElse)
    complete.getElseRegion().takeBody(incomplete.getElseRegion());
  operation->erase();
  operation = complete;
}

Value Branches::result(unsigned index) const {
  const Merged &value = merged[index];
  llvm::SmallVector<mlir::Value> parts;
  flatten(value.like, parts);
  for (auto [part, result] : llvm::zip(parts, value.resultOfPart))
    if (result >= 0)
      part = operation->getResult(result);
  llvm::ArrayRef<mlir::Value> rest = parts;
  return rebuild(value.like, rest);
}

} // namespace triton::frontend
