// `for` over ranges: scf.for, or the body once per index for `tl.static_range`.
#include "frontend/LoweringDiagnostics.h"
#include "frontend/lowering/ConstantEvaluation.h"
#include "frontend/lowering/Constructs.h"
#include "frontend/lowering/Loops.h"
#include "frontend/lowering/PathMerge.h"
#include "frontend/lowering/StatedFacts.h"
#include "frontend/lowering/semantics/Semantics.h"
#include "ir/AttributeNames.h"
#include "ir/LoopMotion.h"

namespace triton::frontend {

namespace arith = mlir::arith;
namespace scf = mlir::scf;

/// How often bodies may be repeated while one kernel is lowered. Code size and compile time grow with this number.
static constexpr uint64_t maximumRepetitions = 1 << 16;

static constexpr llvm::StringLiteral boundNames[] = {"start", "end", "step"};

namespace {
/// The bounds of an scf.for in its index type; `isReversed` for a negative constant step, which becomes positive.
struct Bounds {
  Tensor lower, upper, step;
  bool isReversed = false;
};
} // namespace

static Tensor boundTensor(Lowering &lowering, const Value &value, llvm::StringRef name) {
  if (value.isNumber() || value.tensor()) {
    Tensor tensor = toTensor(lowering, value);
    if (tensor.type.isScalar() && !tensor.type.element.isPointer() && isInteger(tensor.type.element.scalar))
      return tensor;
  }
  lowering.error(diagnostics::LoopBound, name, value.describe());
}

/// The type to which the types of the bounds promote; integers always have a common type.
static ScalarType indexType(llvm::ArrayRef<Tensor> bounds) {
  ScalarType type = bounds.front().type.element.scalar;
  for (const Tensor &bound : bounds.drop_front()) {
    PromotionResult result = promote({type}, {bound.type.element.scalar}, OperatorClass::Arithmetic);
    type = std::get<ScalarType>(result);
  }
  return kind(type) == ScalarKind::Boolean ? ScalarType::Int32 : type;
}

static Bounds lowerBounds(Lowering &lowering, const RangeValue &range) {
  Value lower = range.lower, upper = range.upper, step = range.step;
  Bounds bounds;
  if (std::optional<int64_t> constant = step.asInt64()) {
    if (*constant == 0)
      lowering.error(diagnostics::ZeroStep);
    if (*constant < 0) {
      bounds.isReversed = true;
      step = evaluateUnary(lowering, ast::UnaryOperator::USub, step, lowering.range);
      std::swap(lower, upper);
    }
  }
  Tensor tensors[] = {boundTensor(lowering, lower, boundNames[bounds.isReversed ? 1 : 0]),
                      boundTensor(lowering, upper, boundNames[bounds.isReversed ? 0 : 1]),
                      boundTensor(lowering, step, boundNames[2])};
  ElementType type{indexType(tensors), 0, false};
  for (Tensor &tensor : tensors)
    tensor = cast(lowering, tensor, type);
  bounds.lower = tensors[0];
  bounds.upper = tensors[1];
  bounds.step = tensors[2];
  return bounds;
}

static void setHints(Lowering &lowering, scf::ForOp loop, const RangeValue &range) {
  mlir::Builder &builder = lowering.builder;
  if (range.numStages)
    loop->setAttr(tt::loopStagesAttribute, builder.getI32IntegerAttr(*range.numStages));
  if (range.loopUnrollFactor)
    loop->setAttr(tt::unrollFactorAttribute, builder.getI32IntegerAttr(*range.loopUnrollFactor));
  if (range.disallowAccMultiBuffer)
    loop->setAttr(tt::oneAccumulatorAttribute, builder.getUnitAttr());
  if (range.flatten)
    loop->setAttr(tt::flattenAttribute, builder.getUnitAttr());
  if (range.warpSpecialize)
    loop->setAttr(tt::warpSpecializeAttribute, builder.getUnitAttr());
  if (range.disableLicm)
    setLicmDisabled(lowering, loop);
}

void setLicmDisabled(Lowering &lowering, mlir::Operation *loop) {
  auto licm = mlir::LLVM::LoopLICMAttr::get(&lowering.context, lowering.builder.getBoolAttr(true), {});
  loop->setAttr(tt::loopHintsAttribute, mlir::LLVM::LoopAnnotationAttr::get(&lowering.context, {}, {}, {}, {}, {}, licm,
                                                                            {}, {}, {}, {}, {}, {}, {}, {}, {}));
}

/// The value of the target: the induction variable, mirrored when the range counts down.
static Tensor indexValue(Lowering &lowering, const Bounds &bounds, mlir::Value induction) {
  mlir::Value index = induction;
  if (bounds.isReversed) {
    index = lowering.create<arith::SubIOp>(bounds.upper.value, index);
    index = lowering.create<arith::AddIOp>(index, bounds.lower.value);
  }
  return {index, bounds.lower.type};
}

/// Rewrites the loop as an scf.while that ends when the exits say so. Returns its results: those of the names, then
/// those of `exit`. The next index is computed only if it exists, because the addition could overflow.
static mlir::ValueRange leaveEarly(Lowering &lowering, scf::ForOp loop, const Bounds &bounds, EarlyExit &exit) {
  mlir::OpBuilder &builder = lowering.builder;
  bool isUnsigned = loop.getUnsignedCmp();
  auto yield = llvm::cast<scf::YieldOp>(loop.getBody()->getTerminator());

  // The end of an iteration decides how the loop continues.
  builder.setInsertionPoint(yield);
  llvm::SmallVector<mlir::Value> exits = exit.current();
  mlir::Value index = loop.getInductionVar();
  mlir::Value distance = lowering.create<arith::SubIOp>(bounds.upper.value, index);
  mlir::Value isInside = lowering.create<arith::CmpIOp>(arith::CmpIPredicate::ugt, distance, bounds.step.value);
  mlir::Value stays = negatedFlag(lowering, EarlyExit::wasLeft(exits));
  llvm::SmallVector<mlir::Value> next = {lowering.create<arith::AddIOp>(index, bounds.step.value),
                                         lowering.create<arith::AndIOp>(isInside, stays)};
  llvm::append_range(next, yield.getResults());
  llvm::append_range(next, exits);
  lowering.create<scf::YieldOp>(next);
  yield.erase();

  builder.setInsertionPoint(loop);
  auto below = isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  llvm::SmallVector<mlir::Value> initial = {
      bounds.lower.value, lowering.create<arith::CmpIOp>(below, bounds.lower.value, bounds.upper.value)};
  llvm::append_range(initial, loop.getInitArgs());
  llvm::append_range(initial, exit.initial());
  llvm::SmallVector<mlir::Type> types(mlir::ValueRange(initial).getTypes());
  llvm::SmallVector<mlir::Location> locations(types.size(), loop.getLoc());
  auto general = scf::WhileOp::create(builder, loop.getLoc(), types, initial);
  tt::copyLoopHints(loop, general);
  mlir::Block *before = builder.createBlock(&general.getBefore(), {}, types, locations);
  lowering.create<scf::ConditionOp>(before->getArgument(1), before->getArguments());

  mlir::Block *body = loop.getBody();
  general.getAfter().takeBody(loop.getRegion());
  body->insertArgument(1, types[1], loop.getLoc());
  for (size_t i = body->getNumArguments(); i < types.size(); ++i)
    body->addArgument(types[i], loop.getLoc());
  loop.erase();
  builder.setInsertionPointAfter(general);
  return general.getResults().drop_front(2);
}

static void lowerRuntimeFor(Lowering &lowering, const ast::For &statement, const RangeValue &range) {
  Bounds bounds = [&] {
    RangeScope scope(lowering, statement.iterable->range);
    return lowerBounds(lowering, range);
  }();
  llvm::SmallVector<llvm::StringRef> assigned = assignedNames(statement.body);
  const auto *target = llvm::dyn_cast<ast::Name>(statement.target);
  if (target && !llvm::is_contained(assigned, target->id))
    assigned.push_back(target->id);
  CarriedNames carried(lowering, assigned, exposedNames(nullptr, statement.target, statement.body),
                       target ? target->id : "");
  bool isUnsigned = kind(bounds.lower.type.element.scalar) == ScalarKind::Unsigned;
  llvm::SmallVector<mlir::Value> initial = carried.initial();
  auto loop = lowering.create<scf::ForOp>(bounds.lower.value, bounds.upper.value, bounds.step.value, initial, nullptr,
                                          isUnsigned);
  setHints(lowering, loop, range);
  mlir::Block *body = loop.getBody();
  if (!body->empty())
    body->back().erase();

  lowering.builder.setInsertionPointToStart(body);
  carried.enter(loop.getRegionIterArgs());
  {
    LoopFrame frame(lowering, &carried);
    assignTarget(lowering, *statement.target, indexValue(lowering, bounds, loop.getInductionVar()));
    lowerStatements(lowering, statement.body);
  }
  auto yield = lowering.create<scf::YieldOp>(carried.current());
  stateCarriedFacts(lowering, loop.getRegionIterArgs(), {loop.getInitArgs(), yield.getOperands()});
  stateCarriedFacts(lowering, loop.getInductionVar(), mlir::ValueRange(loop.getLowerBound())); // Of the step we know.
  Exits exits = std::exchange(lowering.frame->exits, {});
  if (!endsLoop(exits)) {
    lowering.builder.setInsertionPointAfter(loop);
    carried.leave(loop.getResults());
    return lowerStatements(lowering, statement.orElse);
  }
  EarlyExit exit(lowering, std::move(exits));
  mlir::ValueRange results = leaveEarly(lowering, loop, bounds, exit);
  carried.leave(results.take_front(initial.size()));
  exit.leave(statement.orElse, results.drop_front(initial.size()), /*isEndless=*/false);
}

static int64_t staticBound(Lowering &lowering, const Value &value, llvm::StringRef name) {
  if (std::optional<int64_t> constant = value.asInt64())
    return *constant;
  lowering.error(diagnostics::LoopBound, name, value.describe());
}

llvm::SmallVector<int64_t> staticIndices(Lowering &lowering, const RangeValue &range) {
  int64_t lower = staticBound(lowering, range.lower, boundNames[0]);
  int64_t upper = staticBound(lowering, range.upper, boundNames[1]);
  int64_t step = staticBound(lowering, range.step, boundNames[2]);
  if (step == 0)
    lowering.error(diagnostics::ZeroStep);
  // Unsigned arithmetic, because the distance of two bounds may exceed int64.
  uint64_t distance = step > 0 ? uint64_t(upper) - uint64_t(lower) : uint64_t(lower) - uint64_t(upper);
  bool isEmpty = step > 0 ? upper <= lower : upper >= lower;
  uint64_t magnitude = step > 0 ? uint64_t(step) : -uint64_t(step);
  uint64_t count = isEmpty ? 0 : (distance - 1) / magnitude + 1;
  // The count may be near 2**64, but the sum so far is small.
  if (count > maximumRepetitions - lowering.repetitions)
    lowering.error(diagnostics::TooManyRepetitions, maximumRepetitions);
  lowering.repetitions += count;
  llvm::SmallVector<int64_t> indices;
  for (uint64_t i = 0; i < count; ++i)
    indices.push_back(lower + int64_t(i) * step);
  return indices;
}

namespace {
/// A loop whose body is lowered once for each index.
class RepeatedLoop {
public:
  RepeatedLoop(Lowering &lowering, const ast::For &statement, const ast::Name &target)
      : lowering(lowering), statement(statement), target(target), assigned(assignedNames(statement.body)) {
    assigned.push_back(target.id);
  }

