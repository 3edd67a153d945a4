#include "frontend/lowering/builtins/Functions.h"
#include "frontend/lowering/builtins/Prelude.h"
#include "ir/CombinationOrder.h"

#include "llvm/ADT/STLExtras.h"

namespace triton::frontend::builtin {

llvm::SmallVector<Tensor, 2> lowerCombineRegion(Lowering &lowering, mlir::Region &region, const Value &function,
                                                llvm::ArrayRef<TensorType> scalars, SourceRange range) {
  llvm::SmallVector<mlir::Type, 4> types;
  for (const TensorType &scalar : scalars)
    types.push_back(lowering.irType(scalar));
  llvm::SmallVector<mlir::Location, 4> locations(types.size(), lowering.location());
  mlir::Block *block = lowering.builder.createBlock(&region, region.end(), types, locations);
  std::vector<Argument> arguments;
  for (auto [value, scalar] : llvm::zip_equal(block->getArguments(), scalars))
    arguments.push_back({Tensor{value, scalar}, range, {}, {}});
  Value result = lowerCall(lowering, function, arguments, range);
  llvm::SmallVector<Tensor, 2> results;
  const TupleValue *tuple = result.tuple();
  for (const Value &element : tuple ? llvm::ArrayRef<Value>(tuple->elements) : llvm::ArrayRef<Value>(result)) {
    if (!isNumeric(element))
      lowering.error(range, diagnostics::CombineResult, element.describe());
    results.push_back(toTensor(lowering, element));
  }
  return results;
}

namespace {

/// The operands of a reduction or scan: blocks of one shape.
struct Operands {
  llvm::SmallVector<Tensor, 2> tensors;
  bool isTuple = false; ///< whether the result is a tuple
};

Operands operandsOf(Lowering &lowering, CallArguments &arguments) {
  Operands operands;
  operands.isTuple = arguments["input"].tuple() != nullptr;
  for (const Value &value : valuesArgument(arguments, "input")) {
    if (!isNumeric(value))
      lowering.error(arguments.range("input"), diagnostics::ArgumentKind, arguments.builtin.displayName(),
                     std::string("input"), std::string("a tensor or a tuple of tensors"), value.describe());
    operands.tensors.push_back(toTensor(lowering, value));
  }
  if (operands.tensors.empty())
    lowering.error(arguments.range("input"), diagnostics::NoOperands, arguments.builtin.displayName());
  TensorType block;
  for (const Tensor &tensor : operands.tensors)
    block = commonType(lowering, block, tensor.type);
  for (Tensor &tensor : operands.tensors)
    tensor = broadcastWithRank(lowering, tensor, block);
  return operands;
}

Value resultsOf(llvm::ArrayRef<Tensor> tensors, bool isTuple) {
  if (!isTuple)
    return tensors.front();
  TupleValue tuple;
  for (const Tensor &tensor : tensors)
    tuple.elements.push_back(Value(tensor));
  return tuple;
}

/// Fills the region of a reduction or scan with a call of the user's function on the elements of both sides.
template <typename ReturnOp>
void buildCombineRegion(Lowering &lowering, CallArguments &arguments, mlir::Region &region,
                        llvm::ArrayRef<Tensor> operands) {
  mlir::OpBuilder::InsertionGuard guard(lowering.builder);
  llvm::SmallVector<TensorType, 4> scalars;
  for (int side = 0; side < 2; ++side)
    for (const Tensor &operand : operands)
      scalars.push_back(TensorType(operand.type.element));
  SourceRange range = arguments.range("combine_fn");
  auto results = lowerCombineRegion(lowering, region, arguments["combine_fn"], scalars, range);
  if (results.size() != operands.size())
    lowering.error(range, diagnostics::CombineCount, int(results.size()), int(operands.size()));
  llvm::SmallVector<mlir::Value, 2> values;
  for (auto [result, operand] : llvm::zip_equal(results, operands)) {
    if (result.type != TensorType(operand.type.element))
      lowering.error(range, diagnostics::CombineType, result.type.str(), TensorType(operand.type.element).str());
    values.push_back(result.value);
  }
  lowering.create<ReturnOp>(values);
}

llvm::SmallVector<mlir::Value, 2> valuesOf(llvm::ArrayRef<Tensor> tensors) {
  return llvm::map_to_vector<2>(tensors, [](const Tensor &tensor) { return tensor.value; });
}

/// The extremes of the prelude take the elements in any order, and say themselves which of equal ones they choose.
Value reduceAlong(Lowering &lowering, CallArguments &arguments, llvm::ArrayRef<Tensor> operands, int64_t axis,
                  bool isTuple, bool *keepsOrder = nullptr) {
  llvm::SmallVector<TensorType, 2> resultTypes;
  llvm::SmallVector<mlir::Type, 2> types;
  for (const Tensor &operand : operands) {
    resultTypes.push_back(reducedType(lowering, operand.type, unsigned(axis)));
    types.push_back(lowering.irType(resultTypes.back()));
  }
  auto op = lowering.create<tt::ReduceOp>(types, valuesOf(operands), uint32_t(axis));
  buildCombineRegion<tt::ReduceReturnOp>(lowering, arguments, op->getRegion(0), operands);
  if (isPrelude(*lowering.frame->function->source) && tt::keepsOrder(op))
    op->setAttr(tt::anyOrderAttribute, lowering.builder.getUnitAttr());
  if (keepsOrder)
    *keepsOrder = tt::keepsOrder(op);
  llvm::SmallVector<Tensor, 2> results;
  for (auto [value, type] : llvm::zip_equal(op->getResults(), resultTypes))
    results.push_back({value, type});
  return resultsOf(results, isTuple);
}

/// Inserts dimensions of size 1 at `axes` of the (one or several) results.
Value keepDimensions(Lowering &lowering, const Value &value, llvm::ArrayRef<int64_t> axes) {
  if (const TupleValue *tuple = value.tuple()) {
    TupleValue result = *tuple;
    for (Value &element : result.elements)
      element = keepDimensions(lowering, element, axes);
    return result;
  }
  Tensor tensor = *value.tensor();
  for (int64_t axis : axes)
    tensor = expandDims(lowering, tensor, unsigned(axis));
  return tensor;
}

} // namespace

Value reduce(Lowering &lowering, CallArguments &arguments) {
  Operands operands = operandsOf(lowering, arguments);
  bool keepDims = booleanArgument(lowering, arguments, "keep_dims");
  int64_t rank = operands.tensors.front().type.rank();
  if (arguments["axis"].isNone()) {
    if (rank == 0)
      return resultsOf(operands.tensors, operands.isTuple);
    for (Tensor &tensor : operands.tensors)
      tensor = reshape(lowering, tensor, {tensor.type.elementCount()}, /*canReorder=*/true);
    bool keepsOrder = false;
    Value result = reduceAlong(lowering, arguments, operands.tensors, 0, operands.isTuple, &keepsOrder);
    for (const Tensor &tensor : operands.tensors)
      if (auto flattened = tensor.value.getDefiningOp<tt::ReshapeOp>(); flattened && keepsOrder)
        flattened.setAllowReorder(false);
    llvm::SmallVector<int64_t, 4> all(rank, 0);
    return keepDims ? keepDimensions(lowering, result, all) : result;
  }
  int64_t axis = axisArgument(lowering, arguments, "axis", rank);
  Value result = reduceAlong(lowering, arguments, operands.tensors, axis, operands.isTuple);
  return keepDims ? keepDimensions(lowering, result, {axis}) : result;
}

Value associativeScan(Lowering &lowering, CallArguments &arguments) {
  Operands operands = operandsOf(lowering, arguments);
  int64_t axis = axisArgument(lowering, arguments, "axis", operands.tensors.front().type.rank());
  bool reverse = booleanArgument(lowering, arguments, "reverse");
  llvm::SmallVector<mlir::Value, 2> values = valuesOf(operands.tensors);
  llvm::SmallVector<mlir::Type, 2> types(mlir::ValueRange(values).getTypes());
  auto op = lowering.create<tt::ScanOp>(types, values, uint32_t(axis), reverse);
  buildCombineRegion<tt::ScanReturnOp>(lowering, arguments, op->getRegion(0), operands.tensors);
  llvm::SmallVector<Tensor, 2> results;
  for (auto [value, operand] : llvm::zip_equal(op->getResults(), operands.tensors))
    results.push_back({value, operand.type});
  return resultsOf(results, operands.isTuple);
}

Value histogram(Lowering &lowering, CallArguments &arguments) {
  Tensor input = tensorArgument(lowering, arguments, "input");
  if (input.type.rank() != 1 || input.type.element.isPointer() || !isInteger(input.type.element.scalar))
    lowering.error(arguments.range("input"), diagnostics::HistogramInput, input.type.str());
  int64_t bins = integerArgument(lowering, arguments, "num_bins");
  checkBlockShape(lowering, {bins}, arguments.range("num_bins"));
  mlir::Value mask;
  if (!arguments["mask"].isNone()) {
    Tensor tensor = tensorArgument(lowering, arguments, "mask");
    if (tensor.type.element != ElementType{ScalarType::Int1})
      lowering.error(arguments.range("mask"), diagnostics::MaskType, std::string("tl.histogram"), tensor.type.str());
    mask = broadcastWithRank(lowering, tensor, input.type).value;
  }
  // Values are unsigned in the IR, so that a negative one names no bin only in a type that has more values than bins.
  if (kind(input.type.element.scalar) == ScalarKind::Signed && bitWidth(input.type.element.scalar) < 32)
    input = cast(lowering, input, ElementType{ScalarType::Int32});
  TensorType type(ElementType{ScalarType::Int32}, {bins}, layoutArgument(lowering, arguments, {bins}));
  return Tensor{lowering.create<tt::HistogramOp>(lowering.irType(type), input.value, mask), type};
}

Value gather(Lowering &lowering, CallArguments &arguments) {
  Tensor source = tensorArgument(lowering, arguments, "src");
  Tensor index = tensorArgument(lowering, arguments, "index");
  if (index.type.element.isPointer() || !isInteger(index.type.element.scalar))
    lowering.error(arguments.range("index"), diagnostics::GatherIndex, index.type.str());
  if (source.type.rank() != index.type.rank() || source.type.isScalar())
    lowering.error(arguments.range("index"), diagnostics::GatherShape, source.type.str(), index.type.str());
  int64_t axis = axisArgument(lowering, arguments, "axis", source.type.rank());
  for (int64_t dimension = 0; dimension < source.type.rank(); ++dimension)
    if (dimension != axis && source.type.shape[dimension] != index.type.shape[dimension])
      lowering.error(arguments.range("index"), diagnostics::GatherShape, source.type.str(), index.type.str());
  TensorType type = index.type.withElement(source.type.element);
  return Tensor{lowering.create<tt::GatherOp>(lowering.irType(type), source.value, index.value, uint32_t(axis)), type};
}

} // namespace triton::frontend::builtin
