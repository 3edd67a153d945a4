// Makes lanes and takes them apart.
#include "backends/cpu/codegen/Lanes.h"

#include "ir/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace triton::cpu {

bool isKnown(const Lanes &lanes, bool value) {
  return lanes.isUniform() && (value ? matchPattern(lanes.value, m_One()) : matchPattern(lanes.value, m_Zero()));
}

Type laneType(Type elementType) {
  if (isa<tt::PointerType>(elementType))
    return LLVM::LLVMPointerType::get(elementType.getContext());
  return storageType(elementType);
}

Type memoryType(Type elementType) {
  Type type = laneType(elementType);
  return type.isInteger(1) ? IntegerType::get(elementType.getContext(), 8) : type;
}

int64_t memoryBytes(Type elementType) {
  Type type = memoryType(elementType);
  return isa<LLVM::LLVMPointerType>(type) ? 8 : type.getIntOrFloatBitWidth() / 8;
}

Type pointeeOf(Type elementType) {
  auto pointer = dyn_cast<tt::PointerType>(elementType);
  return pointer ? pointer.getPointeeType() : Type();
}

Value LaneEmitter::constantInt(Location loc, Type type, int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
}

Value LaneEmitter::zeroExtend(Location loc, Value value, unsigned bits) {
  if (getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth() >= bits)
    return value;
  Type type = b.getIntegerType(bits);
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    type = vector.clone(type);
  return arith::ExtUIOp::create(b, loc, type, value);
}

Value LaneEmitter::zero(Location loc, Type type) {
  Type element = getElementTypeOrSelf(type);
  if (isa<LLVM::LLVMPointerType>(element))
    return LLVM::ZeroOp::create(b, loc, type);
  return arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(type)));
}

Value LaneEmitter::splat(Location loc, Value scalar, unsigned lanes) {
  auto type = VectorType::get(lanes, scalar.getType());
  Attribute constant;
  // Other constants, such as the poison that replaces what could not be lowered, have no dense form.
  if (matchPattern(scalar, m_Constant(&constant)) && isa<IntegerAttr, FloatAttr>(constant))
    return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, constant));
  return vector::BroadcastOp::create(b, loc, type, scalar);
}

Value LaneEmitter::iota(Location loc, Type type, unsigned lanes, int64_t step) {
  unsigned width = type.getIntOrFloatBitWidth();
  SmallVector<APInt> values;
  for (unsigned lane = 0; lane < lanes; ++lane)
    values.push_back(APInt(64, lane * uint64_t(step)).trunc(width));
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(VectorType::get(lanes, type), values));
}

Value LaneEmitter::coordinate(Location loc, Value wide, Type type) {
  if (type.isInteger(64))
    return wide;
  Value narrow = arith::TruncIOp::create(b, loc, type, wide);
  wideCoordinates[narrow] = wide;
  return narrow;
}

std::optional<LaneEmitter::SplitIndex> LaneEmitter::splitCoordinate(Value value) const {
  if (Value wide = wideCoordinates.lookup(value))
    return SplitIndex{Value(), wide};
  auto sum = value.getDefiningOp<arith::AddIOp>();
  if (!sum)
    return std::nullopt;
  if (Value wide = wideCoordinates.lookup(sum.getRhs()))
    return SplitIndex{sum.getLhs(), wide};
  if (Value wide = wideCoordinates.lookup(sum.getLhs()))
    return SplitIndex{sum.getRhs(), wide};
  return std::nullopt;
}

Value LaneEmitter::offsetPointer(Location loc, Value base, Value offset, Type pointee) {
  if (matchPattern(offset, m_Zero()) && !isa<VectorType>(offset.getType()))
    return base;
  if (std::optional<SplitIndex> split = splitCoordinate(offset)) {
    if (split->invariant)
      base = LLVM::GEPOp::create(b, loc, base.getType(), memoryType(pointee), base, ValueRange{split->invariant});
    offset = split->coordinate;
  }
  Type resultType = base.getType();
  if (auto vectorType = dyn_cast<VectorType>(offset.getType()); vectorType && !isa<VectorType>(resultType))
    resultType = VectorType::get(vectorType.getShape(), resultType);
  return LLVM::GEPOp::create(b, loc, resultType, memoryType(pointee), base, ValueRange{offset});
}

Value LaneEmitter::offsetPointer(Location loc, Value base, int64_t offset, Type pointee) {
  return offset == 0 ? base : offsetPointer(loc, base, constantI64(loc, offset), pointee);
}

