#include "frontend/lowering/builtins/Functions.h"
#include "frontend/lowering/builtins/Memory.h"

namespace triton::frontend::builtin {

Value makeTensorDescriptor(Lowering &lowering, CallArguments &arguments) {
  const Tensor *base = arguments["base"].tensor();
  if (!base || !base->type.isScalar() || !base->type.element.isPointer())
    lowering.error(arguments.range("base"), diagnostics::BlockPointerBase, std::string("tl.make_tensor_descriptor"),
                   arguments["base"].describe());
  TensorType type(base->type.element.pointee(), shapeArgument(lowering, arguments, "block_shape"));
  size_t rank = type.shape.size();
  if (rank < 1 || rank > 5)
    lowering.error(arguments.range("block_shape"), diagnostics::DescriptorRank, int64_t(rank));
  std::vector<Value> strideValues = valuesArgument(arguments, "strides");
  checkRank(lowering, arguments, "strides", strideValues.size(), rank);
  if (strideValues.back().asInt64() != 1)
    lowering.error(arguments.range("strides"), diagnostics::DescriptorStride, strideValues.back().describe());
  TensorDescriptor result;
  result.type = type;
  auto shape = scalarsArgument(lowering, arguments, "shape", ScalarType::Int32);
  auto strides = scalarsArgument(lowering, arguments, "strides", ScalarType::Int64);
  checkRank(lowering, arguments, "shape", shape.size(), rank);
  result.shape.assign(shape.begin(), shape.end());
  result.strides.assign(strides.begin(), strides.end());
  static constexpr llvm::StringLiteral paddings[] = {"zero", "nan"};
  bool isNan = choiceArgument(lowering, arguments, "padding_option", paddings) == 1;
  if (isNan && (type.element.isPointer() || !isFloat(type.element.scalar)))
    lowering.error(arguments.range("padding_option"), diagnostics::NanPadding, type.str());
  auto block = mlir::cast<mlir::RankedTensorType>(lowering.irType(type));
  if (!type.element.isPointer() && isInteger(type.element.scalar)) {
    // The descriptor's type also tells the sign of its elements.
    bool isSigned = kind(type.element.scalar) == ScalarKind::Signed;
    auto signedness = isSigned ? mlir::IntegerType::Signed : mlir::IntegerType::Unsigned;
    block = mlir::RankedTensorType::get(
        type.shape, mlir::IntegerType::get(&lowering.context, bitWidth(type.element.scalar), signedness));
  }
  result.value = lowering.create<tt::MakeTensorDescOp>(tt::TensorDescType::get(block), base->value, irValues(shape),
                                                       irValues(strides),
                                                       isNan ? tt::PaddingOption::NaN : tt::PaddingOption::Zero);
  return result;
}

static const TensorDescriptor &descriptorArgument(Lowering &lowering, CallArguments &arguments) {
  const TensorDescriptor *descriptor = arguments["desc"].descriptor();
  if (!descriptor)
    lowering.error(arguments.range("desc"), diagnostics::ArgumentKind, arguments.builtin.displayName(),
                   std::string("desc"), std::string("a tensor descriptor"), arguments["desc"].describe());
  return *descriptor;
}

static llvm::SmallVector<mlir::Value, 4> offsetsArgument(Lowering &lowering, CallArguments &arguments, size_t rank) {
  for (const Value &value : valuesArgument(arguments, "offsets"))
    if (const Tensor *tensor = value.tensor(); tensor && tensor->type.element == ElementType{ScalarType::Int64})
      lowering.error(arguments.range("offsets"), diagnostics::DescriptorOffset, value.describe());
  auto offsets = scalarsArgument(lowering, arguments, "offsets", ScalarType::Int32);
  checkRank(lowering, arguments, "offsets", offsets.size(), rank);
  return irValues(offsets);
}

Value loadDescriptor(Lowering &lowering, CallArguments &arguments) {
  const TensorDescriptor &descriptor = descriptorArgument(lowering, arguments);
  auto offsets = offsetsArgument(lowering, arguments, descriptor.type.shape.size());
  return Tensor{lowering.create<tt::DescriptorLoadOp>(lowering.irType(descriptor.type), descriptor.value, offsets,
                                                      tt::CacheModifier::None, tt::EvictionPolicy::Normal),
                descriptor.type};
}

Value storeDescriptor(Lowering &lowering, CallArguments &arguments) {
  const TensorDescriptor &descriptor = descriptorArgument(lowering, arguments);
  auto offsets = offsetsArgument(lowering, arguments, descriptor.type.shape.size());
  Tensor value = convertTo(lowering, arguments["value"], descriptor.type.element);
  if (value.type.shape != descriptor.type.shape)
    lowering.error(arguments.range("value"), diagnostics::DescriptorValue, value.type.str(), descriptor.type.str());
  lowering.create<tt::DescriptorStoreOp>(descriptor.value, value.value, offsets);
  return Value();
}

} // namespace triton::frontend::builtin
