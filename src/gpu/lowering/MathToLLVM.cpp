// Functions of one element: NVVM approximations where the language promises no more, else libdevice.
//
// Largest errors of the f32 approximations, in units in the last place: ex2 2.1, rsqrt 1.6, sqrt 1.0. fp16 and bf16 are
// computed in f32.
#include "gpu/lowering/Elementwise.h"
#include "gpu/lowering/FloatConversions.h"
#include "gpu/lowering/Lowerings.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

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

/// A function of libdevice: `__nv_<name>` for f64, with an `f` after it for f32.
template <typename Op, typename Name> static LogicalResult lowerToLibrary(Op op, Emitter &emitter) {
  return lowerWidened(op, emitter, [&](ValueRange operands, FloatType type) {
    std::string name = "__nv_" + Name::value.str() + (type.isF64() ? "" : "f");
    return emitter.call(name, type, operands);
  });
}

/// An approximation of the hardware for f32, a function of libdevice for f64. `flushes`: with 0 for subnormal numbers.
static Value emitApproximation(Emitter &emitter, llvm::StringRef instruction, llvm::StringRef library,
                               ValueRange operands, FloatType type, bool flushes = false) {
  if (type.isF64())
    return emitter.call(("__nv_" + library).str(), type, operands);
  std::string name = ("nvvm." + instruction + (flushes || emitter.options().flushDenormals ? ".ftz" : "")).str();
  if (instruction != "ex2.approx") // which is overloaded; the others name their type
    name += ".f";
  return emitter.intrinsic(name, type, operands);
}

static Value scale(Emitter &emitter, Value value, double factor) {
  return LLVM::FMulOp::create(emitter.b, value, emitter.floating(value.getType(), factor));
}

/// The function for those who count instructions: a subnormal result would cost three more, so it is 0, as in Triton.
static LogicalResult lowerExp2(math::Exp2Op op, Emitter &emitter) {
  return lowerWidened(op, emitter, [&](ValueRange operands, FloatType type) {
    return emitApproximation(emitter, "ex2.approx", "exp2", operands, type, /*flushes=*/true);
  });
}

static LogicalResult lowerExp(math::ExpOp op, Emitter &emitter) {
  return lowerWidened(op, emitter, [&](ValueRange operands, FloatType type) {
    if (type.isF64())
      return emitter.call("__nv_exp", type, operands);
    return emitApproximation(emitter, "ex2.approx", "exp2", scale(emitter, operands[0], 1.4426950408889634), type);
  });
}

static LogicalResult lowerSqrt(math::SqrtOp op, Emitter &emitter) {
  return lowerWidened(op, emitter, [&](ValueRange operands, FloatType type) {
    return type.isF64() ? emitter.intrinsic("nvvm.sqrt.rn.d", type, operands)
                        : emitApproximation(emitter, "sqrt.approx", "", operands, type);
  });
}

static LogicalResult lowerPreciseSqrt(tt::PreciseSqrtOp op, Emitter &emitter) {
  return lowerWidened(op, emitter, [&](ValueRange operands, FloatType type) {
    return emitter.intrinsic(type.isF64() ? "nvvm.sqrt.rn.d" : "nvvm.sqrt.rn.f", type, operands);
  });
}

static LogicalResult lowerRsqrt(math::RsqrtOp op, Emitter &emitter) {
  return lowerWidened(op, emitter, [&](ValueRange operands, FloatType type) {
    return emitApproximation(emitter, "rsqrt.approx", "rsqrt", operands, type);
  });
}

/// Sine and cosine of libdevice keep their accuracy for every argument.
#define TRITON_NAME(Type, text)                                                                                        \
  struct Type {                                                                                                        \
    static constexpr llvm::StringLiteral value{text};                                                                  \
  }
