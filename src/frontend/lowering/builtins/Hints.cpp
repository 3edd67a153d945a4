#include "frontend/lowering/builtins/Functions.h"

namespace triton::frontend::builtin {

/// States a fact about the tensor on the operation that defines it, or on the kernel's parameter.
static void attach(Lowering &lowering, const Tensor &tensor, llvm::StringRef attribute,
                   llvm::ArrayRef<int64_t> values) {
  llvm::SmallVector<int32_t, 4> entries(values.begin(), values.end());
  auto type = mlir::RankedTensorType::get({int64_t(entries.size())}, lowering.builder.getI32Type());
  auto facts = mlir::DenseIntElementsAttr::get(type, llvm::ArrayRef<int32_t>(entries));
  if (mlir::Operation *definition = tensor.value.getDefiningOp()) {
    definition->setDiscardableAttr(attribute, facts);
    return;
  }
  auto parameter = mlir::cast<mlir::BlockArgument>(tensor.value);
  auto function = mlir::dyn_cast<mlir::FunctionOpInterface>(parameter.getOwner()->getParentOp());
  if (function && parameter.getOwner()->isEntryBlock())
    function.setArgAttr(parameter.getArgNumber(), attribute, lowering.builder.getI32IntegerAttr(entries.front()));
}

static llvm::SmallVector<int64_t, 4> factsArgument(Lowering &lowering, CallArguments &arguments, const Tensor &input) {
  llvm::SmallVector<int64_t, 4> values = integersArgument(lowering, arguments, "values");
  int64_t expected = std::max<int64_t>(input.type.rank(), 1);
  if (int64_t(values.size()) != expected)
    lowering.error(arguments.range("values"), diagnostics::HintCount, arguments.builtin.displayName(), expected,
                   int64_t(values.size()));
  return values;
}

Value multipleOf(Lowering &lowering, CallArguments &arguments) {
  if (arguments["input"].isNumber())
    return arguments["input"];
  Tensor input = tensorArgument(lowering, arguments, "input");
  attach(lowering, input, "tt.divisibility", factsArgument(lowering, arguments, input));
  return input;
}

static Value statesRuns(Lowering &lowering, CallArguments &arguments, llvm::StringRef attribute) {
  Tensor input = tensorArgument(lowering, arguments, "input");
  if (input.type.isScalar())
    lowering.error(arguments.range("input"), diagnostics::HintOnScalar, arguments.builtin.displayName());
  attach(lowering, input, attribute, factsArgument(lowering, arguments, input));
  return input;
}

Value maxContiguous(Lowering &lowering, CallArguments &arguments) {
  return statesRuns(lowering, arguments, "tt.contiguity");
}

Value maxConstancy(Lowering &lowering, CallArguments &arguments) {
  return statesRuns(lowering, arguments, "tt.constancy");
}

Value assume(Lowering &lowering, CallArguments &arguments) {
  if (arguments["cond"].isNumber())
    return Value();
  Tensor condition = truthValue(lowering, tensorArgument(lowering, arguments, "cond"));
  lowering.create<mlir::LLVM::AssumeOp>(condition.value);
  return Value();
}

} // namespace triton::frontend::builtin
