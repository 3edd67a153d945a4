#include "frontend/lowering/builtins/Functions.h"
#include "frontend/lowering/builtins/Memory.h"
#include "gpu/ir/Dialect.h"

#include "llvm/ADT/STLExtras.h"

namespace triton::frontend::builtin {

namespace {

/// What a kernel says of an array whose blocks it accesses.
struct DescribedArray {
  mlir::Value base;
  TensorType block;
  llvm::SmallVector<Tensor, 4> shape, strides;
  bool padsWithNaN;
};

DescribedArray arrayArguments(Lowering &lowering, CallArguments &arguments) {
  const Tensor *base = arguments["base"].tensor();
  if (!base || !base->type.isScalar() || !base->type.element.isPointer())
    lowering.error(arguments.range("base"), diagnostics::BlockPointerBase, arguments.builtin.displayName(),
                   arguments["base"].describe());
  requirePointee(lowering, arguments, "base");
  TensorType type(base->type.element.pointee(), shapeArgument(lowering, arguments, "block_shape"));
  size_t rank = type.shape.size();
  if (rank < 1 || rank > 5)
    lowering.error(arguments.range("block_shape"), diagnostics::DescriptorRank, int64_t(rank));
  std::vector<Value> strideValues = valuesArgument(arguments, "strides");
  checkRank(lowering, arguments, "strides", strideValues.size(), rank);
  if (strideValues.back().asInt64() != 1)
    lowering.error(arguments.range("strides"), diagnostics::DescriptorStride, strideValues.back().describe());
  auto shape = scalarsArgument(lowering, arguments, "shape", ScalarType::Int32);
  auto strides = scalarsArgument(lowering, arguments, "strides", ScalarType::Int64);
  checkRank(lowering, arguments, "shape", shape.size(), rank);
  static constexpr llvm::StringLiteral paddings[] = {"zero", "nan"};
  bool isNan = choiceArgument(lowering, arguments, "padding_option", paddings) == 1;
  if (isNan && (type.element.isPointer() || !isFloat(type.element.scalar)))
    lowering.error(arguments.range("padding_option"), diagnostics::NanPadding, type.str());
  return {base->value, type, shape, strides, isNan};
}

/// The layout of buffers to which copies bring blocks of this type.
ttg::NvmmaSharedEncodingAttr bufferLayoutArgument(Lowering &lowering, CallArguments &arguments,
                                                  const TensorType &block) {
  SourceRange range = arguments.range("layout");
  auto layout = mlir::dyn_cast<ttg::NvmmaSharedEncodingAttr>(encodingOf(lowering, arguments["layout"], range));
  bool fits = layout && !layout.getTransposed() && int64_t(layout.getRank()) == block.rank() &&
              !block.element.isPointer() && layout.getElementBitWidth() == bitWidth(block.element.scalar) &&
              block.shape.back() >= int64_t(layout.getPieceElements());
  if (!fits)
    lowering.error(range, diagnostics::DescribedLayout, block.str(), arguments["layout"].describe());
  return layout;
}

} // namespace

Value makeTensorDescriptor(Lowering &lowering, CallArguments &arguments) {
  DescribedArray array = arrayArguments(lowering, arguments);
  return createDescriptor(lowering, array.base, array.block, array.shape, array.strides, array.padsWithNaN);
}

/// The launch makes the map: `tritongpu-map-descriptors` says of what.
Value makeMappedDescriptor(Lowering &lowering, CallArguments &arguments) {
  requireHopper(lowering, arguments.callRange, arguments.builtin.displayName());
  DescribedArray array = arrayArguments(lowering, arguments);
  auto layout = bufferLayoutArgument(lowering, arguments, array.block);
  TensorType box = array.block.withShape(layout.getBox(array.block.shape));
  TensorDescriptor descriptor =
      createDescriptor(lowering, array.base, box, array.shape, array.strides, array.padsWithNaN);
  descriptor.type = array.block;
  descriptor.type.layout = layout;
  descriptor.base = array.base;
  return descriptor;
}

static const TensorDescriptor &descriptorArgument(Lowering &lowering, CallArguments &arguments) {
  const TensorDescriptor *descriptor = arguments["desc"].descriptor();
  if (!descriptor)
    lowering.error(arguments.range("desc"), diagnostics::ArgumentKind, arguments.builtin.displayName(),
                   std::string("desc"), std::string("a tensor descriptor"), arguments["desc"].describe());
  if (descriptor->type.layout)
    lowering.error(arguments.range("desc"), diagnostics::DescriptorMethodInGluon, arguments.builtin.displayName(),
                   descriptor->type.str());
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

/// The block to write, in the descriptor's element type.
static Tensor blockArgument(Lowering &lowering, CallArguments &arguments, const TensorType &block) {
  Tensor value = convertTo(lowering, arguments["value"], block.element);
  if (value.type.shape != block.shape)
    lowering.error(arguments.range("value"), diagnostics::DescriptorValue, value.type.str(), block.str());
  return value;
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
  Tensor value = blockArgument(lowering, arguments, descriptor.type);
  lowering.create<tt::DescriptorStoreOp>(descriptor.value, value.value, offsets);
  return Value();
}

namespace {

constexpr ScalarType addable[] = {ScalarType::UInt32,  ScalarType::Int32,   ScalarType::UInt64,
                                  ScalarType::Float32, ScalarType::Float16, ScalarType::BFloat16};
constexpr ScalarType wholeNumbers[] = {ScalarType::UInt32, ScalarType::Int32, ScalarType::UInt64, ScalarType::Int64};
constexpr ScalarType comparable[] = {ScalarType::UInt32, ScalarType::Int32,   ScalarType::UInt64,
                                     ScalarType::Int64,  ScalarType::Float16, ScalarType::BFloat16};
constexpr DescriptorReduction reductions[] = {{"atomic_add", tt::DescriptorReduceKind::Add, addable},
                                              {"atomic_min", tt::DescriptorReduceKind::Min, comparable},
                                              {"atomic_max", tt::DescriptorReduceKind::Max, comparable},
                                              {"atomic_and", tt::DescriptorReduceKind::And, wholeNumbers},
                                              {"atomic_or", tt::DescriptorReduceKind::Or, wholeNumbers},
                                              {"atomic_xor", tt::DescriptorReduceKind::Xor, wholeNumbers}};

/// The rows and the first column of a gather or scatter.
struct Rows {
  Tensor rows;
  mlir::Value column;
};

Rows rowsArgument(Lowering &lowering, CallArguments &arguments, const TensorType &block) {
  Tensor rows = tensorArgument(lowering, arguments, "x_offsets");
  const ElementType &element = rows.type.element;
  bool hasType = element == ElementType{ScalarType::Int32} || element == ElementType{ScalarType::Int16};
  if (rows.type.rank() != 1 || !hasType || rows.type.shape[0] < 8)
    lowering.error(arguments.range("x_offsets"), diagnostics::GatheredRows, rows.type.str());
  int64_t fewestColumns = block.element.isPointer() ? 8 : 32 / bitWidth(block.element.scalar) * 8;
  if (block.rank() != 2 || block.shape[0] != 1 || block.shape[1] < fewestColumns)
    lowering.error(arguments.range("desc"), diagnostics::GatherBlock, block.str(), fewestColumns);
  llvm::SmallVector<Tensor, 4> column = scalarsArgument(lowering, arguments, "y_offset", ScalarType::Int32);
  checkRank(lowering, arguments, "y_offset", column.size(), 1);
  return {cast(lowering, rows, ElementType{ScalarType::Int32}), column.front().value};
}

} // namespace

const DescriptorReduction *findReduction(llvm::StringRef name) {
  return llvm::find_if(reductions, [&](const DescriptorReduction &entry) { return entry.name == name; });
}

Value reduceDescriptor(Lowering &lowering, CallArguments &arguments) {
  const TensorDescriptor &descriptor = descriptorArgument(lowering, arguments);
  const DescriptorReduction *reduction = findReduction(arguments.builtin.name);
  const ElementType &element = descriptor.type.element;
  if (element.isPointer() || !llvm::is_contained(reduction->types, element.scalar))
    lowering.error(arguments.range("desc"), diagnostics::AtomicType, arguments.builtin.displayName(),
                   TensorType(element).str());
  auto offsets = offsetsArgument(lowering, arguments, descriptor.type.shape.size());
  Tensor value = blockArgument(lowering, arguments, descriptor.type);
  lowering.create<tt::DescriptorReduceOp>(reduction->kind, descriptor.value, value.value, offsets);
  return Value();
}

Value gatherDescriptor(Lowering &lowering, CallArguments &arguments) {
  const TensorDescriptor &descriptor = descriptorArgument(lowering, arguments);
  Rows rows = rowsArgument(lowering, arguments, descriptor.type);
  TensorType type = descriptor.type.withShape({rows.rows.type.shape[0], descriptor.type.shape[1]});
  return Tensor{
      lowering.create<tt::DescriptorGatherOp>(lowering.irType(type), descriptor.value, rows.rows.value, rows.column),
      type};
}

Value scatterDescriptor(Lowering &lowering, CallArguments &arguments) {
  const TensorDescriptor &descriptor = descriptorArgument(lowering, arguments);
  Rows rows = rowsArgument(lowering, arguments, descriptor.type);
  TensorType type = descriptor.type.withShape({rows.rows.type.shape[0], descriptor.type.shape[1]});
  Tensor value = blockArgument(lowering, arguments, type);
  lowering.create<tt::DescriptorScatterOp>(descriptor.value, rows.rows.value, rows.column, value.value);
  return Value();
}

} // namespace triton::frontend::builtin
