#include "gpu/passes/SharedOperands.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace triton::ttg {

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

static Value skipConversions(Value value) {
  while (auto conversion = value.getDefiningOp<ConvertLayoutOp>())
    value = conversion.getSrc();
  return value;
}

bool comesFromMemory(Value operand, tt::DotOp dot) {
  Value value = skipConversions(operand);
  while (auto transposed = value.getDefiningOp<tt::TransOp>())
    value = skipConversions(transposed.getSrc());
  auto loop = dot->getParentOfType<LoopLikeOpInterface>();
  return value.getDefiningOp<tt::LoadOp>() || value.getDefiningOp<tt::MappedLoadOp>() ||
         (loop && loop.isDefinedOutsideOfLoop(value));
}

/// The tensor from memory that `value` is computed of, element by element; `value` itself where there is none.
static Value findSource(Value value) {
  llvm::DenseSet<Value> visited;
  SmallVector<Value> worklist{value};
  while (!worklist.empty()) {
    Value next = skipConversions(worklist.pop_back_val());
    Operation *op = next.getDefiningOp();
    if (!op || !visited.insert(next).second || typeOf(next).getShape() != typeOf(value).getShape())
      continue;
    if (isa<tt::LoadOp, tt::MappedLoadOp, tt::TransOp>(op))
      return next;
    if (op->hasTrait<OpTrait::Elementwise>())
      for (Value operand : llvm::reverse(op->getOperands()))
        if (isa<RankedTensorType>(operand.getType()))
          worklist.push_back(operand);
  }
  return value;
}

SmallVector<unsigned> getMemoryOrder(Value operand) {
  Value value = findSource(skipConversions(operand));
  auto rowMajor = llvm::to_vector(llvm::reverse(llvm::seq<unsigned>(0, typeOf(value).getRank())));
  if (value.getDefiningOp<tt::MappedLoadOp>()) // The layout of threads has nothing to do with it.
    return rowMajor;
  auto transposed = value.getDefiningOp<tt::TransOp>();
  if (!transposed)
    return isa<DotOperandEncodingAttr>(typeOf(value).getEncoding()) ? rowMajor : getOrder(typeOf(value));
  SmallVector<unsigned> position(transposed.getOrder().size()), order;
  for (auto [dimension, from] : llvm::enumerate(transposed.getOrder()))
    position[from] = unsigned(dimension);
  for (unsigned dimension : getMemoryOrder(transposed.getSrc()))
    order.push_back(position[dimension]);
  return order;
}

/// The widest swizzle whose span a row fills; 0 without one. None where a row is shorter than what units read at once.
static std::optional<unsigned> findSwizzle(RankedTensorType type, unsigned fastest) {
  int64_t bytes = type.getDimSize(fastest) * type.getElementTypeBitWidth() / 8;
  for (unsigned width : {128u, 64u, 32u})
    if (bytes >= width)
      return width;
  return bytes >= 16 ? std::optional<unsigned>(0) : std::nullopt;
}

bool canReadShared(Value operand, unsigned depth, bool isLeft, const gpu::MatrixUnit &unit) {
  RankedTensorType type = typeOf(operand);
  unsigned fastest = getMemoryOrder(operand).front();
  if (unit.needsContiguousDepth && fastest != depth && !(isLeft && unit.takesLeftFromThreads))
    return false;
  return findSwizzle(type, fastest) && type.getDimSize(1 - fastest) >= 8;
}

NvmmaSharedEncodingAttr getOperandEncoding(RankedTensorType type, unsigned fastest) {
  return NvmmaSharedEncodingAttr::get(type.getContext(), *findSwizzle(type, fastest), /*transposed=*/fastest == 0,
                                      type.getElementTypeBitWidth());
}

MemDescType getOperandBufferType(RankedTensorType type, Attribute encoding) {
  return MemDescType::get(type.getContext(), type.getShape(), type.getElementType(), encoding,
                          SharedMemorySpaceAttr::get(type.getContext()), /*mutableMemory=*/false);
}

Value createOperandBuffer(OpBuilder &builder, Value operand) {
  Value value = skipConversions(operand);
  RankedTensorType type = typeOf(value);
  // Where the value is: what a loop does not change is stored once.
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(value);
  if (auto transposed = value.getDefiningOp<tt::TransOp>()) {
    Value source = createOperandBuffer(builder, transposed.getSrc());
    auto encoding = cast<SharedEncodingInterface>(cast<MemDescType>(source.getType()).getEncoding());
    return MemDescTransOp::create(builder, operand.getLoc(),
                                  getOperandBufferType(type, encoding.getPermuted(transposed.getOrder())), source,
                                  transposed.getOrder());
  }
  NvmmaSharedEncodingAttr encoding = getOperandEncoding(type, getMemoryOrder(value).front());
  // Products that read the same tensor read the same buffer.
  MemDescType buffer = getOperandBufferType(type, encoding);
  for (Operation *user : value.getUsers())
    if (auto known = dyn_cast<LocalAllocOp>(user); known && known.getType() == buffer)
      return known;
  return LocalAllocOp::create(builder, operand.getLoc(), buffer, value);
}

} // namespace triton::ttg
