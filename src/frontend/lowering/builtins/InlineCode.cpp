#include "frontend/lowering/builtins/Functions.h"
#include "gpu/ir/Dialect.h"
#include "ir/PackedElements.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace triton::frontend::builtin {
namespace {

/// The operands of an elementwise operation in their common shape, each with its own element type.
llvm::SmallVector<Tensor, 4> elementwiseOperands(Lowering &lowering, CallArguments &arguments) {
  llvm::SmallVector<Tensor, 4> operands;
  RangeScope scope(lowering, arguments.range("args"));
  for (const Value &value : valuesArgument(arguments, "args"))
    operands.push_back(toTensor(lowering, value));
  TensorType block;
  for (const Tensor &operand : operands)
    block = commonType(lowering, block, operand.type);
  for (Tensor &operand : operands)
    operand = broadcastWithRank(lowering, operand, block);
  return operands;
}

llvm::SmallVector<mlir::Value, 4> valuesOf(llvm::ArrayRef<Tensor> tensors) {
  return llvm::map_to_vector<4>(tensors, [](const Tensor &tensor) { return tensor.value; });
}

Value resultsOf(mlir::ValueRange values, llvm::ArrayRef<TensorType> types, bool isTuple) {
  if (!isTuple)
    return Tensor{values.front(), types.front()};
  TupleValue tuple;
  for (auto [value, type] : llvm::zip_equal(values, types))
    tuple.elements.push_back(Tensor{value, type});
  return tuple;
}

int64_t packArgument(Lowering &lowering, CallArguments &arguments) {
  int64_t pack = integerArgument(lowering, arguments, "pack");
  if (pack < 1 || pack > tt::mostPackedElements || !llvm::isPowerOf2_64(pack))
    lowering.error(arguments.range("pack"), diagnostics::PackSize, arguments.builtin.displayName(),
                   tt::mostPackedElements, pack);
  return pack;
}

} // namespace

Value inlineAssembly(Lowering &lowering, CallArguments &arguments) {
  llvm::SmallVector<Tensor, 4> operands = elementwiseOperands(lowering, arguments);
  TensorType block = operands.empty() ? TensorType() : operands[0].type;
  bool isTuple = arguments["dtype"].tuple() != nullptr;
  llvm::SmallVector<TensorType, 2> types;
  llvm::SmallVector<mlir::Type, 2> irTypes;
  for (const Value &value : valuesArgument(arguments, "dtype")) {
    auto *element = value.as<ElementType>();
    if (!element)
      lowering.error(arguments.range("dtype"), diagnostics::ArgumentKind, std::string("tl.inline_asm_elementwise"),
                     std::string("dtype"), std::string("a dtype or a sequence of them"), value.describe());
    if (*element == ElementType{ScalarType::Void})
      lowering.error(arguments.range("dtype"), diagnostics::VoidElements, arguments.builtin.displayName());
    types.push_back(block.withElement(*element));
    irTypes.push_back(lowering.irType(types.back()));
  }
  if (types.empty())
    lowering.error(arguments.range("dtype"), diagnostics::NoOutputs, std::string("tl.inline_asm_elementwise"));
  auto op = lowering.create<tt::ElementwiseInlineAsmOp>(
      irTypes, stringArgument(lowering, arguments, "asm"), stringArgument(lowering, arguments, "constraints"),
      booleanArgument(lowering, arguments, "is_pure"), uint32_t(packArgument(lowering, arguments)), valuesOf(operands));
  return resultsOf(op->getResults(), types, isTuple);
}

Value assemblyOfThread(Lowering &lowering, CallArguments &arguments) {
  llvm::SmallVector<mlir::Value> operands;
  llvm::SmallVector<TensorType, 2> types;
  llvm::SmallVector<mlir::Type, 2> irTypes;
  for (const Value &value : valuesArgument(arguments, "args"))
    operands.push_back(value.buffer() ? value.buffer()->value : toTensor(lowering, value).value);
  for (const Value &value : valuesArgument(arguments, "results")) {
    types.push_back(toTensor(lowering, value).type);
    irTypes.push_back(lowering.irType(types.back()));
  }
  auto op = lowering.create<ttg::InlineAsmOp>(irTypes, stringArgument(lowering, arguments, "asm"),
                                              stringArgument(lowering, arguments, "constraints"),
                                              booleanArgument(lowering, arguments, "is_pure"), operands);
  return resultsOf(op->getResults(), types, /*isTuple=*/true);
}

Value mapElementwise(Lowering &lowering, CallArguments &arguments) {
  llvm::SmallVector<Tensor, 4> operands = elementwiseOperands(lowering, arguments);
  if (operands.empty())
    lowering.error(diagnostics::NoOperands, std::string("tl.map_elementwise"));
  int64_t pack = packArgument(lowering, arguments);
  llvm::SmallVector<TensorType, 4> scalars;
  for (const Tensor &operand : operands)
    scalars.append(pack, TensorType(operand.type.element));

  // The types of the results are known only after the function is lowered, so it is lowered into a region that the
  // operation then takes.
  mlir::Region region;
  llvm::SmallVector<Tensor, 2> results;
  {
    mlir::OpBuilder::InsertionGuard guard(lowering.builder);
    results = lowerCombineRegion(lowering, region, arguments["scalar_fn"], scalars, arguments.range("scalar_fn"));
    lowering.create<tt::MapElementwiseReturnOp>(valuesOf(results));
  }
  if (results.empty() || results.size() % pack != 0)
    lowering.error(arguments.range("scalar_fn"), diagnostics::PackedResults, int64_t(results.size()), pack);
  llvm::SmallVector<TensorType, 2> types;
  llvm::SmallVector<mlir::Type, 2> irTypes;
  for (size_t i = 0; i < results.size(); i += pack) {
    types.push_back(operands.front().type.withElement(results[i].type.element));
    irTypes.push_back(lowering.irType(types.back()));
  }
  auto op = lowering.create<tt::MapElementwiseOp>(irTypes, valuesOf(operands), uint32_t(pack));
  op->getRegion(0).takeBody(region);
  return resultsOf(op->getResults(), types, types.size() > 1);
}

Value externElementwise(Lowering &lowering, CallArguments & /*arguments*/) {
  lowering.error(diagnostics::ExternUnsupported);
}

} // namespace triton::frontend::builtin
