#include "frontend/lowering/ConstantEvaluation.h"
#include "frontend/lowering/builtins/Functions.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace triton::frontend::builtin {

Value debugBarrier(Lowering &lowering, CallArguments & /*arguments*/) {
  lowering.context.getOrLoadDialect<mlir::gpu::GPUDialect>();
  lowering.create<mlir::gpu::BarrierOp>();
  return Value();
}

Value staticPrint(Lowering &lowering, CallArguments &arguments) {
  std::string separator = stringArgument(lowering, arguments, "sep");
  std::vector<std::string> texts;
  for (const Value &value : valuesArgument(arguments, "values"))
    texts.push_back(pythonString(value));
  lowering.print(llvm::join(texts, separator) + stringArgument(lowering, arguments, "end"));
  return Value();
}

Value staticAssert(Lowering &lowering, CallArguments &arguments) {
  std::optional<bool> holds = constantTruth(arguments["cond"]);
  if (!holds)
    lowering.error(arguments.range("cond"), diagnostics::ArgumentKind, std::string("tl.static_assert"),
                   std::string("cond"), std::string("a bool"), arguments["cond"].describe());
  if (*holds)
    return Value();
  std::string message = pythonString(arguments["msg"]);
  lowering.error(arguments.range("cond"), diagnostics::StaticAssertionFailed, message.empty() ? "" : ": " + message);
}

Value warnUser(Lowering &lowering, CallArguments &arguments) {
  lowering.warn(arguments.callRange, diagnostics::LibraryWarning, stringArgument(lowering, arguments, "message"));
  return Value();
}

Value devicePrint(Lowering &lowering, CallArguments &arguments) {
  auto *prefix = arguments["prefix"].as<std::string>();
  auto isPrintable = [](char character) { return character >= 0x20 && character < 0x7F; };
  if (!prefix || !llvm::all_of(*prefix, isPrintable))
    lowering.error(arguments.range("prefix"), diagnostics::PrintPrefix, arguments["prefix"].describe());
  llvm::SmallVector<mlir::Value, 4> values;
  llvm::SmallVector<int32_t, 4> isSigned;
  RangeScope scope(lowering, arguments.range("args"));
  for (const Value &value : valuesArgument(arguments, "args")) {
    if (!isNumeric(value))
      lowering.error(diagnostics::PrintOperand, value.describe());
    Tensor tensor = toTensor(lowering, value);
    values.push_back(tensor.value);
    const ElementType &element = tensor.type.element;
    isSigned.push_back(!element.isPointer() && kind(element.scalar) == ScalarKind::Signed);
  }
  std::string text = *prefix;
  if (!values.empty()) {
    // The values follow " prefix: ", whether or not the user wrote the blanks and the colon.
    llvm::StringRef trimmed = llvm::StringRef(text).trim();
    trimmed.consume_back(":");
    text = " " + trimmed.str() + ": ";
  }
  RangeScope call(lowering, arguments.callRange);
  lowering.create<tt::PrintOp>(lowering.builder.getStringAttr(text),
                               lowering.builder.getBoolAttr(booleanArgument(lowering, arguments, "hex")), values,
                               lowering.builder.getDenseI32ArrayAttr(isSigned));
  return Value();
}

Value deviceAssert(Lowering &lowering, CallArguments &arguments) {
  if (!lowering.options.debug)
    return Value();
  Tensor condition = tensorArgument(lowering, arguments, "cond");
  condition = cast(lowering, condition, ElementType{ScalarType::Int1});
  if (!arguments["mask"].isNone()) {
    Value outside = unaryOperator(lowering, ast::UnaryOperator::Invert, arguments["mask"]);
    condition = *binaryOperator(lowering, ast::BinaryOperator::BitOr, condition, outside).tensor();
  }
  lowering.create<tt::AssertOp>(condition.value, lowering.builder.getStringAttr(pythonString(arguments["msg"])));
  return Value();
}

} // namespace triton::frontend::builtin