  void run(llvm::ArrayRef<int64_t> indices) {
    Exits exits;
    {
      LoopFrame frame(lowering, nullptr);
      loop = &frame;
      repeat(indices);
      exits = std::exchange(lowering.frame->exits, {});
      loseUndefined(frame.definedAtBreak);
    }
    Value left = eitherHolds(lowering, exits[ExitKind::Break], exits[ExitKind::Return]);
    bool mayBreak = constantTruth(exits[ExitKind::Break]) != false;
    exits[ExitKind::Break] = Value::boolean(false);
    exits.isDead &= !mayBreak;
    lowerLoopElse(lowering, statement.orElse, left, exits, mayBreak);
  }

private:
  void repeat(llvm::ArrayRef<int64_t> indices) {
    Exits &exits = lowering.frame->exits;
    while (!indices.empty() && exits.isNone()) {
      lowering.frame->locals[target.id] = {Value::integer(indices.front()), target.range, /*isConstexpr=*/true};
      lowering.observe(target.range, lowering.frame->locals[target.id].value);
      indices = indices.drop_front();
      lowerStatements(lowering, statement.body);
      loseUndefined(loop->definedAtContinue);
      loop->definedAtContinue.reset();
      exits.isDead &= constantTruth(exits[ExitKind::Continue]) == false;
      exits[ExitKind::Continue] = Value::boolean(false);
    }
    if (indices.empty() || exits.isDead)
      return;
    Exits otherwise = exits;
    otherwise.isDead = true;
    lowerUnless(lowering, hasLeft(lowering, exits), otherwise, assigned, [&] { repeat(indices); });
  }

