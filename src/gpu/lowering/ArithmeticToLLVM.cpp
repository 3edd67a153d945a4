// The operations of arith, and the arithmetic of dialect tt.
#include "gpu/lowering/Elementwise.h"
#include "gpu/lowering/FloatConversions.h"
#include "gpu/lowering/Lowerings.h"
#include "gpu/lowering/TargetEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace triton::gpu {

template <typename Source, typename Target> static void addDirect(LoweringTable &table) {
  table.add<Source, &lowerToOperation<Source, Target>>();
}

/// A shift. LLVM says that shifts by the width or more are poison, and drops stores of it; the hardware gives a number.
template <typename Source, typename Target> static LogicalResult lowerShift(Source op, Emitter &emitter) {
  return lowerElementwise(op, emitter, [&](ValueRange operands) -> Value {
    Value result = Target::create(emitter.b, operands[0], operands[1]);
    APInt count;
    bool isDefined = matchPattern(operands[1], m_ConstantInt(&count)) && count.ult(count.getBitWidth());
    if (emitter.options().definesAll && !isDefined)
      result = LLVM::FreezeOp::create(emitter.b, result);
    return result;
  });
}

/// A division. LLVM says that divisions by zero are undefined, and takes their results for poison where it sees that
/// the divisor is zero. The hardware gives all ones, or the dividend as the remainder.
template <typename Source, typename Target> static LogicalResult lowerDivision(Source op, Emitter &emitter) {
  return lowerElementwise(op, emitter, [&](ValueRange operands) -> Value {
    APInt divisor;
    bool isConstant = matchPattern(operands[1], m_ConstantInt(&divisor));
    if (emitter.options().definesAll && isConstant && divisor.isZero())
      return isa<arith::RemSIOp, arith::RemUIOp>(op) ? operands[0] : emitter.integer(operands[0].getType(), -1);
    Value result = Target::create(emitter.b, operands[0], operands[1]);
    if (emitter.options().definesAll && !isConstant)
      result = LLVM::FreezeOp::create(emitter.b, result);
    return result;
  });
}

static LogicalResult lowerConstant(arith::ConstantOp op, Emitter &emitter) {
  Attribute value = op.getValue();
  if (auto elements = dyn_cast<DenseElementsAttr>(value)) {
    if (!elements.isSplat())
      return op.emitError() << "not supported on " << emitter.machine().family
                            << ": a tensor constant with different elements; compute it, for instance from `tl.arange`";
    value = elements.getSplatValue<Attribute>();
  }
  Type type = emitter.convertElement(op.getType());
  if (auto number = dyn_cast<FloatAttr>(value); number && type.isInteger())
    value = IntegerAttr::get(type, number.getValue().bitcastToAPInt());
  else if (auto integer = dyn_cast<IntegerAttr>(value))
    value = IntegerAttr::get(type, integer.getValue().sextOrTrunc(type.getIntOrFloatBitWidth()));
  Value element = LLVM::ConstantOp::create(emitter.b, type, cast<TypedAttr>(value));
  emitter.define(op.getResult(), Registers(emitter.convertType(op.getType()).size(), element));
  return success();
}

static LogicalResult lowerPoison(ub::PoisonOp op, Emitter &emitter) {
  Value element = emitter.undefined(emitter.convertElement(op.getType()));
  emitter.define(op.getResult(), Registers(emitter.convertType(op.getType()).size(), element));
  return success();
}

static LogicalResult lowerCompareInteger(arith::CmpIOp op, Emitter &emitter) {
  auto predicate = static_cast<LLVM::ICmpPredicate>(op.getPredicate()); // both use the same numbers
  return lowerElementwise(op, emitter, [&](ValueRange operands) -> Value {
    return LLVM::ICmpOp::create(emitter.b, predicate, operands[0], operands[1]);
  });
}

static LogicalResult lowerCompareFloat(arith::CmpFOp op, Emitter &emitter) {
  auto predicate = static_cast<LLVM::FCmpPredicate>(op.getPredicate()); // both use the same numbers
  auto type = cast<FloatType>(getElementTypeOrSelf(op.getLhs().getType()));
  return lowerElementwise(op, emitter, [&](ValueRange operands) -> Value {
    Value left = operands[0], right = operands[1];
    if (type.getWidth() == 8) { // compared as fp16, which represents every fp8 number
      auto half = Float16Type::get(emitter.context());
      left = convertFloat(emitter, left, type, half);
      right = convertFloat(emitter, right, type, half);
    }
    return LLVM::FCmpOp::create(emitter.b, predicate, left, right);
  });
}

