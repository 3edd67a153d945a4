#include "frontend/lowering/builtins/Functions.h"

#include "llvm/ADT/STLExtras.h"

namespace triton::frontend::builtin {

static Value pairOf(const Tensor &first, const Tensor &second) {
  TupleValue result;
  result.elements = {Value(first), Value(second)};
  return result;
}

Value broadcastBuiltin(Lowering &lowering, CallArguments &arguments) {
  auto [left, right] =
      broadcast(lowering, tensorArgument(lowering, arguments, "input"), tensorArgument(lowering, arguments, "other"));
  return pairOf(left, right);
}

Value broadcastTo(Lowering &lowering, CallArguments &arguments) {
  Tensor input = tensorArgument(lowering, arguments, "input");
  TensorType type = input.type;
  type.shape = shapeArgument(lowering, arguments, "shape");
  return frontend::broadcastTo(lowering, input, type);
}

Value expandDims(Lowering &lowering, CallArguments &arguments) {
  Tensor result = tensorArgument(lowering, arguments, "input");
  llvm::SmallVector<int64_t, 4> axes = integersArgument(lowering, arguments, "axis");
  int64_t rank = result.type.rank() + int64_t(axes.size());
  for (int64_t &axis : axes) {
    if (axis < -rank || axis >= rank)
      lowering.error(arguments.range("axis"), diagnostics::AxisOutOfRange, std::string("tl.expand_dims"), axis, rank);
    axis = axis < 0 ? axis + rank : axis;
  }
  llvm::sort(axes);
  if (std::adjacent_find(axes.begin(), axes.end()) != axes.end())
    lowering.error(arguments.range("axis"), diagnostics::RepeatedAxis, std::string("tl.expand_dims"));
  for (int64_t axis : axes)
    result = frontend::expandDims(lowering, result, unsigned(axis));
  return result;
}

Value reshape(Lowering &lowering, CallArguments &arguments) {
  bool canReorder = booleanArgument(lowering, arguments, "can_reorder");
  if (canReorder)
    lowering.warn(lowering.range, diagnostics::Reorders, std::string("tl.reshape"));
  return frontend::reshape(lowering, tensorArgument(lowering, arguments, "input"),
                           shapeArgument(lowering, arguments, "shape"), canReorder);
}

Value view(Lowering &lowering, CallArguments &arguments) {
  return frontend::reshape(lowering, tensorArgument(lowering, arguments, "input"),
                           shapeArgument(lowering, arguments, "shape"), /*canReorder=*/true);
}

static Tensor permuteChecked(Lowering &lowering, CallArguments &arguments, const Tensor &input,
                             llvm::ArrayRef<int64_t> dims) {
  llvm::SmallVector<int64_t, 4> order(dims), sorted;
  int64_t rank = input.type.rank();
  for (int64_t &axis : order)
    axis = axis < 0 ? axis + rank : axis;
  sorted = order;
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, rank)))
    lowering.error(arguments.range("dims"), diagnostics::NotAPermutation, arguments.builtin.displayName(), rank);
  return frontend::permute(lowering, input, order);
}

Value trans(Lowering &lowering, CallArguments &arguments) {
  Tensor input = tensorArgument(lowering, arguments, "input");
  llvm::SmallVector<int64_t, 4> dims = integersArgument(lowering, arguments, "dims");
  if (dims.empty()) {
    if (input.type.rank() < 2)
      lowering.error(diagnostics::TransposeRank, std::string("tl.trans"), input.type.str());
    llvm::append_range(dims, llvm::seq<int64_t>(0, input.type.rank()));
    std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
  }
  return permuteChecked(lowering, arguments, input, dims);
}

Value permute(Lowering &lowering, CallArguments &arguments) {
  Tensor input = tensorArgument(lowering, arguments, "input");
  return permuteChecked(lowering, arguments, input, integersArgument(lowering, arguments, "dims"));
}

Value join(Lowering &lowering, CallArguments &arguments) {
  auto [left, right] =
      broadcast(lowering, tensorArgument(lowering, arguments, "a"), tensorArgument(lowering, arguments, "b"));
  if (left.type.element != right.type.element)
    std::tie(left, right) =
        promoteOperands(lowering, left, right, OperatorClass::Arithmetic, arguments.builtin.displayName());
  bool isScalar = left.type.isScalar();
  if (isScalar && lowering.isGluon)
    lowering.error(arguments.range("a"), diagnostics::ArgumentKind, arguments.builtin.displayName(), std::string("a"),
                   std::string("a block, from whose layout that of the result follows"), left.type.str());
  if (isScalar) {
    left = frontend::expandDims(lowering, left, 0);
    right = frontend::expandDims(lowering, right, 0);
  }
  Tensor joined = frontend::join(lowering, left, right);
  return isScalar ? frontend::reshape(lowering, joined, {2}, false) : joined;
}

Value split(Lowering &lowering, CallArguments &arguments) {
  Tensor input = tensorArgument(lowering, arguments, "a");
  if (input.type.isScalar() || input.type.shape.back() != 2)
    lowering.error(arguments.range("a"), diagnostics::SplitShape, input.type.str());
  bool isVector = input.type.rank() == 1;
  if (isVector)
    input = frontend::expandDims(lowering, input, 0);
  auto [left, right] = frontend::split(lowering, input);
  if (isVector) {
    left = frontend::reshape(lowering, left, {}, false);
    right = frontend::reshape(lowering, right, {}, false);
  }
  return pairOf(left, right);
}

Value item(Lowering &lowering, CallArguments &arguments) {
  Tensor input = tensorArgument(lowering, arguments, "input");
  if (input.type.elementCount() != 1)
    lowering.error(diagnostics::ItemCount, input.type.str());
  return frontend::reshape(lowering, input, {}, false);
}

} // namespace triton::frontend::builtin
