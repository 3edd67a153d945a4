// Elementwise operations on lanes. The result has a structural form if the operation preserves it; otherwise it is a
// scalar or a vector.
#include "backends/cpu/codegen/Lanes.h"

#include "backends/cpu/codegen/TileAnalysis.h"
#include "backends/cpu/emitters/ExternFunctions.h"
#include "ir/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace triton::cpu {

static Type elementTypeOf(Value value) { return getElementTypeOrSelf(value.getType()); }

static Type shaped(Type elementType, bool scalar, unsigned count) {
  return scalar ? elementType : Type(VectorType::get(count, elementType));
}

/// The constant that every element of `lanes` equals.
static std::optional<int64_t> constantOf(const Lanes &lanes) {
  APInt value;
  if (lanes.isUniform() && matchPattern(lanes.value, m_ConstantInt(&value)))
    return value.getSExtValue();
  return std::nullopt;
}

Value LaneEmitter::cloneScalarOp(Operation *op, ArrayRef<Value> operands, Type resultType) {
  Operation *clone = op->cloneWithoutRegions();
  clone->setOperands(operands);
  clone->getResult(0).setType(resultType);
  b.insert(clone);
  auto contract = [&](auto arithmetic) {
    arithmetic.setFastmath(arithmetic.getFastmath() | arith::FastMathFlags::contract);
  };
  if (options.fuse)
    llvm::TypeSwitch<Operation *>(clone).Case<arith::AddFOp, arith::SubFOp, arith::MulFOp>(contract);
  return clone->getResult(0);
}

std::optional<Lanes> LaneEmitter::comparePrefix(Operation *op, const Lanes &lhs, const Lanes &rhs) {
  auto compare = cast<arith::CmpIOp>(op);
  Location loc = op->getLoc();
  auto predicate = compare.getPredicate();
  const Lanes *index = &lhs, *bound = &rhs;
  if (rhs.isAffine()) {
    std::swap(index, bound);
    // `bound > index` is `index < bound`.
    switch (predicate) {
    case arith::CmpIPredicate::sgt:
      predicate = arith::CmpIPredicate::slt;
      break;
    case arith::CmpIPredicate::sge:
      predicate = arith::CmpIPredicate::sle;
      break;
    case arith::CmpIPredicate::ugt:
      predicate = arith::CmpIPredicate::ult;
      break;
    case arith::CmpIPredicate::uge:
      predicate = arith::CmpIPredicate::ule;
      break;
    default:
      return std::nullopt;
    }
  }
  if (!index->isAffine() || index->step != 1 || !bound->isUniform())
    return std::nullopt;
  bool isSigned = predicate == arith::CmpIPredicate::slt || predicate == arith::CmpIPredicate::sle;
  bool isInclusive = predicate == arith::CmpIPredicate::sle || predicate == arith::CmpIPredicate::ule;
  bool isWide = bound->value.getType().isInteger(64);
  if (!analysis.comparesAsPrefix(compare, index == &lhs ? 0 : 1))
    return std::nullopt;
  auto wide = [&](Value value) -> Value {
    if (isWide)
      return value;
    if (isSigned)
      return arith::ExtSIOp::create(b, loc, b.getI64Type(), value);
    return arith::ExtUIOp::create(b, loc, b.getI64Type(), value);
  };
  std::optional<SplitIndex> split = isSigned ? splitCoordinate(index->value) : std::nullopt;
  Value start = split ? split->invariant : index->value, length = wide(bound->value);
  if (isWide) { // Two numbers may be further apart than a length can say. A coordinate still fits beside what is left.
    length = start ? LLVM::SSubSat::create(b, loc, length, start).getResult() : length;
    length = arith::MinSIOp::create(b, loc, length, constantI64(loc, std::numeric_limits<int64_t>::max() / 2));
    length = arith::MaxSIOp::create(b, loc, length, constantI64(loc, std::numeric_limits<int64_t>::min() / 2));
  } else if (start) {
    length = arith::SubIOp::create(b, loc, length, wide(start));
  }
  if (split)
    length = arith::SubIOp::create(b, loc, length, split->coordinate);
  if (isInclusive)
    length = arith::AddIOp::create(b, loc, length, constantI64(loc, 1));
  return Lanes::prefix(length);
}