Value LaneEmitter::toVector(Location loc, const Lanes &lanes, unsigned count, Type pointee) {
  switch (lanes.form) {
  case Lanes::Form::Vector:
    return lanes.value;
  case Lanes::Form::Uniform:
    return splat(loc, lanes.value, count);
  case Lanes::Form::Prefix:
    return maskVector(loc, lanes, count);
  case Lanes::Form::Indexed:
    return offsetPointer(loc, lanes.value, lanes.offsets, pointee);
  case Lanes::Form::Affine:
    if (isa<LLVM::LLVMPointerType>(lanes.value.getType()))
      return offsetPointer(loc, lanes.value, iota(loc, b.getI32Type(), count, lanes.step), pointee);
    return arith::AddIOp::create(b, loc, splat(loc, lanes.value, count),
                                 iota(loc, lanes.value.getType(), count, lanes.step));
  }
  llvm_unreachable("unknown form of lanes");
}

Value LaneEmitter::firstLane(Location loc, const Lanes &lanes, Type pointee) {
  switch (lanes.form) {
  case Lanes::Form::Uniform:
  case Lanes::Form::Affine:
    return lanes.value;
  case Lanes::Form::Prefix:
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, lanes.value, constantI64(loc, 0));
  case Lanes::Form::Indexed:
    return offsetPointer(loc, lanes.value, vector::ExtractOp::create(b, loc, lanes.offsets, 0), pointee);
  case Lanes::Form::Vector:
    return vector::ExtractOp::create(b, loc, lanes.value, 0);
  }
  llvm_unreachable("unknown form of lanes");
}

Value LaneEmitter::anyLane(Location loc, const Lanes &mask) {
  if (mask.isVector())
    return vector::ReductionOp::create(b, loc, vector::CombiningKind::OR, mask.value);
  return firstLane(loc, mask);
}

Value LaneEmitter::maskVector(Location loc, const Lanes &mask, unsigned count) {
  if (!mask.isPrefix())
    return toVector(loc, mask, count);
  // Clamped, so that narrow integers can be compared.
  Value clamped = mask.value;
  if (!mask.startsSet)
    clamped = arith::MaxSIOp::create(b, loc, clamped, constantI64(loc, 0));
  clamped = arith::MinSIOp::create(b, loc, clamped, constantI64(loc, count));
  clamped = arith::TruncIOp::create(b, loc, b.getI32Type(), clamped);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, iota(loc, b.getI32Type(), count),
                               splat(loc, clamped, count));
}

Value LaneEmitter::widen(Location loc, Value value, Type elementType) {
  return emitConversion(b, loc, value, formatOf(elementType), FloatFormat::F32, Rounding::NearestEven, *options.target);
}

Value LaneEmitter::narrow(Location loc, Value value, Type elementType) {
  return emitConversion(b, loc, value, FloatFormat::F32, formatOf(elementType), Rounding::NearestEven, *options.target);
}

Lanes LaneEmitter::select(Location loc, const Lanes &mask, const Lanes &a, const Lanes &b_, unsigned count,
                          Type pointee) {
  if (isKnown(mask, true))
    return a;
  if (isKnown(mask, false))
    return b_;
  if (mask.isUniform() && a.isUniform() && b_.isUniform())
    return Lanes::uniform(arith::SelectOp::create(b, loc, mask.value, a.value, b_.value));
  if (mask.isUniform() && a.isAffine() && b_.isAffine() && a.step == b_.step)
    return Lanes::affine(arith::SelectOp::create(b, loc, mask.value, a.value, b_.value), a.step);
  Value whenSet = toVector(loc, a, count, pointee), whenClear = toVector(loc, b_, count, pointee);
  Value condition = mask.isUniform() ? mask.value : maskVector(loc, mask, count);
  return Lanes::vector(arith::SelectOp::create(b, loc, condition, whenSet, whenClear));
}

Lanes LaneEmitter::maskAnd(Location loc, const Lanes &x, const Lanes &y, unsigned count) {
  if (isKnown(x, true) || isKnown(y, false))
    return y;
  if (isKnown(y, true) || isKnown(x, false))
    return x;
  if (x.isUniform() && y.isUniform())
    return Lanes::uniform(arith::AndIOp::create(b, loc, x.value, y.value));
  if (x.isPrefix() && y.isPrefix())
    return Lanes::prefix(arith::MinSIOp::create(b, loc, x.value, y.value));
  if (x.isUniform() && y.isPrefix())
    return Lanes::prefix(arith::SelectOp::create(b, loc, x.value, y.value, constantI64(loc, 0)));
  if (x.isPrefix() && y.isUniform())
    return maskAnd(loc, y, x, count);
  return Lanes::vector(arith::AndIOp::create(b, loc, maskVector(loc, x, count), maskVector(loc, y, count)));
}

} // namespace triton::cpu
