#include "frontend/lowering/builtins/Functions.h"

namespace triton::frontend::builtin {

static tt::ProgramDim axisOfGrid(Lowering &lowering, CallArguments &arguments) {
  int64_t axis = integerArgument(lowering, arguments, "axis");
  if (axis < 0 || axis > 2)
    lowering.error(arguments.range("axis"), diagnostics::GridAxis, arguments.builtin.displayName(), axis);
  return static_cast<tt::ProgramDim>(axis);
}

Value programId(Lowering &lowering, CallArguments &arguments) {
  tt::ProgramDim axis = axisOfGrid(lowering, arguments);
  return Tensor{lowering.create<tt::GetProgramIdOp>(lowering.builder.getI32Type(), axis), ScalarType::Int32};
}

Value numPrograms(Lowering &lowering, CallArguments &arguments) {
  tt::ProgramDim axis = axisOfGrid(lowering, arguments);
  return Tensor{lowering.create<tt::GetNumProgramsOp>(lowering.builder.getI32Type(), axis), ScalarType::Int32};
}

static Tensor makeRange(Lowering &lowering, int64_t start, int64_t end, mlir::Attribute layout = {}) {
  TensorType type(ElementType{ScalarType::Int32}, {end - start}, layout);
  return {lowering.create<tt::MakeRangeOp>(lowering.irType(type), uint32_t(start), uint32_t(end)), type};
}

Value arange(Lowering &lowering, CallArguments &arguments) {
  int64_t start = integerArgument(lowering, arguments, "start");
  int64_t end = integerArgument(lowering, arguments, "end");
  if (start < 0 || end > int64_t(UINT32_MAX))
    lowering.error(diagnostics::ArangeBounds, start, end);
  if (end <= start)
    lowering.error(diagnostics::ArangeEmpty, start, end);
  checkBlockShape(lowering, {end - start}, arguments.callRange);
  return makeRange(lowering, start, end, layoutArgument(lowering, arguments, {end - start}));
}

Value indexAlong(Lowering &lowering, CallArguments &arguments) {
  TensorType type = tensorArgument(lowering, arguments, "input").type;
  if (arguments["axis"].isNone())
    lowering.error(diagnostics::IndicesNeedAxis);
  int64_t axis = axisArgument(lowering, arguments, "axis", type.rank());
  TensorType indices = type; // what is left of the block without its other dimensions
  for (int64_t dimension = type.rank(); dimension-- > 0;)
    if (dimension != axis)
      indices = reducedType(lowering, indices, unsigned(dimension));
  Tensor index = makeRange(lowering, 0, type.shape[axis], indices.layout);
  for (int64_t dimension = 0; dimension < type.rank(); ++dimension)
    if (dimension != axis)
      index = expandDims(lowering, index, unsigned(dimension));
  return broadcastTo(lowering, index, type);
}

Value full(Lowering &lowering, CallArguments &arguments) {
  llvm::SmallVector<int64_t, 4> shape = shapeArgument(lowering, arguments, "shape");
  ElementType type = elementTypeArgument(lowering, arguments, "dtype");
  TensorType block(type, shape, layoutArgument(lowering, arguments, shape));
  const Value &value = arguments["value"];
  if (value.isNumber() && !type.isPointer()) {
    Number number = *numberOf(*value.constant());
    if (!naturalType(number))
      lowering.error(arguments.range("value"), diagnostics::NumberTooLarge, repr(*value.constant()));
    return constantTensor(lowering, number, block);
  }
  Tensor fill = cast(lowering, tensorArgument(lowering, arguments, "value"), type);
  if (fill.type.elementCount() != 1)
    lowering.error(arguments.range("value"), diagnostics::FillValue, fill.type.str());
  if (!fill.type.isScalar())
    fill = reshape(lowering, fill, {}, false);
  return broadcastTo(lowering, fill, block);
}

Value toTensorBuiltin(Lowering &lowering, CallArguments &arguments) { return tensorArgument(lowering, arguments, "x"); }

Rounding roundingArgument(Lowering &lowering, CallArguments &arguments) {
  static constexpr llvm::StringLiteral modes[] = {"", "rtne", "rtz"};
  static constexpr Rounding roundings[] = {Rounding::Default, Rounding::NearestEven, Rounding::TowardZero};
  return roundings[choiceArgument(lowering, arguments, "fp_downcast_rounding", modes)];
}

Value castBuiltin(Lowering &lowering, CallArguments &arguments) {
  Tensor input = tensorArgument(lowering, arguments, "input");
  if (booleanArgument(lowering, arguments, "bitcast"))
    return bitcast(lowering, input, elementTypeArgument(lowering, arguments, "dtype"));
  return cast(lowering, input, dtypeArgument(lowering, arguments, "dtype"), roundingArgument(lowering, arguments));
}

/// Joins along the first axis by way of a new dimension: [n, ...] twice gives [2, n, ...], then [2n, ...].
static Tensor concatenate(Lowering &lowering, const Tensor &left, const Tensor &right, int64_t axis) {
  int64_t rank = left.type.rank();
  Tensor joined = join(lowering, left, right);
  llvm::SmallVector<int64_t, 4> order;
  for (int64_t dimension = 0; dimension < rank; ++dimension) {
    if (dimension == axis)
      order.push_back(rank);
    order.push_back(dimension);
  }
  llvm::SmallVector<int64_t, 4> result(left.type.shape);
  result[axis] *= 2;
  return reshape(lowering, permute(lowering, joined, order), result, false);
}

Value cat(Lowering &lowering, CallArguments &arguments) {
  auto [left, right] =
      promoteAlternatives(lowering, tensorArgument(lowering, arguments, "input"),
                          tensorArgument(lowering, arguments, "other"), arguments.builtin.displayName());
  int64_t axis = axisArgument(lowering, arguments, "dim", left.type.rank());
  if (!booleanArgument(lowering, arguments, "can_reorder"))
    return concatenate(lowering, left, right, axis);
  lowering.warn(lowering.range, diagnostics::Reorders, std::string("tl.cat"));
  if (left.type.rank() != 1)
    lowering.error(diagnostics::CatRank, left.type.str());
  TensorType type = left.type.withShape({left.type.shape[0] * 2});
  return Tensor{lowering.create<tt::CatOp>(lowering.irType(type), left.value, right.value), type};
}

} // namespace triton::frontend::builtin