/// Whether an f32 is 0, infinite, or so far from both that its reciprocal is a normal number. This holds for converted
/// integers and square roots.
static bool hasNormalReciprocal(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp, ttg::ConvertLayoutOp>(op))
      return isa<arith::SIToFPOp, arith::UIToFPOp, math::SqrtOp>(op) && getElementTypeOrSelf(value.getType()).isF32();
    value = op->getOperand(0);
  }
  return false;
}

/// Whether elements of a thread have the same divisor, as where rows are divided by their sums.
static bool sharesDivisors(arith::DivFOp op, Emitter &emitter) {
  llvm::ArrayRef<Value> divisors = emitter.registers(op.getRhs());
  llvm::SmallDenseSet<Value> different(divisors.begin(), divisors.end());
  return different.size() < emitter.registers(op.getLhs()).size();
}

/// Divisions of f32 may have an error of two units in the last place. Narrower types are divided as f32.
static LogicalResult lowerDivide(arith::DivFOp op, Emitter &emitter) {
  auto type = cast<FloatType>(getElementTypeOrSelf(op.getType()));
  auto single = Float32Type::get(emitter.context());
  bool isModerate = hasNormalReciprocal(op.getRhs());
  bool isApproximate = bitEnumContainsAny(op.getFastmath(), arith::FastMathFlags::arcp);
  bool isShared = !isModerate && sharesDivisors(op, emitter);
  llvm::DenseMap<Value, Registers> factorsOf; // by divisor
  return lowerElementwise(op, emitter, [&](ValueRange operands) -> Value {
    if (type.isF64())
      return LLVM::FDivOp::create(emitter.b, operands[0], operands[1]);
    if (isApproximate && type.isF32())
      return emitter.target().emitApproximateDivision(emitter, operands[0], operands[1]);
    SmallVector<Value, 2> wide;
    for (Value operand : operands)
      wide.push_back(convertFloat(emitter, operand, type, single));
    if (isShared) {
      auto [found, isNew] = factorsOf.try_emplace(operands[1]);
      if (isNew)
        found->second = emitter.target().emitDivisor(emitter, wide[1]);
      Value quotient = wide[0];
      for (Value factor : found->second)
        quotient = LLVM::FMulOp::create(emitter.b, quotient, factor);
      if (!found->second.empty())
        return convertFloat(emitter, quotient, single, type);
    }
    return convertFloat(emitter, emitter.target().emitDivision(emitter, wide[0], wide[1], isModerate), single, type);
  });
}

static LogicalResult lowerPreciseDivide(tt::PreciseDivFOp op, Emitter &emitter) {
  return lowerToOperation<tt::PreciseDivFOp, LLVM::FDivOp>(op, emitter);
}

/// Narrower types are computed as f32.
static LogicalResult lowerRemainder(arith::RemFOp op, Emitter &emitter) {
  auto type = cast<FloatType>(getElementTypeOrSelf(op.getType()));
  FloatType wideType = type.isF64() ? type : Float32Type::get(emitter.context());
  return lowerElementwise(op, emitter, [&](ValueRange operands) -> Value {
    SmallVector<Value> wide;
    for (Value operand : operands)
      wide.push_back(convertFloat(emitter, operand, type, wideType));
    Value result = emitter.target().emitMath(emitter, MathFunction::Remainder, wide, wideType);
    return convertFloat(emitter, result, wideType, type);
  });
}

/// Maximum and minimum. `Name` is the intrinsic's name without its type.
template <typename Op, typename Name> static LogicalResult lowerExtremum(Op op, Emitter &emitter) {
  Type type = emitter.convertElement(op.getType());
  return lowerElementwise(op, emitter,
                          [&](ValueRange operands) { return emitter.intrinsic(Name::value, type, operands); });
}

struct MaximumName {
  static constexpr llvm::StringLiteral value{"maximum"};
};
struct MinimumName {
  static constexpr llvm::StringLiteral value{"minimum"};
};
struct MaxNumName {
  static constexpr llvm::StringLiteral value{"maxnum"};
};
struct MinNumName {
  static constexpr llvm::StringLiteral value{"minnum"};
};

static LogicalResult lowerClamp(tt::ClampFOp op, Emitter &emitter) {
  Type type = emitter.convertElement(op.getType());
  bool propagates = op.getPropagateNan() == tt::PropagateNan::All;
  return lowerElementwise(op, emitter, [&](ValueRange operands) {
    Value atLeast = emitter.intrinsic(propagates ? "maximum" : "maxnum", type, {operands[0], operands[1]});
    return emitter.intrinsic(propagates ? "minimum" : "minnum", type, {atLeast, operands[2]});
  });
}

