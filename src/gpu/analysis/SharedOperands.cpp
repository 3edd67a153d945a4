#include "gpu/analysis/SharedOperands.h"

#include "gpu/analysis/LayoutRewriting.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace triton::ttg {

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

static Value skipConversions(Value value) {
  while (auto conversion = value.getDefiningOp<ConvertLayoutOp>())
    value = conversion.getSrc();
  return value;
}

bool comesFromMemory(Value operand, Operation *dot) {
  Value value = skipConversions(operand);
  while (auto transposed = value.getDefiningOp<tt::TransOp>())
    value = skipConversions(transposed.getSrc());
  auto loop = dot->getParentOfType<LoopLikeOpInterface>();
  return value.getDefiningOp<tt::LoadOp>() || value.getDefiningOp<tt::MappedLoadOp>() ||
         (loop && loop.isDefinedOutsideOfLoop(value));
}

/// The first of two tensors of the rank of `value`, whose elements in turn are the elements of `value`, as those that
/// are unpacked from bytes; null where there is none.
static Value findInterleaved(Value value) {
  auto reshape = value.getDefiningOp<tt::ReshapeOp>();
  Value pairs = reshape ? skipConversions(reshape.getSrc()) : Value();
  auto transposed = pairs ? pairs.getDefiningOp<tt::TransOp>() : tt::TransOp();
  auto join = transposed ? skipConversions(transposed.getSrc()).getDefiningOp<tt::JoinOp>()
              : pairs    ? pairs.getDefiningOp<tt::JoinOp>()
                         : tt::JoinOp();
  if (!join || typeOf(join.getLhs()).getRank() != typeOf(value).getRank())
    return {};
  // The pair follows the dimension that it makes twice as long, and the others keep their places.
  SmallVector<int64_t> shape(typeOf(join.getLhs()).getShape());
  auto order = transposed ? llvm::to_vector(transposed.getOrder())
                          : llvm::to_vector(llvm::seq<int32_t>(0, int32_t(shape.size()) + 1));
  auto place = unsigned(llvm::find(order, int32_t(shape.size())) - order.begin());
  order.erase(order.begin() + place);
  if (place == 0 || !llvm::is_sorted(order))
    return {};
  shape[place - 1] *= 2;
  return typeOf(value).getShape() == llvm::ArrayRef(shape) ? join.getLhs() : Value();
}

/// The tensor from memory that `value` is computed of, element by element or from packed ones; `value` itself where
/// there is none.
static Value findSource(Value value) {
  llvm::DenseSet<Value> visited;
  SmallVector<Value> worklist{value};
  while (!worklist.empty()) {
    Value next = skipConversions(worklist.pop_back_val());
    Operation *op = next.getDefiningOp();
    if (!op || !visited.insert(next).second || typeOf(next).getRank() != typeOf(value).getRank())
      continue;
    if (Value interleaved = findInterleaved(next))
      worklist.push_back(interleaved);
    if (isa<tt::LoadOp, tt::MappedLoadOp, tt::TransOp>(op))
      return next;
    if (op->hasTrait<OpTrait::Elementwise>())
      for (Value operand : llvm::reverse(op->getOperands()))
        if (isa<RankedTensorType>(operand.getType()))
          worklist.push_back(operand);
  }
  return value;
}

/// The dimensions in the order in which threads, lanes and warps hold neighbours along them. Registers that hold places
/// further apart, where a layout starts again, do not count.
static SmallVector<unsigned> getOrderOfNeighbors(RankedTensorType type) {
  layout::LinearLayout layout = toLinearLayout(type);
  SmallVector<unsigned> order;
  auto append = [&](unsigned dimension) {
    if (!llvm::is_contained(order, dimension))
      order.push_back(dimension);
  };
  for (llvm::StringRef input : {"register", "lane", "warp"})
    for (const layout::Basis &basis : layout.findInput(input)->bases)
      for (auto [dimension, distance] : llvm::enumerate(basis))
        if (distance == 1)
          append(unsigned(dimension));
  for (unsigned dimension : getOrder(type))
    append(dimension);
  return order;
}

SmallVector<unsigned> getMemoryOrder(Value operand) {
  Value value = findSource(skipConversions(operand));
  auto rowMajor = llvm::to_vector(llvm::reverse(llvm::seq<unsigned>(0, typeOf(value).getRank())));
  if (value.getDefiningOp<tt::MappedLoadOp>()) // The layout of threads has nothing to do with it.
    return rowMajor;
  if (value.getDefiningOp<tt::LoadOp>())
    return getOrderOfNeighbors(typeOf(value));
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
  return unit.reads(isLeft, fastest == depth) && findSwizzle(type, fastest) && type.getDimSize(1 - fastest) >= 8;
}

NvmmaSharedEncodingAttr getOperandEncoding(RankedTensorType type, unsigned fastest) {
  return NvmmaSharedEncodingAttr::get(type.getContext(), *findSwizzle(type, fastest), /*transposed=*/fastest == 0,
                                      type.getElementTypeBitWidth());
}

MemDescType getOperandBufferType(RankedTensorType type, Attribute encoding) {
  return MemDescType::get(type.getContext(), type.getShape(), type.getElementType(), encoding,
                          SharedMemorySpaceAttr::get(type.getContext()), /*mutableMemory=*/false);
}

