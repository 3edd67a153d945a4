// Reductions: the loops of a group carry vectors of accumulators, and the lanes of these are combined at the end.
#include "backends/cpu/codegen/Lowering.h"

#include "ir/CombinationOrder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace triton::cpu {

static bool hasNeutralElement(Operation *op) {
  return isa<arith::AddFOp, arith::AddIOp, arith::MulFOp, arith::MulIOp, arith::MaxNumFOp, arith::MinNumFOp,
             arith::MaximumFOp, arith::MinimumFOp, arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp,
             arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op);
}

Combiner combinerOf(Region &region, TypeRange elementTypes) {
  Combiner combiner{&region, llvm::to_vector(elementTypes)};
  Block &block = region.front();
  if (elementTypes.size() != 1 || !llvm::hasNItems(block.getOperations(), 2))
    return combiner;
  Operation &op = block.front();
  bool combinesArguments = op.getNumOperands() == 2 && op.getNumResults() == 1 &&
                           llvm::is_contained(op.getOperands(), block.getArgument(0)) &&
                           llvm::is_contained(op.getOperands(), block.getArgument(1)) &&
                           block.getTerminator()->getOperand(0) == op.getResult(0);
  if (!combinesArguments || !hasNeutralElement(&op))
    return combiner;
  combiner.single = &op;
  combiner.widened = isNarrowFloat(elementTypes[0]);
  return combiner;
}

Combiner combinerOf(tt::ReduceOp op) {
  Combiner combiner = combinerOf(op.getCombineOp(), op.getElementTypes());
  combiner.keepsOrder = !combiner.single && tt::keepsOrder(op);
  return combiner;
}

static Value neutralElement(Lowering &lowering, Location loc, const Combiner &combiner) {
  OpBuilder &b = lowering.b;
  Type type = combiner.widened ? b.getF32Type() : laneType(combiner.types[0]);
  auto infinity = [&](bool negative) -> Attribute {
    return b.getFloatAttr(type, APFloat::getInf(cast<FloatType>(type).getFloatSemantics(), negative));
  };
  unsigned width = type.getIntOrFloatBitWidth();
  auto integer = [&](const APInt &value) -> Attribute { return b.getIntegerAttr(type, value); };
  Attribute value = llvm::TypeSwitch<Operation *, Attribute>(combiner.single)
                        .Case([&](arith::AddFOp) { return b.getFloatAttr(type, -0.0); })
                        .Case([&](arith::MulFOp) { return b.getFloatAttr(type, 1.0); })
                        .Case<arith::MaxNumFOp, arith::MinNumFOp>([&](auto) -> Attribute {
                          return b.getFloatAttr(type, APFloat::getNaN(cast<FloatType>(type).getFloatSemantics()));
                        })
                        .Case([&](arith::MaximumFOp) { return infinity(true); })
                        .Case([&](arith::MinimumFOp) { return infinity(false); })
                        .Case([&](arith::MulIOp) { return integer(APInt(width, 1)); })
                        .Case([&](arith::MaxSIOp) { return integer(APInt::getSignedMinValue(width)); })
                        .Case([&](arith::MinSIOp) { return integer(APInt::getSignedMaxValue(width)); })
                        .Case<arith::MinUIOp, arith::AndIOp>([&](auto) { return integer(APInt::getAllOnes(width)); })
                        .Default([&](Operation *) { return integer(APInt(width, 0)); });
  return arith::ConstantOp::create(b, loc, cast<TypedAttr>(value));
}

