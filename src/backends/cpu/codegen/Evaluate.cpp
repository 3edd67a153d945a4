// Computes elements of tensors on demand: emits the code for the lanes at one index, through the operations that define
// the tensor.
#include "backends/cpu/codegen/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace triton::cpu {

Type pointeeOf(Value value) { return cpu::pointeeOf(getElementTypeOrSelf(value.getType())); }

Value coordinateValue(Lowering &lowering, Location loc, const Coordinate &coordinate, Type type) {
  LaneEmitter &lanes = lowering.lanes;
  if (!coordinate.base)
    return lanes.constantInt(loc, type, coordinate.offset);
  Value value = coordinate.base;
  if (coordinate.offset)
    value = arith::AddIOp::create(lowering.b, loc, value, lanes.constantI64(loc, coordinate.offset));
  return lanes.coordinate(loc, value, type);
}

TileIndex operandIndex(Operation *op, const TileIndex &index) {
  auto sourceType = cast<RankedTensorType>(op->getOperand(0).getType());
  TileIndex source;
  source.at.resize(sourceType.getRank());
  for (auto [dim, coordinate] : llvm::enumerate(index.at)) {
    std::optional<int64_t> from = operandDimension(op, dim);
    if (!from || sourceType.getShape()[*from] == 1)
      continue;
    source.at[*from] = coordinate;
    if (int64_t(dim) == index.laneDim) {
      source.laneDim = *from;
      source.lanes = index.lanes;
    }
  }
  return source;
}

static Lanes evaluateLoad(Lowering &lowering, tt::LoadOp op, const TileIndex &index) {
  LaneEmitter &lanes = lowering.lanes;
  Lanes pointer = evaluate(lowering, op.getPtr(), index);
  Lanes mask = op.getMask() ? evaluate(lowering, op.getMask(), index)
                            : Lanes::uniform(lanes.constantInt(op.getLoc(), lowering.b.getI1Type(), 1));
  auto other = [&] { return evaluate(lowering, op.getOther(), index); };
  llvm::function_ref<Lanes()> otherwise = nullptr;
  if (op.getOther())
    otherwise = other;
  return lanes.load(op.getLoc(), pointer, mask, otherwise, getElementTypeOrSelf(op.getType()), index.lanes,
                    op.getIsVolatile());
}

/// Within a vector that starts at a multiple of its length, the remainder by a multiple of that length increases by one
/// from lane to lane, and the quotient is constant.
static Lanes evaluateDivision(Lowering &lowering, Operation *op, const TileIndex &index) {
  LaneEmitter &lanes = lowering.lanes;
  Lanes dividend = evaluate(lowering, op->getOperand(0), index), divisor = evaluate(lowering, op->getOperand(1), index);
  bool aligned = dividend.isAffine() && dividend.step == 1 && divisor.isUniform() &&
                 lowering.analysis.divisor(op->getOperand(0), index.laneDim) >= index.lanes &&
                 lowering.analysis.divisor(op->getOperand(1)) >= index.lanes &&
                 lowering.analysis.isNonNegative(op->getOperand(0));
  if (!aligned)
    return lanes.apply(op, {dividend, divisor}, index.lanes);
  Value first = lanes.apply(op, {Lanes::uniform(dividend.value), divisor}, 1).value;
  return Lanes::affine(first, isa<arith::RemSIOp, arith::RemUIOp>(op) ? 1 : 0);
}

static Lanes computeLanes(Lowering &lowering, Value value, const TileIndex &index) {
  OpBuilder &b = lowering.b;
  LaneEmitter &lanes = lowering.lanes;
  if (const Buffer *buffer = bufferOf(lowering, value))
    return readBuffer(lowering, value.getLoc(), *buffer, index);
  auto isVariable = [](const Coordinate &coordinate) { return bool(coordinate.base); };
  if (auto table = lowering.tables.find(value);
      table != lowering.tables.end() && index.laneDim < 0 && llvm::any_of(index.at, isVariable))
    return readBuffer(lowering, value.getLoc(), table->second, index);
  Operation *op = value.getDefiningOp();
  assert(op && "a block argument lies in a buffer");
  Location loc = op->getLoc();
  return llvm::TypeSwitch<Operation *, Lanes>(op)
      .Case([&](tt::SplatOp splat) { return Lanes::uniform(scalar(lowering, splat.getSrc())); })
      .Case([&](ub::PoisonOp) {
        return Lanes::uniform(lanes.zero(loc, laneType(getElementTypeOrSelf(value.getType()))));
      })
      .Case([&](tt::MakeRangeOp range) {
        Type type = range.getType().getElementType();
        Value first = coordinateValue(lowering, loc, index.at[0], type);
        if (range.getStart() != 0)
          first = arith::AddIOp::create(b, loc, first, lanes.constantInt(loc, type, range.getStart()));
        return Lanes::affine(first, index.laneDim == 0 ? 1 : 0);
      })
      .Case<tt::BroadcastOp, tt::ExpandDimsOp, tt::TransOp>(
          [&](auto) { return evaluate(lowering, op->getOperand(0), operandIndex(op, index)); })
      .Case([&](tt::LoadOp load) { return evaluateLoad(lowering, load, index); })
      .Case([&](tt::SplitOp split) {
        TileIndex source = index;
        source.at.push_back({Value(), value == split.getOutLHS() ? 0 : 1});
        return evaluate(lowering, split.getSrc(), source);
      })
      .Case([&](tt::JoinOp join) {
        Coordinate side = index.at.back();
        TileIndex source = index;
        source.at.pop_back();
        bool alongSides = index.laneDim == int64_t(source.at.size());
        if (alongSides)
          source.laneDim = -1, source.lanes = 1;
        if (!side.base && !alongSides)
          return evaluate(lowering, side.offset == 0 ? join.getLhs() : join.getRhs(), source);
        Lanes left = evaluate(lowering, join.getLhs(), source), right = evaluate(lowering, join.getRhs(), source);
        if (alongSides)
          return Lanes::vector(vector::FromElementsOp::create(b, loc, VectorType::get(2, left.value.getType()),
                                                              ValueRange{left.value, right.value}));
        Value isLeft =
            arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                  coordinateValue(lowering, loc, side, b.getI64Type()), lanes.constantI64(loc, 0));
        return lanes.select(loc, Lanes::uniform(isLeft), left, right, index.lanes, pointeeOf(value));
      })
      .Case<arith::RemSIOp, arith::RemUIOp, arith::DivSIOp, arith::DivUIOp>(
          [&](auto) { return evaluateDivision(lowering, op, index); })
      .Default([&](Operation *) {
        SmallVector<Lanes, 3> operands;
        for (Value operand : op->getOperands())
          operands.push_back(evaluate(lowering, operand, index));
        return lanes.apply(op, operands, index.lanes);
      });
}

