#include "frontend/lowering/StatedFacts.h"
#include "frontend/lowering/builtins/Functions.h"
#include "ir/AttributeNames.h"

namespace triton::frontend::builtin {

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
  stateFacts(lowering, input.value, tt::divisibilityAttribute, factsArgument(lowering, arguments, input));
  return input;
}

static Value statesRuns(Lowering &lowering, CallArguments &arguments, llvm::StringRef attribute) {
  Tensor input = tensorArgument(lowering, arguments, "input");
  if (input.type.isScalar())
    lowering.error(arguments.range("input"), diagnostics::HintOnScalar, arguments.builtin.displayName());
  stateFacts(lowering, input.value, attribute, factsArgument(lowering, arguments, input));
  return input;
}

Value maxContiguous(Lowering &lowering, CallArguments &arguments) {
  return statesRuns(lowering, arguments, tt::contiguityAttribute);
}

Value maxConstancy(Lowering &lowering, CallArguments &arguments) {
  return statesRuns(lowering, arguments, tt::constancyAttribute);
}

Value assume(Lowering &lowering, CallArguments &arguments) {
  if (arguments["cond"].isNumber())
    return Value();
  Tensor condition = truthValue(lowering, tensorArgument(lowering, arguments, "cond"));
  lowering.create<mlir::LLVM::AssumeOp>(condition.value);
  return Value();
}

} // namespace triton::frontend::builtin
