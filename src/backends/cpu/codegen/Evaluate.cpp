// Computes elements of tensors on demand: emits the code for the lanes at one index, through the operations that define
// the tensor.
#include "backends/cpu/codegen/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace triton::cpu {

unsigned TileIndex::level() const {
  unsigned innermost = 0;
  for (const Coordinate &coordinate : at)
    innermost = std::max(innermost, coordinate.level);
  return innermost;
}

Type KernelLowering::pointeeOf(Value value) { return cpu::pointeeOf(getElementTypeOrSelf(value.getType())); }

Value KernelLowering::coordinateValue(Location loc, const Coordinate &coordinate, Type type) {
  if (!coordinate.base)
    return lanes.constantInt(loc, type, coordinate.offset);
  Value value = coordinate.base;
  if (coordinate.offset)
    value = arith::AddIOp::create(b, loc, value, lanes.constantI64(loc, coordinate.offset));
  return lanes.coordinate(loc, value, type);
}

TileIndex KernelLowering::operandIndex(Operation *op, const TileIndex &index) {
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

static bool matches(const TileIndex &assumed, TileIndex index) {
  if (index.laneDim >= 0)
    index.at[index.laneDim] = {};
  return assumed == index;
}

Lanes KernelLowering::evaluate(Value value, const TileIndex &index) {
  if (!isa<RankedTensorType>(value.getType()))
    return Lanes::uniform(scalar(value));
  unsigned target = index.level();
  bool startsSet = false;
  for (auto [number, level] : llvm::enumerate(levels)) {
    for (const Assumption &assumption : level.assumptions) {
      if (assumption.mask == value && matches(assumption.index, index)) {
        if (assumption.says == Assumption::Says::AllLanesAreSet)
          return Lanes::uniform(lanes.constantInt(value.getLoc(), b.getI1Type(), 1));
        startsSet |= assumption.says == Assumption::Says::FirstLaneIsSet;
      }
      // What an assumption simplifies must not leave the place where the assumption holds.
      if (analysis.dependsOn(value, assumption.mask))
        target = std::max<unsigned>(target, number);
    }
  }
  target = std::min(target, currentLevel());
  for (auto &[known, result] : levels[target].memo[value])
    if (known == index)
      return result;
  OpBuilder::InsertionGuard guard(b);
  if (Operation *inner = levels[target].inner)
    b.setInsertionPoint(inner);
  else
    b.setInsertionPointToEnd(levels[target].block);
  Lanes result = computeLanes(value, index);
  result.startsSet |= startsSet;
  levels[target].memo[value].push_back({index, result});
  return result;
}

Lanes KernelLowering::computeLanes(Value value, const TileIndex &index) {
  if (const Buffer *buffer = bufferOf(value))
    return readBuffer(value.getLoc(), *buffer, index);
  auto isVariable = [](const Coordinate &coordinate) { return bool(coordinate.base); };
  if (auto table = tables.find(value); table != tables.end() && index.laneDim < 0 && llvm::any_of(index.at, isVariable))
    return readBuffer(value.getLoc(), table->second, index);
  Operation *op = value.getDefiningOp();
  assert(op && "a block argument lies in a buffer");
  Location loc = op->getLoc();
  return llvm::TypeSwitch<Operation *, Lanes>(op)
      .Case([&](tt::SplatOp splat) { return Lanes::uniform(scalar(splat.getSrc())); })
      .Case([&](ub::PoisonOp) {
        return Lanes::uniform(lanes.zero(loc, laneType(getElementTypeOrSelf(value.getType()))));
      })
      .Case([&](tt::MakeRangeOp range) {
        Type type = range.getType().getElementType();
        Value first = coordinateValue(loc, index.at[0], type);
        if (range.getStart() != 0)
          first = arith::AddIOp::create(b, loc, first, lanes.constantInt(loc, type, range.getStart()));
        return Lanes::affine(first, index.laneDim == 0 ? 1 : 0);
      })
      .Case<tt::BroadcastOp, tt::ExpandDimsOp, tt::TransOp>(
          [&](auto) { return evaluate(op->getOperand(0), operandIndex(op, index)); })
      .Case([&](tt::LoadOp load) { return evaluateLoad(load, index); })
      .Case([&](tt::SplitOp split) {
        TileIndex source = index;
        source.at.push_back({Value(), value == split.getOutLHS() ? 0 : 1});
        return evaluate(split.getSrc(), source);
      })
      .Case([&](tt::JoinOp join) {
        Coordinate side = index.at.back();
        TileIndex source = index;
        source.at.pop_back();
        bool alongSides = index.laneDim == int64_t(source.at.size());
        if (alongSides)
          source.laneDim = -1, source.lanes = 1;
        if (!side.base && !alongSides)
          return evaluate(side.offset == 0 ? join.getLhs() : join.getRhs(), source);
        Lanes left = evaluate(join.getLhs(), source), right = evaluate(join.getRhs(), source);
        if (alongSides)
          return Lanes::vector(vector::FromElementsOp::create(b, loc, VectorType::get(2, left.value.getType()),
                                                              ValueRange{left.value, right.value}));
        Value isLeft = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                             coordinateValue(loc, side, b.getI64Type()), lanes.constantI64(loc, 0));
        return lanes.select(loc, Lanes::uniform(isLeft), left, right, index.lanes, pointeeOf(value));
      })
      .Case<arith::RemSIOp, arith::RemUIOp, arith::DivSIOp, arith::DivUIOp>(
          [&](auto) { return evaluateDivision(op, index); })
      .Default([&](Operation *) {
        SmallVector<Lanes, 3> operands;
        for (Value operand : op->getOperands())
          operands.push_back(evaluate(operand, index));
        return lanes.apply(op, operands, index.lanes);
      });
}