static LogicalResult lowerMultiplyHigh(tt::MulhiUIOp op, Emitter &emitter) {
  return lowerElementwise(op, emitter, [&](ValueRange operands) {
    return emitter.target().emitMultiplyHigh(emitter, operands[0], operands[1]);
  });
}

static LogicalResult lowerAddPointer(tt::AddPtrOp op, Emitter &emitter) {
  auto pointer = cast<tt::PointerType>(getElementTypeOrSelf(op.getType()));
  Type element = emitter.convertElement(pointer.getPointeeType());
  if (element.isInteger(1))
    element = emitter.b.getI8Type();
  return lowerElementwise(op, emitter, [&](ValueRange operands) -> Value {
    return LLVM::GEPOp::create(emitter.b, operands[0].getType(), element, operands[0], LLVM::GEPArg(operands[1]));
  });
}

static LogicalResult lowerSelect(arith::SelectOp op, Emitter &emitter) {
  return lowerElementwise(op, emitter,
                          [&](ValueRange operands) { return emitter.select(operands[0], operands[1], operands[2]); });
}

static LogicalResult lowerNegate(arith::NegFOp op, Emitter &emitter) {
  return lowerElementwise(op, emitter,
                          [&](ValueRange operands) -> Value { return LLVM::FNegOp::create(emitter.b, operands[0]); });
}

void addArithmeticLowerings(LoweringTable &table) {
  addDirect<arith::AddIOp, LLVM::AddOp>(table);
  addDirect<arith::SubIOp, LLVM::SubOp>(table);
  addDirect<arith::MulIOp, LLVM::MulOp>(table);
  table.add<arith::DivSIOp, &lowerDivision<arith::DivSIOp, LLVM::SDivOp>>();
  table.add<arith::DivUIOp, &lowerDivision<arith::DivUIOp, LLVM::UDivOp>>();
  table.add<arith::RemSIOp, &lowerDivision<arith::RemSIOp, LLVM::SRemOp>>();
  table.add<arith::RemUIOp, &lowerDivision<arith::RemUIOp, LLVM::URemOp>>();
  addDirect<arith::AndIOp, LLVM::AndOp>(table);
  addDirect<arith::OrIOp, LLVM::OrOp>(table);
  addDirect<arith::XOrIOp, LLVM::XOrOp>(table);
  table.add<arith::ShLIOp, &lowerShift<arith::ShLIOp, LLVM::ShlOp>>();
  table.add<arith::ShRSIOp, &lowerShift<arith::ShRSIOp, LLVM::AShrOp>>();
  table.add<arith::ShRUIOp, &lowerShift<arith::ShRUIOp, LLVM::LShrOp>>();
  table.add<arith::AddFOp, &lowerInPairs<arith::AddFOp, LLVM::FAddOp>>();
  table.add<arith::SubFOp, &lowerInPairs<arith::SubFOp, LLVM::FSubOp>>();
  table.add<arith::MulFOp, &lowerInPairs<arith::MulFOp, LLVM::FMulOp>>();
  addDirect<arith::MaxSIOp, LLVM::SMaxOp>(table);
  addDirect<arith::MinSIOp, LLVM::SMinOp>(table);
  addDirect<arith::MaxUIOp, LLVM::UMaxOp>(table);
  addDirect<arith::MinUIOp, LLVM::UMinOp>(table);
  table.add<arith::MaximumFOp, lowerExtremum<arith::MaximumFOp, MaximumName>>();
  table.add<arith::MinimumFOp, lowerExtremum<arith::MinimumFOp, MinimumName>>();
  table.add<arith::MaxNumFOp, lowerExtremum<arith::MaxNumFOp, MaxNumName>>();
  table.add<arith::MinNumFOp, lowerExtremum<arith::MinNumFOp, MinNumName>>();
  table.add<arith::ConstantOp, lowerConstant>();
  table.add<ub::PoisonOp, lowerPoison>();
  table.add<arith::CmpIOp, lowerCompareInteger>();
  table.add<arith::CmpFOp, lowerCompareFloat>();
  table.add<arith::SelectOp, lowerSelect>();
  table.add<arith::NegFOp, lowerNegate>();
  table.add<arith::DivFOp, lowerDivide>();
  table.add<arith::RemFOp, lowerRemainder>();
  table.add<tt::PreciseDivFOp, lowerPreciseDivide>();
  table.add<tt::ClampFOp, lowerClamp>();
  table.add<tt::MulhiUIOp, lowerMultiplyHigh>();
  table.add<tt::AddPtrOp, lowerAddPointer>();
}

} // namespace triton::gpu
