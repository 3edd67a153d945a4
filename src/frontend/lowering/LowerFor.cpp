// `for` over ranges: scf.for, or the body once per index for `tl.static_range`.
#include "frontend/LoweringDiagnostics.h"
#include "frontend/lowering/CarriedNames.h"
#include "frontend/lowering/ConstantEvaluation.h"
#include "frontend/lowering/Constructs.h"
#include "frontend/lowering/semantics/Semantics.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace triton::frontend {

namespace arith = mlir::arith;
namespace scf = mlir::scf;

/// How often bodies may be repeated while lowering one kernel; code and compile time grow with it.
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

/// What the types of the bounds promote to; integers always have a common type.
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
    loop->setAttr("tt.num_stages", builder.getI32IntegerAttr(*range.numStages));
  if (range.loopUnrollFactor)
    loop->setAttr("tt.loop_unroll_factor", builder.getI32IntegerAttr(*range.loopUnrollFactor));
  if (range.disallowAccMultiBuffer)
    loop->setAttr("tt.disallow_acc_multi_buffer", builder.getUnitAttr());
  if (range.flatten)
    loop->setAttr("tt.flatten", builder.getUnitAttr());
  if (range.warpSpecialize)
    loop->setAttr("tt.warp_specialize", builder.getUnitAttr());
  if (range.disableLicm)
    setLicmDisabled(lowering, loop);
}

void setLicmDisabled(Lowering &lowering, mlir::Operation *loop) {
  auto licm = mlir::LLVM::LoopLICMAttr::get(&lowering.context, lowering.builder.getBoolAttr(true), {});
  loop->setAttr("llvm.loop_annotation", mlir::LLVM::LoopAnnotationAttr::get(&lowering.context, {}, {}, {}, {}, {}, licm,
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

static void lowerRuntimeFor(Lowering &lowering, const ast::For &statement, const RangeValue &range) {
  Bounds bounds = [&] {
    RangeScope scope(lowering, statement.iterable->range);
    return lowerBounds(lowering, range);
  }();
  llvm::SmallVector<llvm::StringRef> assigned = assignedNames(statement.body);
  const auto *target = llvm::dyn_cast<ast::Name>(statement.target);
  if (target && !llvm::is_contained(assigned, target->id))
    assigned.push_back(target->id);
  llvm::SmallVector<llvm::StringRef> rebound = reboundNames(statement.body);
  CarriedNames carried(lowering, assigned, rebound, target ? target->id : "");
  bool isUnsigned = kind(bounds.lower.type.element.scalar) == ScalarKind::Unsigned;
  auto loop = lowering.create<scf::ForOp>(bounds.lower.value, bounds.upper.value, bounds.step.value, carried.initial(),
                                          nullptr, isUnsigned);
  setHints(lowering, loop, range);
  mlir::Block *body = loop.getBody();
  if (!body->empty())
    body->back().erase();

  lowering.builder.setInsertionPointToStart(body);
  carried.enter(loop.getRegionIterArgs());
  ++lowering.frame->loopDepth;
  assignTarget(lowering, *statement.target, indexValue(lowering, bounds, loop.getInductionVar()));
  lowerStatements(lowering, statement.body);
  --lowering.frame->loopDepth;
  lowering.create<scf::YieldOp>(carried.current());
  lowering.builder.setInsertionPointAfter(loop);
  carried.leave(loop.getResults());
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
  // In unsigned arithmetic, since the distance of two bounds may exceed int64.
  uint64_t distance = step > 0 ? uint64_t(upper) - uint64_t(lower) : uint64_t(lower) - uint64_t(upper);
  bool isEmpty = step > 0 ? upper <= lower : upper >= lower;
  uint64_t magnitude = step > 0 ? uint64_t(step) : -uint64_t(step);
  uint64_t count = isEmpty ? 0 : (distance - 1) / magnitude + 1;
  // The count may be near 2**64, the sum so far is small.
  if (count > maximumRepetitions - lowering.repetitions)
    lowering.error(diagnostics::TooManyRepetitions, maximumRepetitions);
  lowering.repetitions += count;
  llvm::SmallVector<int64_t> indices;
  for (uint64_t i = 0; i < count; ++i)
    indices.push_back(lower + int64_t(i) * step);
  return indices;
}

static void lowerStaticFor(Lowering &lowering, const ast::For &statement, const RangeValue &range) {
  llvm::SmallVector<int64_t> indices = [&] {
    RangeScope scope(lowering, statement.iterable->range);
    return staticIndices(lowering, range);
  }();
  const auto *target = llvm::dyn_cast<ast::Name>(statement.target);
  if (!target)
    lowering.error(statement.target->range, diagnostics::NotIterable, "an index");
  ++lowering.frame->loopDepth;
  for (int64_t index : indices) {
    lowering.frame->locals[target->id] = {Value::integer(index), target->range, /*isConstexpr=*/true};
    lowerStatements(lowering, statement.body);
  }
  --lowering.frame->loopDepth;
}

void lowerFor(Lowering &lowering, const ast::For &statement) {
  if (statement.isAsync)
    lowering.error(diagnostics::UnsupportedStatement, "`async for`", "");
  if (!statement.orElse.empty())
    lowering.error(statement.orElse.front()->range, diagnostics::LoopElse);
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