/// The larger or smaller of two vectors. If one element is NaN, the result is the other. One instruction of AVX-512,
/// otherwise three.
static Value emitExtremum(Lowering &lowering, Location loc, Value left, Value right, bool isMaximum) {
  OpBuilder &b = lowering.b;
  LaneEmitter &lanes = lowering.lanes;
  auto type = cast<VectorType>(left.getType());
  unsigned bits = type.getElementTypeBitWidth();
  bool isDouble = bits == 64;
  if (!lowering.options.target->hasAvx512 || type.getNumElements() * bits != 512) {
    if (isMaximum)
      return arith::MaxNumFOp::create(b, loc, left, right);
    return arith::MinNumFOp::create(b, loc, left, right);
  }
  constexpr int64_t compareSign = 0b0100, currentRounding = 4;
  Value operation = lanes.constantInt(loc, b.getI32Type(), compareSign | isMaximum);
  Value all = lanes.constantInt(loc, b.getIntegerType(type.getNumElements()), -1);
  Value rounding = lanes.constantInt(loc, b.getI32Type(), currentRounding);
  auto name = b.getStringAttr(isDouble ? "llvm.x86.avx512.mask.range.pd.512" : "llvm.x86.avx512.mask.range.ps.512");
  return LLVM::CallIntrinsicOp::create(b, loc, type, name, ValueRange{left, right, operation, left, all, rounding})
      .getResult(0);
}

SmallVector<Value> combine(Lowering &lowering, Location loc, const Combiner &combiner, ArrayRef<Value> left,
                           ArrayRef<Value> right, unsigned count) {
  OpBuilder &b = lowering.b;
  LaneEmitter &lanes = lowering.lanes;
  auto emitSingle = [&](Operation *op) {
    return llvm::TypeSwitch<Operation *, Value>(op)
        .Case([&](arith::MaxNumFOp) { return emitExtremum(lowering, loc, left[0], right[0], true); })
        .Case([&](arith::MinNumFOp) { return emitExtremum(lowering, loc, left[0], right[0], false); })
        .Case([&](arith::AddFOp) { return arith::AddFOp::create(b, loc, left[0], right[0]); })
        .Case([&](arith::MulFOp) { return arith::MulFOp::create(b, loc, left[0], right[0]); })
        .Case([&](arith::MaximumFOp) { return arith::MaximumFOp::create(b, loc, left[0], right[0]); })
        .Case([&](arith::MinimumFOp) { return arith::MinimumFOp::create(b, loc, left[0], right[0]); })
        .Default([](Operation *) { return Value(); });
  };
  if (Value single = combiner.single ? emitSingle(combiner.single) : Value())
    return {single};
  SmallVector<Lanes> arguments;
  for (Value value : llvm::concat<const Value>(left, right))
    arguments.push_back(Lanes::vector(value));
  auto outer = [&](Value value) { return lowering.scalars.lookup(value); };
  SmallVector<Value> results;
  for (const Lanes &result : lanes.applyRegion(*combiner.region, arguments, count, outer))
    results.push_back(lanes.toVector(loc, result, count));
  return results;
}

/// The lanes of a reduction's accumulators: one if its combination needs the order of the axis, along which lanes
/// are.
static unsigned accumulatorLanes(const NestPlan &plan, const Combiner &combiner) {
  return combiner.keepsOrder && !plan.reducesInside() ? 1 : plan.lanes;
}

/// Combines the lanes of `values` into vectors of one lane.
/// Halves are combined with each other, or neighbours where the order matters.
static SmallVector<Value> combineLanes(Lowering &lowering, Location loc, const Combiner &combiner,
                                       ArrayRef<Value> values, unsigned count) {
  OpBuilder &b = lowering.b;
  SmallVector<Value> current(values);
  for (unsigned half = count / 2; half > 0; half /= 2) {
    SmallVector<int64_t> low(half), high(half);
    for (unsigned lane = 0; lane < half; ++lane) {
      low[lane] = combiner.keepsOrder ? 2 * lane : lane;
      high[lane] = combiner.keepsOrder ? 2 * lane + 1 : lane + half;
    }
    SmallVector<Value> left, right;
    for (Value value : current) {
      left.push_back(vector::ShuffleOp::create(b, loc, value, value, low));
      right.push_back(vector::ShuffleOp::create(b, loc, value, value, high));
    }
    current = combine(lowering, loc, combiner, left, right, half);
  }
  return current;
}