static bool matches(const TileIndex &assumed, TileIndex index) {
  if (index.laneDim >= 0)
    index.at[index.laneDim] = {};
  return assumed == index;
}

Lanes evaluate(Lowering &lowering, Value value, const TileIndex &index) {
  OpBuilder &b = lowering.b;
  if (!isa<RankedTensorType>(value.getType()))
    return Lanes::uniform(scalar(lowering, value));
  unsigned target = index.level();
  bool startsSet = false;
  for (auto [number, level] : llvm::enumerate(lowering.levels)) {
    for (const Assumption &assumption : level.assumptions) {
      if (assumption.mask == value && matches(assumption.index, index)) {
        if (assumption.says == Assumption::Says::AllLanesAreSet)
          return Lanes::uniform(lowering.lanes.constantInt(value.getLoc(), b.getI1Type(), 1));
        startsSet |= assumption.says == Assumption::Says::FirstLaneIsSet;
      }
      // What an assumption simplifies must not leave the place where the assumption holds.
      if (lowering.analysis.dependsOn(value, assumption.mask))
        target = std::max<unsigned>(target, number);
    }
  }
  target = std::min(target, currentLevel(lowering));
  for (auto &[known, result] : lowering.levels[target].memo[value])
    if (known == index)
      return result;
  OpBuilder::InsertionGuard guard(b);
  if (Operation *inner = lowering.levels[target].inner)
    b.setInsertionPoint(inner);
  else
    b.setInsertionPointToEnd(lowering.levels[target].block);
  Lanes result = computeLanes(lowering, value, index);
  result.startsSet |= startsSet;
  lowering.levels[target].memo[value].push_back({index, result});
  return result;
}

Lanes bufferPointer(Lowering &lowering, Location loc, const Buffer &buffer, const TileIndex &index) {
  OpBuilder &b = lowering.b;
  LaneEmitter &lanes = lowering.lanes;
  Value offset;
  int64_t constant = 0;
  for (auto [coordinate, stride] : llvm::zip(index.at, buffer.strides)) {
    constant += coordinate.offset * stride;
    if (!coordinate.base)
      continue;
    Value part = coordinate.base;
    if (stride != 1)
      part = arith::MulIOp::create(b, loc, part, lanes.constantI64(loc, stride));
    offset = offset ? arith::AddIOp::create(b, loc, offset, part) : part;
  }
  Value pointer = buffer.base;
  if (offset)
    pointer = lanes.offsetPointer(loc, pointer, offset, buffer.elementType);
  pointer = lanes.offsetPointer(loc, pointer, constant, buffer.elementType);
  return Lanes::affine(pointer, index.laneDim < 0 ? 0 : buffer.strides[index.laneDim]);
}

Lanes readBuffer(Lowering &lowering, Location loc, const Buffer &buffer, const TileIndex &index) {
  LaneEmitter &lanes = lowering.lanes;
  Lanes all = Lanes::uniform(lanes.constantInt(loc, lowering.b.getI1Type(), 1));
  return lanes.load(loc, bufferPointer(lowering, loc, buffer, index), all, nullptr, buffer.elementType, index.lanes);
}

void writeBuffer(Lowering &lowering, Location loc, const Buffer &buffer, const TileIndex &index, const Lanes &value) {
  LaneEmitter &lanes = lowering.lanes;
  Lanes all = Lanes::uniform(lanes.constantInt(loc, lowering.b.getI1Type(), 1));
  lanes.store(loc, bufferPointer(lowering, loc, buffer, index), all, value, buffer.elementType, index.lanes);
}

void emitStore(Lowering &lowering, tt::StoreOp op, const TileIndex &index) {
  LaneEmitter &lanes = lowering.lanes;
  Lanes mask = op.getMask() ? evaluate(lowering, op.getMask(), index)
                            : Lanes::uniform(lanes.constantInt(op.getLoc(), lowering.b.getI1Type(), 1));
  lanes.store(op.getLoc(), evaluate(lowering, op.getPtr(), index), mask, evaluate(lowering, op.getValue(), index),
              getElementTypeOrSelf(op.getValue().getType()), index.lanes);
}

} // namespace triton::cpu