tt::LoadOp findOwnLoad(Value operand) {
  while (operand.hasOneUse() && isa_and_nonnull<ConvertLayoutOp, tt::TransOp>(operand.getDefiningOp()))
    operand = operand.getDefiningOp()->getOperand(0);
  auto load = operand.getDefiningOp<tt::LoadOp>();
  return load && load->hasOneUse() ? load : tt::LoadOp();
}

/// A buffer with what `value` holds, perhaps shared with other products.
static Value allocateOperand(OpBuilder &builder, Value value, unsigned fastest) {
  RankedTensorType type = typeOf(value);
  MemDescType buffer = getOperandBufferType(type, getOperandEncoding(type, fastest));
  for (Operation *user : value.getUsers())
    if (auto known = dyn_cast<LocalAllocOp>(user); known && known.getType() == buffer)
      return known;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(value); // What a loop does not change is stored once.
  return LocalAllocOp::create(builder, value.getLoc(), buffer, value);
}

static Value transposeBuffer(OpBuilder &builder, tt::TransOp transposed, Value source) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfter(transposed);
  auto encoding = cast<SharedEncodingInterface>(cast<MemDescType>(source.getType()).getEncoding());
  MemDescType type = getOperandBufferType(typeOf(transposed.getResult()), encoding.getPermuted(transposed.getOrder()));
  return MemDescTransOp::create(builder, transposed.getLoc(), type, source, transposed.getOrder());
}

Value createOperandBuffer(OpBuilder &builder, Value operand) {
  Value value = skipConversions(operand);
  if (auto transposed = value.getDefiningOp<tt::TransOp>())
    return transposeBuffer(builder, transposed, createOperandBuffer(builder, transposed.getSrc()));
  return allocateOperand(builder, value, getMemoryOrder(value).front());
}

/// A layout of single elements in which the lanes of a warp hold as much along `fastest` as an access may move, and lie
/// along the other dimension beside that: in buffers with a swizzle these are all banks, and in memory whole sectors.
static BlockedEncodingAttr getTurningLayout(RankedTensorType type, unsigned fastest, unsigned warps,
                                            const gpu::Machine &machine) {
  unsigned along = machine.accessBytes * 8 / type.getElementTypeBitWidth(), other = 1 - fastest;
  SmallVector<unsigned> perThread{1, 1}, threads(2), warpsPerCTA(2), order{fastest, other};
  threads[fastest] = std::min<unsigned>(along, type.getDimSize(fastest));
  threads[other] = machine.lanes / threads[fastest];
  warpsPerCTA[other] = unsigned(std::clamp<int64_t>(type.getDimSize(other) / threads[other], 1, warps));
  warpsPerCTA[fastest] = warps / warpsPerCTA[other];
  return BlockedEncodingAttr::get(type.getContext(), perThread, threads, warpsPerCTA, order);
}

Value createTurnedBuffer(OpBuilder &builder, Value operand, unsigned fastest) {
  Value value = skipConversions(operand);
  if (auto transposed = value.getDefiningOp<tt::TransOp>())
    return transposeBuffer(builder, transposed,
                           createTurnedBuffer(builder, transposed.getSrc(), unsigned(transposed.getOrder()[fastest])));
  Operation *load = value.getDefiningOp();
  setEncodingAround(load, getTurningLayout(typeOf(value), fastest, getNumWarps(load), gpu::getTarget(load).machine()));
  return allocateOperand(builder, value, fastest);
}

/// The distance along a dimension between what neighbouring lanes hold; 1 if they hold the same.
static unsigned distanceOfLanes(RankedTensorType type, unsigned dimension) {
  layout::LinearLayout layout = toLinearLayout(type);
  for (const layout::Basis &basis : layout.findInput("lane")->bases)
    if (basis[dimension] != 0)
      return unsigned(basis[dimension]);
  return 1;
}

/// Whether threads hold neighbours along a dimension.
bool holdsNeighbors(RankedTensorType type, unsigned dimension) {
  layout::LinearLayout layout = toLinearLayout(type);
  return llvm::any_of(layout.findInput("register")->bases,
                      [&](const layout::Basis &basis) { return basis[dimension] == 1; });
}

SwizzledSharedEncodingAttr getSwizzledEncoding(RankedTensorType type, llvm::ArrayRef<unsigned> order, unsigned kWidth,
                                               const gpu::Machine &machine) {
  unsigned bytes = type.getElementTypeBitWidth() / 8;
  unsigned rowBytes = unsigned(type.getDimSize(order.front())) * bytes;
  unsigned perPhase = std::max(1u, machine.sharedRowBytes() / rowBytes);
  bool isPatch =
      order.size() == 2 && kWidth != 0 && holdsNeighbors(type, order.front()) && holdsNeighbors(type, order.back());
  unsigned vectorBytes = isPatch ? std::min(kWidth * bytes, machine.accessBytes) : machine.accessBytes;
  unsigned maxPhase = std::max(1u, machine.sharedRowBytes() / vectorBytes / perPhase);
  unsigned vec = std::min<unsigned>(vectorBytes / bytes, type.getDimSize(order.front()));
  // A short row has fewer vectors than phases.
  maxPhase = std::min<unsigned>(maxPhase, std::max<int64_t>(1, type.getDimSize(order.front()) / vec));
  unsigned distance = order.size() == 2 ? distanceOfLanes(type, order.back()) / perPhase : 0;
  unsigned fold = isPatch && distance > 1 ? distance : 0;
  return SwizzledSharedEncodingAttr::get(type.getContext(), vec, perPhase, maxPhase, order,
                                         /*blockBases=*/llvm::ArrayRef<int32_t>(), fold);
}

} // namespace triton::ttg