SmallVector<Value> initialAccumulators(Lowering &lowering, NestPlan &plan, unsigned copies) {
  LaneEmitter &lanes = lowering.lanes;
  SmallVector<Value> each;
  for (const Root &root : plan.group.roots) {
    if (root.kind != Root::Kind::Reduce)
      continue;
    auto reduce = cast<tt::ReduceOp>(root.op);
    Combiner combiner = combinerOf(reduce);
    if (combiner.single) {
      each.push_back(lanes.splat(plan.loc, neutralElement(lowering, plan.loc, combiner), plan.lanes));
      continue;
    }
    for (Type type : combiner.types)
      each.push_back(lanes.zero(plan.loc, VectorType::get(accumulatorLanes(plan, combiner), laneType(type))));
  }
  SmallVector<Value> all;
  for (unsigned copy = 0; copy < copies; ++copy)
    llvm::append_range(all, each);
  return all;
}

void accumulate(Lowering &lowering, tt::ReduceOp op, const TileIndex &index, MutableArrayRef<Value> accumulators,
                Value isFirst) {
  LaneEmitter &lanes = lowering.lanes;
  Location loc = op.getLoc();
  Combiner combiner = combinerOf(op);
  SmallVector<Value> values;
  for (auto [source, type] : llvm::zip(op.getSrcs(), combiner.types)) {
    Value value = lanes.toVector(loc, evaluate(lowering, source, index), index.lanes);
    values.push_back(combiner.widened ? lanes.widen(loc, value, type) : value);
  }
  unsigned count = index.lanes;
  if (combiner.keepsOrder && index.laneDim == int64_t(op.getAxis())) {
    values = combineLanes(lowering, loc, combiner, values, count);
    count = 1;
  }
  if (!combiner.single && matchPattern(isFirst, m_One())) {
    llvm::copy(values, accumulators.begin());
    return;
  }
  SmallVector<Value> combined = combine(lowering, loc, combiner, accumulators, values, count);
  bool needsFirst = !combiner.single && !matchPattern(isFirst, m_Zero());
  for (auto [accumulator, value, result] : llvm::zip(accumulators, values, combined))
    accumulator = needsFirst ? arith::SelectOp::create(lowering.b, loc, isFirst, value, result).getResult() : result;
}

void finishReductions(Lowering &lowering, NestPlan &plan, const TileIndex &index, ArrayRef<Value> accumulators,
                      bool acrossLanes) {
  int64_t axis = plan.group.reduceAxis;
  TileIndex resultIndex = index;
  resultIndex.at.erase(resultIndex.at.begin() + axis);
  if (acrossLanes)
    resultIndex.laneDim = -1, resultIndex.lanes = 1;
  else if (index.laneDim > axis)
    --resultIndex.laneDim;
  size_t each = plan.accumulators, sets = accumulators.size() / each, first = 0, target = 0;
  for (const Root &root : plan.group.roots) {
    if (root.kind == Root::Kind::Materialize)
      ++target;
    if (root.kind != Root::Kind::Reduce)
      continue;
    auto reduce = cast<tt::ReduceOp>(root.op);
    Location loc = reduce.getLoc();
    Combiner combiner = combinerOf(reduce);
    size_t count = combiner.types.size();
    SmallVector<Value> values(accumulators.slice(first, count));
    for (size_t set = 1; set < sets; ++set)
      values = combine(lowering, loc, combiner, values, accumulators.slice(set * each + first, count), plan.lanes);
    first += count;
    bool isScalar = acrossLanes || plan.laneDim < 0;
    if (isScalar)
      values = combineLanes(lowering, loc, combiner, values, accumulatorLanes(plan, combiner));
    for (auto [value, result, type] : llvm::zip(values, reduce.getResults(), combiner.types)) {
      if (isScalar)
        value = vector::ExtractOp::create(lowering.b, loc, value, 0);
      Value narrowed = combiner.widened ? lowering.lanes.narrow(loc, value, type) : value;
      if (isa<RankedTensorType>(result.getType()))
        writeBuffer(lowering, loc, plan.targets[target], resultIndex,
                    isScalar ? Lanes::uniform(narrowed) : Lanes::vector(narrowed));
      else
        lowering.scalars.map(result, narrowed);
      ++target;
    }
  }
}

} // namespace triton::cpu
