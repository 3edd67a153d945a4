// Functions of one element. fp16 and bf16 are computed in f32.
#include "gpu/lowering/Elementwise.h"
#include "gpu/lowering/FloatConversions.h"
#include "gpu/lowering/Lowerings.h"
#include "gpu/lowering/TargetEmitter.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace triton::gpu {

/// Computes in f32, or f64 for f64 operands. `compute` gets the operands and their type.
template <typename Function> static LogicalResult lowerWidened(Operation *op, Emitter &emitter, Function compute) {
  auto type = cast<FloatType>(getElementTypeOrSelf(op->getResult(0).getType()));
  FloatType wideType = type.isF64() ? type : Float32Type::get(emitter.context());
  return lowerElementwise(op, emitter, [&](ValueRange operands) -> Value {
    Registers wide;
    for (Value operand : operands)
      wide.push_back(operand.getType() == emitter.convertElement(type) ? convertFloat(emitter, operand, type, wideType)
                                                                       : operand);
    return convertFloat(emitter, compute(wide, wideType), wideType, type);
  });
}

/// Functions that each target computes in its own way.
template <typename Op, MathFunction function> static LogicalResult lowerFunction(Op op, Emitter &emitter) {
  return lowerWidened(op, emitter, [&](ValueRange operands, FloatType type) {
    return emitter.target().emitMath(emitter, function, operands, type);
  });
}

#define TRITON_NAME(Type, text)                                                                                        \
  struct Type {                                                                                                        \
    static constexpr llvm::StringLiteral value{text};                                                                  \
  }
TRITON_NAME(FloorName, "floor");
TRITON_NAME(CeilName, "ceil");
TRITON_NAME(TruncName, "trunc");
TRITON_NAME(RoundEvenName, "rint");
#undef TRITON_NAME

/// Rounding to an integer, exact in every format: an intrinsic `llvm.<name>` in f32 or f64.
template <typename Op, typename Name> static LogicalResult lowerRounding(Op op, Emitter &emitter) {
  return lowerWidened(
      op, emitter, [&](ValueRange operands, FloatType type) { return emitter.intrinsic(Name::value, type, operands); });
}

static LogicalResult lowerFma(math::FmaOp op, Emitter &emitter) {
  Type type = emitter.convertElement(op.getType());
  return lowerElementwise(op, emitter, [&](ValueRange operands) { return emitter.intrinsic("fma", type, operands); });
}

static LogicalResult lowerCopySign(math::CopySignOp op, Emitter &emitter) {
  Type type = emitter.convertElement(op.getType());
  return lowerElementwise(op, emitter,
                          [&](ValueRange operands) { return emitter.intrinsic("copysign", type, operands); });
}

/// A test of one number, which compares its magnitude with infinity, or with itself for NaN.
template <typename Op, LLVM::FCmpPredicate predicate, bool withItself = false>
static LogicalResult lowerClassification(Op op, Emitter &emitter) {
  auto type = cast<FloatType>(getElementTypeOrSelf(op.getOperand().getType()));
  FloatType through = type.getWidth() < 16 ? Float16Type::get(emitter.context()) : type;
  return lowerElementwise(op, emitter, [&](ValueRange operands) -> Value {
    Value value = convertFloat(emitter, operands[0], type, through);
    if (withItself)
      return LLVM::FCmpOp::create(emitter.b, predicate, value, value);
    Value magnitude = emitter.intrinsic("fabs", through, value);
    Value infinity = emitter.floating(through, std::numeric_limits<double>::infinity());
    return LLVM::FCmpOp::create(emitter.b, predicate, magnitude, infinity);
  });
}

static LogicalResult lowerAbsF(math::AbsFOp op, Emitter &emitter) {
  Type type = emitter.convertElement(op.getType());
  return lowerElementwise(op, emitter, [&](ValueRange operands) { return emitter.intrinsic("fabs", type, operands); });
}

static LogicalResult lowerAbsI(math::AbsIOp op, Emitter &emitter) {
  Type type = emitter.convertElement(op.getType());
  return lowerElementwise(op, emitter, [&](ValueRange operands) {
    return emitter.intrinsic("abs", type, {operands[0], emitter.i1(false)});
  });
}