TRITON_NAME(LogName, "log");
TRITON_NAME(Log2Name, "log2");
TRITON_NAME(SinName, "sin");
TRITON_NAME(CosName, "cos");
TRITON_NAME(TanName, "tan");
TRITON_NAME(AsinName, "asin");
TRITON_NAME(AcosName, "acos");
TRITON_NAME(AtanName, "atan");
TRITON_NAME(Atan2Name, "atan2");
TRITON_NAME(SinhName, "sinh");
TRITON_NAME(CoshName, "cosh");
TRITON_NAME(TanhName, "tanh");
TRITON_NAME(AsinhName, "asinh");
TRITON_NAME(AcoshName, "acosh");
TRITON_NAME(AtanhName, "atanh");
TRITON_NAME(ErfName, "erf");
TRITON_NAME(ErfcName, "erfc");
TRITON_NAME(ExpM1Name, "expm1");
TRITON_NAME(Log1PName, "log1p");
TRITON_NAME(Log10Name, "log10");
TRITON_NAME(CbrtName, "cbrt");
TRITON_NAME(PowName, "pow");
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

/// A test of one number, by comparing its magnitude with infinity; with itself for NaN.
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
  return lowerElementwise(op, emitter, [&](ValueRange operands) -> Value {
    if (isa<IntegerType>(type)) // fp8: clear the sign
      return emitter.bitAnd(operands[0], 0x7f);
    return emitter.intrinsic("fabs", type, operands);
  });
}

static LogicalResult lowerAbsI(math::AbsIOp op, Emitter &emitter) {
  Type type = emitter.convertElement(op.getType());
  return lowerElementwise(op, emitter, [&](ValueRange operands) {
    return emitter.intrinsic("abs", type, {operands[0], emitter.i1(false)});
  });
}

template <typename Op, typename Name> static void addLibrary(LoweringTable &table) {
  table.add<Op, lowerToLibrary<Op, Name>>();
}

void addMathLowerings(LoweringTable &table) {
  table.add<math::ExpOp, lowerExp>();
  table.add<math::Exp2Op, lowerExp2>();
  table.add<math::SqrtOp, lowerSqrt>();
  table.add<math::RsqrtOp, lowerRsqrt>();
  table.add<tt::PreciseSqrtOp, lowerPreciseSqrt>();
  table.add<math::FmaOp, lowerFma>();
  table.add<math::CopySignOp, lowerCopySign>();
  table.add<math::IsNaNOp, lowerClassification<math::IsNaNOp, LLVM::FCmpPredicate::uno, true>>();
  table.add<math::IsInfOp, lowerClassification<math::IsInfOp, LLVM::FCmpPredicate::oeq>>();
  table.add<math::IsFiniteOp, lowerClassification<math::IsFiniteOp, LLVM::FCmpPredicate::olt>>();
  table.add<math::AbsFOp, lowerAbsF>();
  table.add<math::AbsIOp, lowerAbsI>();
  table.add<math::FloorOp, lowerRounding<math::FloorOp, FloorName>>();
  table.add<math::CeilOp, lowerRounding<math::CeilOp, CeilName>>();
  table.add<math::TruncOp, lowerRounding<math::TruncOp, TruncName>>();
  table.add<math::RoundEvenOp, lowerRounding<math::RoundEvenOp, RoundEvenName>>();
  addLibrary<math::LogOp, LogName>(table); // lg2.approx loses all precision near 1
  addLibrary<math::Log2Op, Log2Name>(table);
  addLibrary<math::SinOp, SinName>(table);
  addLibrary<math::CosOp, CosName>(table);
  addLibrary<math::TanOp, TanName>(table);
  addLibrary<math::AsinOp, AsinName>(table);
  addLibrary<math::AcosOp, AcosName>(table);
  addLibrary<math::AtanOp, AtanName>(table);
  addLibrary<math::Atan2Op, Atan2Name>(table);
  addLibrary<math::SinhOp, SinhName>(table);
  addLibrary<math::CoshOp, CoshName>(table);
  addLibrary<math::TanhOp, TanhName>(table);
  addLibrary<math::AsinhOp, AsinhName>(table);
  addLibrary<math::AcoshOp, AcoshName>(table);
  addLibrary<math::AtanhOp, AtanhName>(table);
  addLibrary<math::ErfOp, ErfName>(table);
  addLibrary<math::ErfcOp, ErfcName>(table);
  addLibrary<math::ExpM1Op, ExpM1Name>(table);
  addLibrary<math::Log1pOp, Log1PName>(table);
  addLibrary<math::Log10Op, Log10Name>(table);
  addLibrary<math::CbrtOp, CbrtName>(table);
  addLibrary<math::PowFOp, PowName>(table);
}

} // namespace triton::gpu