std::optional<Lanes> LaneEmitter::applyStructurally(Operation *op, ArrayRef<Lanes> in, unsigned count) {
  auto scalar = [&](int64_t step) {
    SmallVector<Value> values;
    for (const Lanes &lanes : in)
      values.push_back(lanes.value);
    return Lanes::affine(cloneScalarOp(op, values, laneType(elementTypeOf(op->getResult(0)))), step);
  };
  auto linear = [&](unsigned i) { return in[i].isUniform() || in[i].isAffine(); };
  auto stepOf = [&](unsigned i) { return in[i].isAffine() ? in[i].step : 0; };
  // Smaller integers may wrap within a vector.
  auto isWide = [&] { return elementTypeOf(op->getOperand(0)).getIntOrFloatBitWidth() >= 32; };
  return llvm::TypeSwitch<Operation *, std::optional<Lanes>>(op)
      .Case([&](arith::AddIOp) -> std::optional<Lanes> {
        if (!linear(0) || !linear(1))
          return std::nullopt;
        return scalar(stepOf(0) + stepOf(1));
      })
      .Case([&](arith::SubIOp) -> std::optional<Lanes> {
        if (!linear(0) || !linear(1))
          return std::nullopt;
        return scalar(stepOf(0) - stepOf(1));
      })
      .Case([&](arith::MulIOp) -> std::optional<Lanes> {
        if (linear(0) && constantOf(in[1]))
          return scalar(stepOf(0) * *constantOf(in[1]));
        if (linear(1) && constantOf(in[0]))
          return scalar(stepOf(1) * *constantOf(in[0]));
        return std::nullopt;
      })
      .Case([&](arith::ShLIOp) -> std::optional<Lanes> {
        if (linear(0) && constantOf(in[1]) && *constantOf(in[1]) >= 0 && *constantOf(in[1]) < 63)
          return scalar(stepOf(0) << *constantOf(in[1]));
        return std::nullopt;
      })
      .Case<arith::ExtSIOp, arith::ExtUIOp>([&](auto) -> std::optional<Lanes> {
        if (!in[0].isAffine() || !isWide() || analysis.mayWrap(op->getOpOperand(0)))
          return std::nullopt;
        return scalar(in[0].step);
      })
      .Case([&](arith::TruncIOp) -> std::optional<Lanes> {
        if (!in[0].isAffine() || !isWide())
          return std::nullopt;
        return scalar(in[0].step);
      })
      .Case([&](arith::CmpIOp) { return comparePrefix(op, in[0], in[1]); })
      .Case([&](arith::AndIOp) -> std::optional<Lanes> {
        if (!elementTypeOf(op->getResult(0)).isInteger(1))
          return std::nullopt;
        return maskAnd(op->getLoc(), in[0], in[1], count);
      })
      .Case([&](arith::SelectOp) -> std::optional<Lanes> {
        return select(op->getLoc(), in[0], in[1], in[2], count, pointeeOf(elementTypeOf(op->getResult(0))));
      })
      .Default([](Operation *) { return std::nullopt; });
}

/// offsets + lane * step in 64 bits: as addresses, sums of offsets do not wrap in the type of one of them.
Value LaneEmitter::addSteps(Location loc, Value offsets, int64_t step, unsigned count) {
  if (elementTypeOf(offsets).getIntOrFloatBitWidth() < 64)
    offsets = arith::ExtSIOp::create(b, loc, VectorType::get(count, b.getI64Type()), offsets);
  return arith::AddIOp::create(b, loc, offsets, iota(loc, b.getI64Type(), count, step));
}

Lanes LaneEmitter::applyAddPtr(Operation *op, const Lanes &pointer, const Lanes &offset, unsigned count) {
  Location loc = op->getLoc();
  Type pointee = pointeeOf(elementTypeOf(op->getResult(0)));
  if (!pointer.isVector() && (offset.isUniform() || offset.isAffine())) {
    Value moved = offsetPointer(loc, pointer.value, offset.value, pointee);
    int64_t step = offset.isAffine() ? offset.step : 0;
    if (pointer.form != Lanes::Form::Indexed)
      return Lanes::affine(moved, step + (pointer.isAffine() ? pointer.step : 0));
    if (step == 0)
      return Lanes::indexed(moved, pointer.offsets);
    return Lanes::indexed(moved, addSteps(loc, pointer.offsets, step, count));
  }
  Value offsets = toVector(loc, offset, count);
  if (pointer.isUniform())
    return Lanes::indexed(pointer.value, offsets);
  if (pointer.isAffine())
    return Lanes::indexed(pointer.value, addSteps(loc, offsets, pointer.step, count));
  return Lanes::vector(offsetPointer(loc, toVector(loc, pointer, count, pointee), offsets, pointee));
}