Lanes KernelLowering::evaluateLoad(tt::LoadOp op, const TileIndex &index) {
  Lanes pointer = evaluate(op.getPtr(), index);
  Lanes mask =
      op.getMask() ? evaluate(op.getMask(), index) : Lanes::uniform(lanes.constantInt(op.getLoc(), b.getI1Type(), 1));
  auto other = [&] { return evaluate(op.getOther(), index); };
  llvm::function_ref<Lanes()> otherwise = nullptr;
  if (op.getOther())
    otherwise = other;
  return lanes.load(op.getLoc(), pointer, mask, otherwise, getElementTypeOrSelf(op.getType()), index.lanes,
                    op.getIsVolatile());
}

/// Within a vector that starts at a multiple of its length, the remainder by a multiple of that length increases by one
/// from lane to lane, and the quotient is constant.
Lanes KernelLowering::evaluateDivision(Operation *op, const TileIndex &index) {
  Lanes dividend = evaluate(op->getOperand(0), index), divisor = evaluate(op->getOperand(1), index);
  bool aligned = dividend.isAffine() && dividend.step == 1 && divisor.isUniform() &&
                 analysis.divisor(op->getOperand(0), index.laneDim) >= index.lanes &&
                 analysis.divisor(op->getOperand(1)) >= index.lanes && analysis.isNonNegative(op->getOperand(0));
  if (!aligned)
    return lanes.apply(op, {dividend, divisor}, index.lanes);
  Value first = lanes.apply(op, {Lanes::uniform(dividend.value), divisor}, 1).value;
  return Lanes::affine(first, isa<arith::RemSIOp, arith::RemUIOp>(op) ? 1 : 0);
}

Lanes KernelLowering::bufferPointer(Location loc, const Buffer &buffer, const TileIndex &index) {
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

Lanes KernelLowering::readBuffer(Location loc, const Buffer &buffer, const TileIndex &index) {
  Lanes all = Lanes::uniform(lanes.constantInt(loc, b.getI1Type(), 1));
  return lanes.load(loc, bufferPointer(loc, buffer, index), all, nullptr, buffer.elementType, index.lanes);
}

void KernelLowering::writeBuffer(Location loc, const Buffer &buffer, const TileIndex &index, const Lanes &value) {
  Lanes all = Lanes::uniform(lanes.constantInt(loc, b.getI1Type(), 1));
  lanes.store(loc, bufferPointer(loc, buffer, index), all, value, buffer.elementType, index.lanes);
}

void KernelLowering::emitStore(tt::StoreOp op, const TileIndex &index) {
  Lanes mask =
      op.getMask() ? evaluate(op.getMask(), index) : Lanes::uniform(lanes.constantInt(op.getLoc(), b.getI1Type(), 1));
  lanes.store(op.getLoc(), evaluate(op.getPtr(), index), mask, evaluate(op.getValue(), index),
              getElementTypeOrSelf(op.getValue().getType()), index.lanes);
}

} // namespace triton::cpu
