#include "backends/cpu/Passes.h"
#include "backends/cpu/emitters/Conversions.h"
#include "backends/cpu/emitters/ExternFunctions.h"
#include "backends/cpu/emitters/InlineErrorFunction.h"
#include "backends/cpu/emitters/InlineExponential.h"
#include "backends/cpu/emitters/LaneBuilder.h"
#include "backends/cpu/emitters/MathCalls.h"

namespace triton::cpu {

#define GEN_PASS_DEF_CONVERTMATH
#include "backends/cpu/Passes.h.inc"

namespace {

namespace math = mlir::math;

/// The C name of the function that a math operation computes; empty when LLVM has instructions for it.
llvm::StringRef functionName(mlir::Operation *op) {
  return llvm::TypeSwitch<mlir::Operation *, llvm::StringRef>(op)
      .Case<math::AcosOp>([](auto) { return "acos"; })
      .Case<math::AcoshOp>([](auto) { return "acosh"; })
      .Case<math::AsinOp>([](auto) { return "asin"; })
      .Case<math::AsinhOp>([](auto) { return "asinh"; })
      .Case<math::AtanOp>([](auto) { return "atan"; })
      .Case<math::Atan2Op>([](auto) { return "atan2"; })
      .Case<math::AtanhOp>([](auto) { return "atanh"; })
      .Case<math::CbrtOp>([](auto) { return "cbrt"; })
      .Case<math::CosOp>([](auto) { return "cos"; })
      .Case<math::CoshOp>([](auto) { return "cosh"; })
      .Case<math::ErfOp>([](auto) { return "erf"; })
      .Case<math::ErfcOp>([](auto) { return "erfc"; })
      .Case<math::ExpOp>([](auto) { return "exp"; })
      .Case<math::Exp2Op>([](auto) { return "exp2"; })
      .Case<math::ExpM1Op>([](auto) { return "expm1"; })
      .Case<math::LogOp>([](auto) { return "log"; })
      .Case<math::Log10Op>([](auto) { return "log10"; })
      .Case<math::Log1pOp>([](auto) { return "log1p"; })
      .Case<math::Log2Op>([](auto) { return "log2"; })
      .Case<math::PowFOp>([](auto) { return "pow"; })
      .Case<math::SinOp>([](auto) { return "sin"; })
      .Case<math::SinhOp>([](auto) { return "sinh"; })
      .Case<math::TanOp>([](auto) { return "tan"; })
      .Case<math::TanhOp>([](auto) { return "tanh"; })
      .Case<mlir::arith::RemFOp>([](auto) { return "fmod"; })
      .Default([](auto) { return ""; });
}

mlir::Value widen(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, const TargetDescription &target) {
  mlir::Type element = mlir::getElementTypeOrSelf(value.getType());
  mlir::Value stored = LaneBuilder(builder, loc, value).bitcast(value, storageType(element));
  return emitConversion(builder, loc, stored, formatOf(element), FloatFormat::F32, Rounding::NearestEven, target);
}

mlir::Value narrow(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, mlir::Type element,
                   const TargetDescription &target) {
  mlir::Value stored =
      emitConversion(builder, loc, value, FloatFormat::F32, formatOf(element), Rounding::NearestEven, target);
  return LaneBuilder(builder, loc, value).bitcast(stored, element);
}

mlir::Value emitFunction(mlir::OpBuilder &builder, mlir::Operation *op, mlir::ValueRange operands, llvm::StringRef name,
                         const TargetDescription &target) {
  mlir::Location loc = op->getLoc();
  if (llvm::isa<math::ExpOp>(op))
    return emitExponential(builder, loc, operands.front(), ExponentialBase::E, target);
  if (llvm::isa<math::Exp2Op>(op))
    return emitExponential(builder, loc, operands.front(), ExponentialBase::Two, target);
  if (llvm::isa<math::ErfOp>(op))
    if (mlir::Value result = emitErrorFunction(builder, loc, operands.front(), target))
      return result;
  return emitMathCall(builder, loc, *findMathFunction(name), operands, target);
}

/// Replaces `op`, computing narrow floats in f32.
void convertFunction(mlir::Operation *op, llvm::StringRef name, const TargetDescription &target) {
  mlir::OpBuilder builder(op);
  mlir::Type element = mlir::getElementTypeOrSelf(op->getResult(0).getType());
  llvm::SmallVector<mlir::Value, 2> operands(op->getOperands());
  if (isNarrowFloat(element))
    for (mlir::Value &operand : operands)
      operand = widen(builder, op->getLoc(), operand, target);
  mlir::Value result = emitFunction(builder, op, operands, name, target);
  if (isNarrowFloat(element))
    result = narrow(builder, op->getLoc(), result, element, target);
  op->replaceAllUsesWith(mlir::ValueRange{result});
  op->erase();
}

/// LLVM's own operation multiplies, so that its error grows with the exponent, and it does not take vectors of
/// exponents.
void convertPowerOfInteger(math::FPowIOp op, const TargetDescription &target) {
  mlir::OpBuilder builder(op);
  mlir::Location loc = op.getLoc();
  mlir::Type element = mlir::getElementTypeOrSelf(op.getType());
  bool isNarrow = isNarrowFloat(element);
  mlir::Value base = op.getLhs();
  if (isNarrow)
    base = widen(builder, loc, base, target);
  LaneBuilder lanes(builder, loc, base);
  mlir::Value exponent = op.getRhs();
  if (mlir::getElementTypeOrSelf(exponent.getType()).getIntOrFloatBitWidth() < 32)
    exponent = mlir::arith::ExtSIOp::create(builder, loc, lanes.integerType(32), exponent);
  exponent = lanes.resize(exponent, 32);
  mlir::Type computed = isNarrow ? builder.getF32Type() : element;
  llvm::StringRef symbol = computed.isF64() ? "__nv_powi" : "__nv_powif";
  mlir::Value result = emitExternFunction(builder, loc, symbol, {base, exponent}, computed, target);
  if (isNarrow)
    result = narrow(builder, loc, result, element, target);
  op.replaceAllUsesWith(result);
  op.erase();
}

/// The only test of a number's class that the conversion to LLVM does not know.
void convertIsInfinite(math::IsInfOp op) {
  mlir::OpBuilder builder(op);
  mlir::Value magnitude = math::AbsFOp::create(builder, op.getLoc(), op.getOperand());
  auto element = llvm::cast<mlir::FloatType>(mlir::getElementTypeOrSelf(magnitude.getType()));
  mlir::TypedAttr infinity = builder.getFloatAttr(element, llvm::APFloat::getInf(element.getFloatSemantics()));
  if (auto type = llvm::dyn_cast<mlir::ShapedType>(magnitude.getType()))
    infinity = mlir::DenseElementsAttr::get(type, infinity);
  mlir::Value limit = mlir::arith::ConstantOp::create(builder, op.getLoc(), infinity);
  op.replaceAllUsesWith(
      mlir::arith::CmpFOp::create(builder, op.getLoc(), mlir::arith::CmpFPredicate::OEQ, magnitude, limit).getResult());
  op.erase();
}

struct ConvertMathPass : impl::ConvertMathBase<ConvertMathPass> {
  using Base::Base;

  void runOnOperation() override {
    llvm::Expected<const TargetDescription &> target = describeTarget(arch);
    if (!target) {
      getOperation().emitError(llvm::toString(target.takeError()));
      return signalPassFailure();
    }
    llvm::SmallVector<std::pair<mlir::Operation *, llvm::StringRef>> calls;
    getOperation().walk([&](mlir::Operation *op) {
      if (llvm::StringRef name = functionName(op); !name.empty())
        calls.emplace_back(op, name);
    });
    for (auto [op, name] : calls)
      convertFunction(op, name, *target);
    getOperation().walk(convertIsInfinite);
    getOperation().walk([&](math::FPowIOp op) { convertPowerOfInteger(op, *target); });
  }
};

} // namespace
} // namespace triton::cpu