/// Operations of the dialect tt that have a counterpart in other dialects or require care with types.
Lanes LaneEmitter::applyDialect(Operation *op, ArrayRef<Lanes> in, unsigned count) {
  Location loc = op->getLoc();
  bool scalar = llvm::all_of(in, [](const Lanes &lanes) { return lanes.isUniform(); });
  auto operand = [&](unsigned i) {
    return scalar ? in[i].value : toVector(loc, in[i], count, pointeeOf(elementTypeOf(op->getOperand(i))));
  };
  auto result = [&](Value value) { return scalar ? Lanes::uniform(value) : Lanes::vector(value); };
  Type from = elementTypeOf(op->getOperand(0)), to = elementTypeOf(op->getResult(0));
  if (isa<tt::BitcastOp>(op) && pointeeOf(from) && memoryBytes(pointeeOf(from)) == memoryBytes(pointeeOf(to)))
    return in[0];
  Type resultType = shaped(laneType(to), scalar, count);
  auto convert = [&](Rounding rounding) {
    return result(emitConversion(b, loc, operand(0), formatOf(from), formatOf(to), rounding, *options.target));
  };
  return llvm::TypeSwitch<Operation *, Lanes>(op)
      .Case<arith::ExtFOp, arith::TruncFOp>([&](auto) { return convert(Rounding::NearestEven); })
      .Case([&](tt::FpToFpOp cast) {
        bool towardZero = cast.getRounding() == tt::RoundingMode::TowardZero;
        return convert(towardZero ? Rounding::TowardZero : Rounding::NearestEven);
      })
      .Case<arith::BitcastOp, tt::BitcastOp>([&](auto) {
        Value value = operand(0);
        if (value.getType() == resultType)
          return result(value);
        return result(arith::BitcastOp::create(b, loc, resultType, value));
      })
      .Case([&](tt::IntToPtrOp) { return result(LLVM::IntToPtrOp::create(b, loc, resultType, operand(0))); })
      .Case([&](tt::PtrToIntOp) { return result(LLVM::PtrToIntOp::create(b, loc, resultType, operand(0))); })
      .Case([&](tt::ExternElementwiseOp call) {
        SmallVector<Value> operands;
        for (unsigned i = 0; i < in.size(); ++i)
          operands.push_back(operand(i));
        return result(emitExternFunction(b, loc, call.getSymbol(), operands, laneType(to), *options.target));
      })
      .Case([&](tt::MulhiUIOp) {
        Value x = operand(0), y = operand(1);
        unsigned width = to.getIntOrFloatBitWidth();
        if (width > 32)
          return result(arith::MulUIExtendedOp::create(b, loc, x, y).getHigh());
        Type wideType = shaped(b.getIntegerType(2 * width), scalar, count);
        Value product = arith::MulIOp::create(b, loc, arith::ExtUIOp::create(b, loc, wideType, x),
                                              arith::ExtUIOp::create(b, loc, wideType, y));
        Value shift = constantInt(loc, b.getIntegerType(2 * width), width);
        product = arith::ShRUIOp::create(b, loc, product, scalar ? shift : splat(loc, shift, count));
        return result(arith::TruncIOp::create(b, loc, resultType, product));
      })
      .Default([](Operation *) -> Lanes { llvm_unreachable("canApply says no to it"); });
}

/// Whether `applyGeneric` takes the operation.
static bool isGeneric(Operation *op) {
  return (isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
          !isa<arith::ExtFOp, arith::TruncFOp, arith::BitcastOp>(op)) ||
         isa<tt::ClampFOp, tt::PreciseSqrtOp, tt::PreciseDivFOp>(op);
}

