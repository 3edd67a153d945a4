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

/// The operand of a function that takes certain floats only.
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
  Tensor left = tensorArgument(lowering, arguments, "x"), right = tensorArgument(lowering, arguments, "y");
  const ElementType &type = left.type.element;
  if (type != right.type.element || type.isPointer() || !isFloat(type.scalar))
    lowering.error(diagnostics::FdivTypes, left.type.str(), right.type.str());
  std::tie(left, right) = broadcast(lowering, left, right);
  if (booleanArgument(lowering, arguments, "ieee_rounding") && type.scalar == ScalarType::Float32)
    return Tensor{lowering.create<tt::PreciseDivFOp>(left.value, right.value), left.type};
  return Tensor{lowering.create<arith::DivFOp>(left.value, right.value), left.type};
}

Value divideRoundNearest(Lowering &lowering, CallArguments &arguments) {
  floatOperand(lowering, arguments, "x", true);
  floatOperand(lowering, arguments, "y", true);
  auto [left, right] =
      promoteOperands(lowering, arguments["x"], arguments["y"], OperatorClass::Comparison, "tl.div_rn");
  return Tensor{lowering.create<tt::PreciseDivFOp>(left.value, right.value), left.type};
}

Value fusedMultiplyAdd(Lowering &lowering, CallArguments &arguments) {
  auto [x, y] = promoteOperands(lowering, arguments["x"], arguments["y"], OperatorClass::Comparison, "tl.fma");
  Tensor z;
  std::tie(x, z) = promoteOperands(lowering, x, arguments["z"], OperatorClass::Comparison, "tl.fma");
  std::tie(y, z) = promoteOperands(lowering, y, z, OperatorClass::Comparison, "tl.fma");
  std::tie(x, y) = broadcast(lowering, x, y);
  if (isFloat(x.type.element.scalar))
    return Tensor{lowering.create<math::FmaOp>(x.value, y.value, z.value), x.type};
  Value product = binaryOperator(lowering, ast::BinaryOperator::Mult, x, y);
  return binaryOperator(lowering, ast::BinaryOperator::Add, product, z);
}

Value multiplyHigh(Lowering &lowering, CallArguments &arguments) {
  auto [left, right] =
      promoteOperands(lowering, arguments["x"], arguments["y"], OperatorClass::Comparison, "tl.umulhi");
  ScalarType type = left.type.element.scalar;
  if (!isInteger(type) || bitWidth(type) < 32)
    lowering.error(diagnostics::MathType, std::string("tl.umulhi"), std::string("32-bit or 64-bit integers"),
                   left.type.str());
  return Tensor{lowering.create<tt::MulhiUIOp>(left.value, right.value), left.type};
}

/// bfloat16 is compared in float32, which is also what the result has.
static Tensor widenBFloat16(Lowering &lowering, const Tensor &tensor) {
  return tensor.type.element == ElementType{ScalarType::BFloat16}
             ? cast(lowering, tensor, ElementType{ScalarType::Float32})
             : tensor;
}

template <typename NumberOp, typename NanOp, typename SignedOp, typename UnsignedOp>
static Value extremum(Lowering &lowering, CallArguments &arguments) {
  bool propagates = propagatesNan(lowering, arguments);
  auto [left, right] = promoteOperands(lowering, arguments["x"], arguments["y"], OperatorClass::Comparison,
                                       arguments.builtin.displayName());
  left = widenBFloat16(lowering, left);
  right = widenBFloat16(lowering, right);
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
  auto [low, high] =
      promoteOperands(lowering, arguments["min"], arguments["max"], OperatorClass::Comparison, "tl.clamp");
  Tensor x;
  std::tie(x, low) = promoteOperands(lowering, arguments["x"], low, OperatorClass::Comparison, "tl.clamp");
  std::tie(x, high) = promoteOperands(lowering, x, high, OperatorClass::Comparison, "tl.clamp");
  std::tie(x, low) = promoteOperands(lowering, x, low, OperatorClass::Comparison, "tl.clamp");
  if (!isFloat(x.type.element.scalar))
    lowering.error(diagnostics::MathType, std::string("tl.clamp"), std::string("floats"), x.type.str());
  x = widenBFloat16(lowering, x);
  low = widenBFloat16(lowering, low);
  high = widenBFloat16(lowering, high);
  auto mode = propagates ? tt::PropagateNan::All : tt::PropagateNan::None;
  return Tensor{lowering.create<tt::ClampFOp>(x.value, low.value, high.value, mode), x.type};
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

/// The last operands of `where` in a common type and shape; pointers must agree.
static std::pair<Tensor, Tensor> alternatives(Lowering &lowering, CallArguments &arguments) {
  const Tensor *x = arguments["x"].tensor(), *y = arguments["y"].tensor();
  if (x && y && x->type.element.isPointer() && x->type.element == y->type.element)
    return broadcast(lowering, *x, *y);
  return promoteOperands(lowering, arguments["x"], arguments["y"], OperatorClass::Arithmetic, "tl.where");
}

Value where(Lowering &lowering, CallArguments &arguments) {
  Tensor condition = tensorArgument(lowering, arguments, "condition");
  if (condition.type.element != ElementType{ScalarType::Int1}) {
    lowering.warn(arguments.range("condition"), diagnostics::WhereCondition, condition.type.str());
    condition = cast(lowering, condition, ElementType{ScalarType::Int1});
  }
  auto [x, y] = alternatives(lowering, arguments);
  if (condition.type.isScalar() && x.type.isScalar())
    return Tensor{lowering.create<arith::SelectOp>(condition.value, x.value, y.value), x.type};
  llvm::SmallVector<int64_t, 4> shape = commonShape(lowering, condition.type, x.type);
  condition = broadcastWithRank(lowering, condition, shape);
  x = broadcastWithRank(lowering, x, shape);
  y = broadcastWithRank(lowering, y, shape);
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