static LogicalResult lowerPopulationCount(math::CtPopOp op, Emitter &emitter) {
  Type type = emitter.convertElement(op.getType());
  return lowerElementwise(op, emitter, [&](ValueRange operands) { return emitter.intrinsic("ctpop", type, operands); });
}

/// The result for zero is the number of bits.
static LogicalResult lowerLeadingZeros(math::CountLeadingZerosOp op, Emitter &emitter) {
  Type type = emitter.convertElement(op.getType());
  return lowerElementwise(op, emitter, [&](ValueRange operands) {
    return emitter.intrinsic("ctlz", type, {operands[0], emitter.i1(false)});
  });
}

template <typename Op, MathFunction function> static void addFunction(LoweringTable &table) {
  table.add<Op, lowerFunction<Op, function>>();
}

void addMathLowerings(LoweringTable &table) {
  addFunction<math::ExpOp, MathFunction::Exp>(table);
  addFunction<math::Exp2Op, MathFunction::Exp2>(table);
  addFunction<math::LogOp, MathFunction::Log>(table);
  addFunction<math::Log2Op, MathFunction::Log2>(table);
  addFunction<math::Log10Op, MathFunction::Log10>(table);
  addFunction<math::Log1pOp, MathFunction::Log1P>(table);
  addFunction<math::ExpM1Op, MathFunction::ExpM1>(table);
  addFunction<math::SqrtOp, MathFunction::Sqrt>(table);
  addFunction<tt::PreciseSqrtOp, MathFunction::PreciseSqrt>(table);
  addFunction<math::RsqrtOp, MathFunction::Rsqrt>(table);
  addFunction<math::CbrtOp, MathFunction::Cbrt>(table);
  addFunction<math::SinOp, MathFunction::Sin>(table);
  addFunction<math::CosOp, MathFunction::Cos>(table);
  addFunction<math::TanOp, MathFunction::Tan>(table);
  addFunction<math::AsinOp, MathFunction::Asin>(table);
  addFunction<math::AcosOp, MathFunction::Acos>(table);
  addFunction<math::AtanOp, MathFunction::Atan>(table);
  addFunction<math::Atan2Op, MathFunction::Atan2>(table);
  addFunction<math::SinhOp, MathFunction::Sinh>(table);
  addFunction<math::CoshOp, MathFunction::Cosh>(table);
  addFunction<math::TanhOp, MathFunction::Tanh>(table);
  addFunction<math::AsinhOp, MathFunction::Asinh>(table);
  addFunction<math::AcoshOp, MathFunction::Acosh>(table);
  addFunction<math::AtanhOp, MathFunction::Atanh>(table);
  addFunction<math::ErfOp, MathFunction::Erf>(table);
  addFunction<math::ErfcOp, MathFunction::Erfc>(table);
  addFunction<math::PowFOp, MathFunction::Pow>(table);
  addFunction<math::FPowIOp, MathFunction::PowI>(table);
  addFunction<math::RoundOp, MathFunction::Round>(table);
  table.add<math::FmaOp, lowerFma>();
  table.add<math::CopySignOp, lowerCopySign>();
  table.add<math::IsNaNOp, lowerClassification<math::IsNaNOp, LLVM::FCmpPredicate::uno, true>>();
  table.add<math::IsInfOp, lowerClassification<math::IsInfOp, LLVM::FCmpPredicate::oeq>>();
  table.add<math::IsFiniteOp, lowerClassification<math::IsFiniteOp, LLVM::FCmpPredicate::olt>>();
  table.add<math::AbsFOp, lowerAbsF>();
  table.add<math::AbsIOp, lowerAbsI>();
  table.add<math::CtPopOp, lowerPopulationCount>();
  table.add<math::CountLeadingZerosOp, lowerLeadingZeros>();
  table.add<math::FloorOp, lowerRounding<math::FloorOp, FloorName>>();
  table.add<math::CeilOp, lowerRounding<math::CeilOp, CeilName>>();
  table.add<math::TruncOp, lowerRounding<math::TruncOp, TruncName>>();
  table.add<math::RoundEvenOp, lowerRounding<math::RoundEvenOp, RoundEvenName>>();
}

} // namespace triton::gpu