/// Clones operations of arith and math with scalar or vector types. Floats of less than 32 bits are computed in f32.
Lanes LaneEmitter::applyGeneric(Operation *op, ArrayRef<Lanes> in, unsigned count) {
  Location loc = op->getLoc();
  bool scalar = llvm::all_of(in, [](const Lanes &lanes) { return lanes.isUniform(); });
  SmallVector<Value> operands;
  for (auto [lanes, original] : llvm::zip(in, op->getOperands())) {
    Type type = elementTypeOf(original);
    Value value = scalar ? lanes.value : toVector(loc, lanes, count, pointeeOf(type));
    operands.push_back(isNarrowFloat(type) ? widen(loc, value, type) : value);
  }
  Type type = elementTypeOf(op->getResult(0));
  Type computed = isNarrowFloat(type) ? b.getF32Type() : laneType(type);
  auto emit = [&]() -> Value {
    Type resultType = shaped(computed, scalar, count);
    return llvm::TypeSwitch<Operation *, Value>(op)
        .Case([&](tt::PreciseSqrtOp) { return math::SqrtOp::create(b, loc, operands[0]); })
        .Case([&](tt::PreciseDivFOp) { return arith::DivFOp::create(b, loc, operands[0], operands[1]); })
        .Case([&](tt::ClampFOp clamp) -> Value {
          if (clamp.getPropagateNan() == tt::PropagateNan::All) {
            Value atLeast = arith::MaximumFOp::create(b, loc, operands[0], operands[1]);
            return arith::MinimumFOp::create(b, loc, atLeast, operands[2]);
          }
          Value atLeast = arith::MaxNumFOp::create(b, loc, operands[0], operands[1]);
          return arith::MinNumFOp::create(b, loc, atLeast, operands[2]);
        })
        .Default([&](Operation *) { return cloneScalarOp(op, operands, resultType); });
  };
  Value result = emit();
  if (isNarrowFloat(type))
    result = narrow(loc, result, type);
  return scalar ? Lanes::uniform(result) : Lanes::vector(result);
}

Lanes LaneEmitter::apply(Operation *op, ArrayRef<Lanes> operands, unsigned count) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    TypedAttr value = constant.getValue();
    if (auto dense = dyn_cast<DenseElementsAttr>(value))
      value = cast<TypedAttr>(dense.getSplatValue<Attribute>());
    if (auto number = dyn_cast<FloatAttr>(value); number && number.getType() != laneType(number.getType()))
      value = b.getIntegerAttr(laneType(number.getType()), number.getValue().bitcastToAPInt());
    return Lanes::uniform(arith::ConstantOp::create(b, op->getLoc(), value));
  }
  if (isa<tt::AddPtrOp>(op))
    return applyAddPtr(op, operands[0], operands[1], count);
  if (std::optional<Lanes> lanes = applyStructurally(op, operands, count))
    return *lanes;
  return isGeneric(op) ? applyGeneric(op, operands, count) : applyDialect(op, operands, count);
}

bool LaneEmitter::canApply(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0)
    return false;
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return !isa<ShapedType>(constant.getType()) || isa<SplatElementsAttr>(constant.getValue());
  if (auto call = dyn_cast<tt::ExternElementwiseOp>(op)) {
    SmallVector<Type> operands = llvm::map_to_vector(op->getOperands(), elementTypeOf);
    return isExternFunction(call.getSymbol(), operands, elementTypeOf(call.getResult()));
  }
  return isGeneric(op) || isa<arith::ExtFOp, arith::TruncFOp, arith::BitcastOp, tt::FpToFpOp, tt::BitcastOp,
                              tt::IntToPtrOp, tt::PtrToIntOp, tt::MulhiUIOp, tt::AddPtrOp>(op);
}

bool LaneEmitter::canApplyRegion(Region &region) {
  return region.hasOneBlock() &&
         llvm::all_of(region.front().without_terminator(), [](Operation &op) { return canApply(&op); });
}

SmallVector<Lanes> LaneEmitter::applyRegion(Region &region, ArrayRef<Lanes> arguments, unsigned count,
                                            llvm::function_ref<Value(Value)> outer) {
  DenseMap<Value, Lanes> lanesOf;
  for (auto [argument, lanes] : llvm::zip(region.getArguments(), arguments))
    lanesOf[argument] = lanes;
  auto lookup = [&](OperandRange operands) {
    return llvm::map_to_vector(operands, [&](Value operand) {
      auto known = lanesOf.find(operand);
      return known != lanesOf.end() ? known->second : Lanes::uniform(outer(operand));
    });
  };
  for (Operation &op : region.front().without_terminator())
    lanesOf[op.getResult(0)] = apply(&op, lookup(op.getOperands()), count);
  return lookup(region.front().getTerminator()->getOperands());
}

} // namespace triton::cpu