  /// A name that is not defined at some exit may be undefined from here on.
  void loseUndefined(const std::optional<llvm::StringSet<>> &defined) {
    if (!defined)
      return;
    for (auto &local : lowering.frame->locals)
      if (local.second.state == Variable::State::Defined && !defined->contains(local.first()))
        local.second.state = Variable::State::Partial;
  }

  Lowering &lowering;
  const ast::For &statement;
  const ast::Name &target;
  llvm::SmallVector<llvm::StringRef> assigned;
  LoopFrame *loop = nullptr;
};
} // namespace

static void lowerStaticFor(Lowering &lowering, const ast::For &statement, const RangeValue &range) {
  llvm::SmallVector<int64_t> indices = [&] {
    RangeScope scope(lowering, statement.iterable->range);
    return staticIndices(lowering, range);
  }();
  const auto *target = llvm::dyn_cast<ast::Name>(statement.target);
  if (!target)
    lowering.error(statement.target->range, diagnostics::NotIterable, "an index");
  RepeatedLoop(lowering, statement, *target).run(indices);
}

void lowerFor(Lowering &lowering, const ast::For &statement) {
  if (statement.isAsync)
    lowering.error(diagnostics::UnsupportedStatement, "`async for`", "");
  Value iterable = lowerExpression(lowering, *statement.iterable);
  const RangeValue *range = iterable.range();
  if (!range)
    lowering.error(statement.iterable->range, diagnostics::LoopIterable, iterable.describe());
  if (range->isStatic)
    lowerStaticFor(lowering, statement, *range);
  else
    lowerRuntimeFor(lowering, statement, *range);
}

} // namespace triton::frontend
