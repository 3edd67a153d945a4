#include "frontend/lowering/builtins/Functions.h"

#include "llvm/ADT/STLExtras.h"

namespace triton::frontend::builtin {

namespace arith = mlir::arith;
namespace math = mlir::math;

ObjectRef propagateNanObject(llvm::StringRef name) {
  if (name == "NONE")
    return makeInteger(0);
  return name == "ALL" ? makeInteger(0xFFFF) : nullptr;
}

static bool propagatesNan(Lowering &lowering, CallArguments &arguments) {
  return integerArgument(lowering, arguments, "propagate_nan") != 0;
}

namespace {

/// How each of the unary functions is emitted.
struct UnaryFunction {
  llvm::StringLiteral name;
  mlir::Value (*emit)(Lowering &lowering, mlir::Value operand);
};

template <typename Op> mlir::Value emitUnary(Lowering &lowering, mlir::Value operand) {
  return lowering.create<Op>(operand);
}

constexpr UnaryFunction unaryFunctions[] = {
    {"exp", emitUnary<math::ExpOp>},   {"exp2", emitUnary<math::Exp2Op>},         {"log", emitUnary<math::LogOp>},
    {"log2", emitUnary<math::Log2Op>}, {"sin", emitUnary<math::SinOp>},           {"cos", emitUnary<math::CosOp>},
    {"sqrt", emitUnary<math::SqrtOp>}, {"sqrt_rn", emitUnary<tt::PreciseSqrtOp>}, {"rsqrt", emitUnary<math::RsqrtOp>},
    {"erf", emitUnary<math::ErfOp>},   {"floor", emitUnary<math::FloorOp>},       {"ceil", emitUnary<math::CeilOp>},
};

} // namespace

/// The operand of a function that accepts only certain floats.
static Tensor floatOperand(Lowering &lowering, CallArguments &arguments, llvm::StringRef name, bool onlyFloat32) {
  Tensor operand = tensorArgument(lowering, arguments, name);
  bool isFloat32 = operand.type.element == ElementType{ScalarType::Float32};
  bool isFloat64 = operand.type.element == ElementType{ScalarType::Float64};
  if (!isFloat32 && (onlyFloat32 || !isFloat64))
    lowering.error(arguments.range(name), diagnostics::MathType, arguments.builtin.displayName(),
                   std::string(onlyFloat32 ? "fp32" : "fp32 or fp64"), operand.type.str());
  return operand;
}

Value unaryMath(Lowering &lowering, CallArguments &arguments) {
  llvm::StringRef name = arguments.builtin.name;
  Tensor operand = floatOperand(lowering, arguments, "x", name == "sqrt_rn");
  auto *function = llvm::find_if(unaryFunctions, [&](const UnaryFunction &entry) { return entry.name == name; });
  return Tensor{function->emit(lowering, operand.value), operand.type};
}

Value absolute(Lowering &lowering, CallArguments &arguments) {
  Tensor operand = tensorArgument(lowering, arguments, "x");
  ScalarType type = operand.type.element.scalar;
  if (operand.type.element.isPointer())
    lowering.error(arguments.range("x"), diagnostics::PointerOperand, std::string("tl.abs"), operand.type.str());
  if (isFloat(type))
    return Tensor{lowering.create<math::AbsFOp>(operand.value), operand.type};
  if (kind(type) == ScalarKind::Signed)
    return Tensor{lowering.create<math::AbsIOp>(operand.value), operand.type};
  return operand;
}

Value fastDivide(Lowering &lowering, CallArguments &arguments) {
  for (llvm::StringRef name : {"x", "y"})
    if (const Tensor *operand = arguments[name].tensor())
      if (operand->type.element.isPointer())
        lowering.error(arguments.range(name), diagnostics::FdivTypes, operand->type.str());
  auto [left, right] = promoteOperands(lowering, arguments["x"], arguments["y"], OperatorClass::Division, "tl.fdiv");
  ScalarType type = left.type.element.scalar;
  if (!isFloat(type))
    lowering.error(diagnostics::FdivTypes, left.type.str());
  bool isIeee = booleanArgument(lowering, arguments, "ieee_rounding");
  bool isApproximate = booleanArgument(lowering, arguments, "approx");
  if (isApproximate && isIeee)
    lowering.error(arguments.range("approx"), diagnostics::FdivRounding);
  if (isApproximate && type != ScalarType::Float32)
    lowering.error(arguments.range("approx"), diagnostics::FdivApproximation, left.type.str());
  if (isIeee && type == ScalarType::Float32)
    return Tensor{lowering.create<tt::PreciseDivFOp>(left.value, right.value), left.type};
  // A division that may multiply by a reciprocal instead.
  auto flags = isApproximate ? arith::FastMathFlags::arcp : arith::FastMathFlags::none;
  return Tensor{lowering.create<arith::DivFOp>(left.value, right.value, flags), left.type};
}

Value divideRoundNearest(Lowering &lowering, CallArguments &arguments) {
  // A number of the compiler's takes the type of the other operand.
  for (llvm::StringRef name : {"x", "y"})
    if (arguments[name].tensor())
      floatOperand(lowering, arguments, name, true);
  auto [left, right] =
      promoteOperands(lowering, arguments["x"], arguments["y"], OperatorClass::Arithmetic, "tl.div_rn");
  if (left.type.element != ElementType{ScalarType::Float32})
    lowering.error(diagnostics::MathType, arguments.builtin.displayName(), std::string("fp32"), left.type.str());
  return Tensor{lowering.create<tt::PreciseDivFOp>(left.value, right.value), left.type};
}

Value fusedMultiplyAdd(Lowering &lowering, CallArguments &arguments) {
  llvm::SmallVector<Tensor, 3> operands =
      promoteOperands(lowering, {arguments["x"], arguments["y"], arguments["z"]}, OperatorClass::Arithmetic, "tl.fma");
  const TensorType &type = operands[0].type;
  if (isFloat(type.element.scalar))
    return Tensor{lowering.create<math::FmaOp>(operands[0].value, operands[1].value, operands[2].value), type};
  Value product = binaryOperator(lowering, ast::BinaryOperator::Mult, operands[0], operands[1]);
  return binaryOperator(lowering, ast::BinaryOperator::Add, product, operands[2]);
}

Value multiplyHigh(Lowering &lowering, CallArguments &arguments) {
  auto [left, right] =
      promoteOperands(lowering, arguments["x"], arguments["y"], OperatorClass::Arithmetic, "tl.umulhi");
  ScalarType type = left.type.element.scalar;
  if (!isInteger(type) || bitWidth(type) < 32)
    lowering.error(diagnostics::MathType, std::string("tl.umulhi"), std::string("32-bit or 64-bit integers"),
                   left.type.str());
  return Tensor{lowering.create<tt::MulhiUIOp>(left.value, right.value), left.type};
}

template <typename NumberOp, typename NanOp, typename SignedOp, typename UnsignedOp>
static Value extremum(Lowering &lowering, CallArguments &arguments) {
  bool propagates = propagatesNan(lowering, arguments);
  auto [left, right] = promoteOperands(lowering, arguments["x"], arguments["y"], OperatorClass::Arithmetic,
                                       arguments.builtin.displayName());
  ScalarType type = left.type.element.scalar;
  mlir::Value result;
  if (isFloat(type) && propagates)
    result = lowering.create<NanOp>(left.value, right.value);
  else if (isFloat(type))
    result = lowering.create<NumberOp>(left.value, right.value);
  else if (kind(type) == ScalarKind::Signed)
    result = lowering.create<SignedOp>(left.value, right.value);
  else
    result = lowering.create<UnsignedOp>(left.value, right.value);
  return Tensor{result, left.type};
}

Value minimum(Lowering &lowering, CallArguments &arguments) {
  return extremum<arith::MinNumFOp, arith::MinimumFOp, arith::MinSIOp, arith::MinUIOp>(lowering, arguments);
}

Value maximum(Lowering &lowering, CallArguments &arguments) {
  return extremum<arith::MaxNumFOp, arith::MaximumFOp, arith::MaxSIOp, arith::MaxUIOp>(lowering, arguments);
}

Value clamp(Lowering &lowering, CallArguments &arguments) {
  bool propagates = propagatesNan(lowering, arguments);
  llvm::SmallVector<Tensor, 3> operands = promoteOperands(
      lowering, {arguments["x"], arguments["min"], arguments["max"]}, OperatorClass::Arithmetic, "tl.clamp");
  const TensorType &type = operands[0].type;
  if (!isFloat(type.element.scalar))
    lowering.error(diagnostics::MathType, std::string("tl.clamp"), std::string("floats"), type.str());
  auto mode = propagates ? tt::PropagateNan::All : tt::PropagateNan::None;
  return Tensor{lowering.create<tt::ClampFOp>(operands[0].value, operands[1].value, operands[2].value, mode), type};
}

static Value functionForm(Lowering &lowering, CallArguments &arguments, ast::BinaryOperator op) {
  return binaryOperator(lowering, op, arguments["x"], arguments["y"],
                        booleanArgument(lowering, arguments, "sanitize_overflow"));
}

Value addBuiltin(Lowering &lowering, CallArguments &arguments) {
  return functionForm(lowering, arguments, ast::BinaryOperator::Add);
}
Value subBuiltin(Lowering &lowering, CallArguments &arguments) {
  return functionForm(lowering, arguments, ast::BinaryOperator::Sub);
}
Value mulBuiltin(Lowering &lowering, CallArguments &arguments) {
  return functionForm(lowering, arguments, ast::BinaryOperator::Mult);
}

Value where(Lowering &lowering, CallArguments &arguments) {
  Tensor condition = tensorArgument(lowering, arguments, "condition");
  if (condition.type.element != ElementType{ScalarType::Int1}) {
    lowering.warn(arguments.range("condition"), diagnostics::WhereCondition, condition.type.str());
    condition = cast(lowering, condition, ElementType{ScalarType::Int1});
  }
  auto [x, y] = promoteAlternatives(lowering, arguments["x"], arguments["y"], "tl.where");
  if (condition.type.isScalar() && x.type.isScalar())
    return Tensor{lowering.create<arith::SelectOp>(condition.value, x.value, y.value), x.type};
  TensorType block = commonType(lowering, condition.type, x.type);
  condition = broadcastWithRank(lowering, condition, block);
  x = broadcastWithRank(lowering, x, block);
  y = broadcastWithRank(lowering, y, block);
  return Tensor{lowering.create<arith::SelectOp>(condition.value, x.value, y.value), x.type};
}

Value expectZero(Lowering &lowering, CallArguments &arguments) {
  Tensor x = tensorArgument(lowering, arguments, "x");
  if (!lowering.options.debug)
    return x;
  Value isZero = comparison(lowering, ast::CompareOperator::Eq, x, Value::integer(0));
  Value isOutside = unaryOperator(lowering, ast::UnaryOperator::Invert, arguments["mask"]);
  Value holds = binaryOperator(lowering, ast::BinaryOperator::BitOr, isZero, isOutside);
  lowering.create<tt::AssertOp>(holds.tensor()->value,
                                lowering.builder.getStringAttr("expected zero where the mask holds"));
  return x;
}

Value logicalAnd(Lowering &lowering, CallArguments &arguments) {
  return logicalOperator(lowering, ast::BoolOperator::And, arguments["input"], arguments["other"], false);
}

Value logicalOr(Lowering &lowering, CallArguments &arguments) {
  return logicalOperator(lowering, ast::BoolOperator::Or, arguments["input"], arguments["other"], false);
}

} // namespace triton::frontend::builtin
