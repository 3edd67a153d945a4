// Verifiers and folds of the operations of dialect ttg.
#include "gpu/ir/BufferViews.h"
#include "gpu/ir/ForeignDialects.h"
#include "gpu/ir/TensorMemoryPlaces.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace triton::ttg {

//===----------------------------------------------------------------------===//
// ConvertLayoutOp
//===----------------------------------------------------------------------===//

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  return {};
}

/// A value that is the same in every layout needs no conversion: it is made in the requested layout. Of two consecutive
/// conversions, only the last counts.
LogicalResult ConvertLayoutOp::canonicalize(ConvertLayoutOp op, PatternRewriter &rewriter) {
  Operation *source = op.getSrc().getDefiningOp();
  if (!source)
    return failure();
  if (auto inner = dyn_cast<ConvertLayoutOp>(source)) {
    rewriter.replaceOpWithNewOp<ConvertLayoutOp>(op, op.getType(), inner.getSrc());
    return success();
  }
  if (auto splat = dyn_cast<tt::SplatOp>(source)) {
    rewriter.replaceOpWithNewOp<tt::SplatOp>(op, op.getType(), splat.getSrc());
    return success();
  }
  if (auto range = dyn_cast<tt::MakeRangeOp>(source)) {
    rewriter.replaceOpWithNewOp<tt::MakeRangeOp>(op, op.getType(), range.getStartAttr(), range.getEndAttr());
    return success();
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(source))
    if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue())) {
      auto type = cast<RankedTensorType>(op.getType());
      rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, type, splat.resizeSplat(type));
      return success();
    }
  if (auto load = dyn_cast<LocalLoadOp>(source); load && load->hasOneUse()) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(load);
    rewriter.replaceOpWithNewOp<LocalLoadOp>(op, op.getType(), load.getSrc(), load.getToken());
    return success();
  }
  return failure();
}

//===----------------------------------------------------------------------===//
// InlineAsmOp
//===----------------------------------------------------------------------===//

/// Code that is not declared pure may read and write anything.
void InlineAsmOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (getPure())
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

Speculation::Speculatability InlineAsmOp::getSpeculatability() {
  return getPure() ? Speculation::Speculatable : Speculation::NotSpeculatable;
}

void InlineAsmOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &accesses) {
  for (Value operand : getArgs())
    if (isa<MemDescType>(operand.getType()))
      accesses.push_back({operand, /*isWrite=*/true});
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

void LocalAllocOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Allocate::get(), getOperation()->getOpResult(0), SharedMemory::get());
  if (getSrc())
    effects.emplace_back(MemoryEffects::Write::get(), getOperation()->getOpResult(0), SharedMemory::get());
}

LogicalResult verifyTransfer(Operation *op, Type tensor, MemDescType buffer) {
  auto type = cast<RankedTensorType>(tensor);
  if (type.getShape() != buffer.getShape() || type.getElementType() != buffer.getElementType())
    return op->emitOpError() << "moves " << type << " to or from " << buffer << ", but shape and element must agree";
  return success();
}

LogicalResult LocalAllocOp::verify() {
  if (getSrc())
    return verifyTransfer(*this, getSrc().getType(), getType());
  if (!getType().getMutableMemory())
    return emitOpError() << "makes a buffer without contents, which must be mutable";
  if (getType().isPart())
    return emitOpError() << "makes a whole buffer, not " << getType();
  return success();
}

LogicalResult LocalLoadOp::verify() { return verifyTransfer(*this, getType(), getSrc().getType()); }

/// Whether `elements` may be those of a buffer at `indices` along dimension `axis`.
static LogicalResult verifyIndexed(Operation *op, llvm::StringRef accesses, MemDescType buffer, Type indexType,
                                   Type elements, int64_t axis) {
  auto indices = cast<RankedTensorType>(indexType);
  if (elements != RankedTensorType::get(indices.getShape(), buffer.getElementType(), indices.getEncoding()))
    return op->emitOpError() << accesses << " elements of " << buffer << " at " << indices << ", which are not "
                             << elements;
  if (buffer.getRank() != indices.getRank() || axis >= indices.getRank())
    return op->emitOpError() << accesses << " along dimension " << axis << " of " << buffer << " at " << indices
                             << ", but both must have the same rank, which is larger than that";
  for (int64_t dimension = 0; dimension < indices.getRank(); ++dimension)
    if (dimension != axis && buffer.getShape()[dimension] != indices.getDimSize(dimension))
      return op->emitOpError() << accesses << " elements of " << buffer << " at " << indices << ", but only dimension "
                               << axis << " may differ";
  return success();
}

LogicalResult LocalGatherOp::verify() {
  return verifyIndexed(*this, "reads", getSrc().getType(), getIndices().getType(), getType(), getAxis());
}

LogicalResult LocalScatterOp::verify() {
  if (!getDst().getType().getMutableMemory())
    return emitOpError() << "writes to a buffer that is not mutable";
  return verifyIndexed(*this, "writes", getDst().getType(), getIndices().getType(), getValues().getType(), getAxis());
}

LogicalResult LocalAtomicScatterRMWOp::verify() {
  if (!getDst().getType().getMutableMemory())
    return emitOpError() << "writes to a buffer that is not mutable";
  return verifyIndexed(*this, "changes", getDst().getType(), getIndices().getType(), getType(), getAxis());
}

LogicalResult LocalStoreOp::verify() {
  if (!getDst().getType().getMutableMemory())
    return emitOpError() << "writes to a buffer that is not mutable";
  return verifyTransfer(*this, getSrc().getType(), getDst().getType());
}

LogicalResult AsyncRemoteStoreOp::verify() {
  if (!getDst().getType().getMutableMemory())
    return emitOpError() << "writes to a buffer that is not mutable";
  if (getWholeValue())
    return success(); // The types are those of a block's parts.
  return verifyTransfer(*this, getSrc().getType(), getDst().getType());
}

LogicalResult MemDescIndexOp::verify() {
  MemDescType source = getSrc().getType(), result = getType();
  if (source.getShape().empty() || source.getShape().drop_front() != result.getShape() ||
      source.getElementType() != result.getElementType())
    return emitOpError() << "takes an element of the first dimension of " << source << ", which is not " << result;
  if (source.isPart() || result.isPart())
    return emitOpError() << "takes one of several buffers, but " << source << " is a part of one";
  if (source.getEncoding() != result.getEncoding())
    return emitOpError() << "gives a view the encoding " << result.getEncoding() << ", its buffer has "
                         << source.getEncoding();
  return success();
}

OpFoldResult AdvanceSlotOp::fold(FoldAdaptor adaptor) {
  auto slot = dyn_cast_or_null<IntegerAttr>(adaptor.getSlot());
  if (!slot)
    return {};
  int64_t next = slot.getInt() + 1;
  return IntegerAttr::get(getType(), next == int64_t(getSlots()) ? 0 : next);
}

LogicalResult MemDescTransOp::verify() {
  MemDescType source = getSrc().getType(), result = getType();
  if (getOrder().size() != source.getShape().size())
    return emitOpError() << "needs an order of all dimensions of " << source;
  for (auto [dimension, from] : llvm::enumerate(getOrder()))
    if (from < 0 || std::size_t(from) >= source.getShape().size() ||
        result.getShape()[dimension] != source.getShape()[from])
      return emitOpError() << "permutes " << source << " into " << result << ", whose shape does not follow";
  SmallVector<int64_t> whole;
  for (int32_t from : getOrder())
    whole.push_back(source.getAllocShape()[from]);
  if (result.getEncoding() != getPermutedEncoding(source, getOrder()) ||
      result.getAllocShape() != llvm::ArrayRef(whole))
    return emitOpError() << "permutes " << source << " into " << result << ", whose encoding does not follow";
  return success();
}

int64_t MemDescSubsliceOp::getStart() {
  layout::LinearLayout places = getElementOffsets(getSrc().getType());
  int64_t start = 0;
  for (auto [input, offset] : llvm::zip_equal(places.inputs(), getOffsets()))
    for (auto [bit, basis] : llvm::enumerate(input.bases))
      start ^= (offset >> bit & 1) != 0 ? basis.front() : 0;
  return start;
}

LogicalResult MemDescSubsliceOp::verify() {
  MemDescType source = getSrc().getType(), result = getType();
  bool isOfBuffers = cast<SharedEncodingInterface>(source.getEncoding()).getRank() != source.getShape().size();
  auto expected = MemDescType::get(getContext(), result.getShape(), source.getElementType(), source.getEncoding(),
                                   source.getMemorySpace(), source.getMutableMemory() && result.getMutableMemory(),
                                   source.getAllocShape());
  if (isOfBuffers || getOffsets().size() != source.getShape().size() ||
      result.getShape().size() != source.getShape().size() || result != expected)
    return emitOpError() << "takes a part of " << source << ", which is not " << result;
  for (auto [offset, extent, whole] : llvm::zip_equal(getOffsets(), result.getShape(), source.getShape()))
    if (offset < 0 || offset % extent != 0 || offset + extent > whole)
      return emitOpError() << "takes " << extent << " of " << whole << " elements from " << offset
                           << " on, but a part must lie inside and start at a multiple of its extent";
  return success();
}

/// Whether the offset at which the part starts has bits in common with those of its elements.
static bool startsInPattern(MemDescSubsliceOp part) {
  int64_t own = 0;
  layout::LinearLayout places = getElementOffsets(part.getType());
  for (const layout::Input &input : places.inputs())
    for (const layout::Basis &basis : input.bases)
      own |= basis.front();
  return (own & part.getStart()) != 0;
}

bool cutsPattern(MemDescSubsliceOp part) { return startsInPattern(part) || findCutStart(part.getSrc()) != 0; }

int64_t findCutStart(Value view) {
  SmallVector<MemDescSubsliceOp> parts;
  while (isa_and_nonnull<MemDescSubsliceOp, MemDescTransOp>(view.getDefiningOp())) {
    if (auto part = view.getDefiningOp<MemDescSubsliceOp>())
      parts.push_back(part);
    view = view.getDefiningOp()->getOperand(0);
  }
  int64_t start = 0;
  for (MemDescSubsliceOp part : llvm::reverse(parts)) // the part of the whole buffer first
    if (start != 0 || startsInPattern(part))
      start ^= part.getStart();
  return start;
}

LogicalResult MemDescReshapeOp::verify() {
  MemDescType source = getSrc().getType(), result = getType();
  if (source.isPart() || result.isPart())
    return emitOpError() << "takes and gives whole buffers, not " << (source.isPart() ? source : result);
  if (source.getNumElements() != result.getNumElements() || source.getElementType() != result.getElementType() ||
      source.getMutableMemory() != result.getMutableMemory())
    return emitOpError() << "gives the elements of " << source << " another shape, which is not " << result;
  if (result.getEncoding() != getReshapedEncoding(source, result.getShape()))
    return emitOpError() << "gives " << source << " another shape as " << result << ", whose encoding does not follow";
  return success();
}

/// The paddings in bytes.
static SmallVector<int64_t> paddingBytes(MemDescType type) {
  Type element = type.getElementType();
  int64_t bytes = element.isIntOrFloat() ? std::max(8u, element.getIntOrFloatBitWidth()) / 8 : 8;
  return llvm::map_to_vector(getPaddings(type), [&](int32_t elements) { return elements * bytes; });
}

LogicalResult MemDescReinterpretOp::verify() {
  MemDescType source = getSrc().getType(), result = getType();
  if (isInTensorMemory(source) != isInTensorMemory(result))
    return emitOpError() << "gives a buffer in another memory, " << result << " for " << source;
  if (isInTensorMemory(source)) {
    uint64_t own = countTensorMemoryColumns(source), wanted = countTensorMemoryColumns(result);
    if (wanted <= own && !source.isPart() && !result.isPart())
      return success();
    return emitOpError() << "gives the " << own << " columns of " << source << " the type " << result << ", which has "
                         << wanted;
  }
  auto bytes = [](MemDescType type) {
    Type element = type.getElementType();
    unsigned bits = element.isIntOrFloat() ? std::max(8u, element.getIntOrFloatBitWidth()) : 64;
    return type.getNumElements() * (bits / 8);
  };
  auto alignment = [&](MemDescType type) {
    return cast<SharedEncodingInterface>(type.getEncoding()).getAlignment(std::size_t(bytes(type)));
  };
  if (source.isPart() || result.isPart())
    return emitOpError() << "takes and gives whole buffers, not " << (source.isPart() ? source : result);
  if (bytes(result) > bytes(source) || source.getMutableMemory() != result.getMutableMemory())
    return emitOpError() << "gives the " << bytes(source) << " bytes of " << source << " the type " << result
                         << ", which has " << bytes(result);
  if (paddingBytes(source) != paddingBytes(result))
    return emitOpError() << "gives " << source << " the type " << result << ", which has other paddings";
  if (alignment(result) > alignment(source))
    return emitOpError() << "gives " << source << " a type that needs an alignment of " << alignment(result)
                         << " bytes, which it may not have";
  return success();
}

LogicalResult AsyncCopyGlobalToLocalOp::verify() {
  auto pointers = cast<RankedTensorType>(getSrc().getType());
  MemDescType buffer = getDst().getType();
  if (!buffer.getMutableMemory())
    return emitOpError() << "copies to a buffer that is not mutable";
  auto element = cast<tt::PointerType>(pointers.getElementType()).getPointeeType();
  if (pointers.getShape() != buffer.getShape() || element != buffer.getElementType())
    return emitOpError() << "copies from " << pointers << " to " << buffer << ", but shape and element must agree";
  return success();
}

/// Whether elements of type `tensor` lie behind `pointer`.
static LogicalResult verifyPointee(Operation *op, Type pointer, Type tensor) {
  Type pointee = cast<tt::PointerType>(pointer).getPointeeType();
  if (cast<RankedTensorType>(tensor).getElementType() != pointee)
    return op->emitOpError() << "accesses elements of " << tensor << " behind " << pointer
                             << ", but the types of the elements must agree";
  return success();
}

LogicalResult BufferLoadOp::verify() { return verifyPointee(*this, getPtr().getType(), getType()); }
LogicalResult BufferStoreOp::verify() { return verifyPointee(*this, getPtr().getType(), getValue().getType()); }
LogicalResult BufferAtomicRMWOp::verify() { return verifyPointee(*this, getPtr().getType(), getType()); }

/// Whether the types of a widening of elements of `shape` are right. `scale` may be null.
static LogicalResult verifyWidening(Operation *op, llvm::ArrayRef<int64_t> shape, Type scale, Type result) {
  for (Type type : {scale, result})
    if (auto tensor = dyn_cast_or_null<RankedTensorType>(type)) {
      if (tensor.getShape() != shape)
        return op->emitOpError() << "makes elements of the shape " << shape << ", not of " << tensor;
      if (!tensor.getElementType().isF16() && !tensor.getElementType().isBF16())
        return op->emitOpError() << "takes scales and makes elements of f16 or bf16, not of " << tensor;
    }
  return success();
}

LogicalResult Fp4ToFpOp::verify() {
  RankedTensorType source = getSrc().getType();
  if (!source.getElementType().isInteger(8))
    return emitOpError() << "takes bytes with two codes each, not " << source;
  if (getAxis() >= source.getRank())
    return emitOpError() << "has the axis " << getAxis() << ", but " << source << " has " << source.getRank()
                         << " dimensions";
  SmallVector<int64_t> shape(source.getShape());
  shape[getAxis()] *= 2;
  return verifyWidening(*this, shape, getScale() ? getScale().getType() : Type(), getType());
}

LogicalResult Fp8ToFpOp::verify() {
  RankedTensorType source = getSrc().getType();
  if (source.getElementTypeBitWidth() != 8)
    return emitOpError() << "takes floats of 8 bits, not " << source;
  return verifyWidening(*this, source.getShape(), getScale().getType(), getType());
}

LogicalResult SetAutoLayoutOp::verify() {
  if (!isa_and_nonnull<AutoEncodingAttr>(getSrc().getType().getEncoding()))
    return emitOpError() << "takes a tensor with the layout #ttg.auto, not " << getSrc().getType();
  Attribute encoding = cast<RankedTensorType>(getType()).getEncoding();
  if (!encoding || isa<AutoEncodingAttr, SharedEncodingInterface>(encoding))
    return emitOpError() << "gives a tensor with a layout, not " << getType();
  return success();
}

LogicalResult TakeColumnsOp::verify() {
  auto source = cast<RankedTensorType>(getSrc().getType()), result = cast<RankedTensorType>(getType());
  if (source.getRank() != 2 || result.getRank() != 2 || source.getElementType() != result.getElementType() ||
      source.getDimSize(0) != result.getDimSize(0) ||
      int64_t(getFirst()) + result.getDimSize(1) > source.getDimSize(1) || getFirst() % result.getDimSize(1) != 0)
    return emitOpError() << "takes columns of " << source << " from " << getFirst() << " on, which " << result
                         << " does not hold";
  return success();
}

/// Whether boxes, one after the other, are the rows of each piece of a buffer.
static bool consistsOfBoxes(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> box, int64_t piece) {
  if (box.size() < shape.size() ||
      llvm::any_of(box.drop_back(shape.size()), [](int64_t extent) { return extent != 1; }))
    return false;
  box = box.take_back(shape.size());
  if (shape.size() == 1 ? shape[0] % box[0] != 0 : box.back() != piece)
    return false;
  bool isCut = false; // What is around a dimension of which a box has a part is in other boxes.
  for (std::size_t dimension = shape.size() - 1; dimension-- > 0;) {
    if (shape[dimension] % box[dimension] != 0 || (isCut && box[dimension] != 1))
      return false;
    isCut |= box[dimension] != shape[dimension];
  }
  return true;
}

/// Whether copies through `map` move `buffer` in boxes.
static LogicalResult verifyBoxes(Operation *op, tt::TensorDescType map, MemDescType buffer, std::size_t indices) {
  llvm::ArrayRef<int64_t> box = map.getBlockType().getShape(), shape = buffer.getShape();
  auto encoding = dyn_cast<NvmmaSharedEncodingAttr>(buffer.getEncoding());
  if (!encoding || encoding.getTransposed() || encoding.getRank() != shape.size())
    return op->emitOpError() << "copies " << buffer
                             << ", but bulk copies access blocks whose encoding is nvmma_shared, not transposed";
  if (indices != box.size() || !consistsOfBoxes(shape, box, encoding.getBox(shape).back()))
    return op->emitOpError() << "copies boxes of " << map.getBlockType() << ", of which " << buffer
                             << " does not consist";
  return success();
}

/// Whether each warp has the numbers of rows that stand side by side in `buffer`, four at once, in all its lanes.
static LogicalResult verifyRows(Operation *op, RankedTensorType rows, tt::TensorDescType map, MemDescType buffer) {
  llvm::ArrayRef<int64_t> box = map.getBlockType().getShape();
  if (box.size() != 2 || box[0] != 1 || buffer.getShape().size() != 2 || rows.getRank() != 1)
    return op->emitOpError() << "copies rows of blocks of " << map.getBlockType() << " to or from " << buffer
                             << "; blocks must have one row, and buffers two dimensions";
  if (rows.getDimSize(0) != buffer.getDimSize(0))
    return op->emitOpError() << "has numbers of " << rows.getDimSize(0) << " rows, but the buffer, " << buffer
                             << ", has " << buffer.getDimSize(0);
  constexpr int32_t rowsOfCopy = 4;
  layout::LinearLayout layout = toLinearLayout(rows);
  const layout::Input &registers = *layout.findInput("register"), &lanes = *layout.findInput("lane");
  bool hasNeighbours = registers.bits() >= 2 && registers.bases[0].front() == 1 && registers.bases[1].front() == 2;
  bool isEqual = llvm::all_of(lanes.bases, [](const layout::Basis &basis) { return basis.front() == 0; });
  if (rows.getDimSize(0) < rowsOfCopy || !hasNeighbours || !isEqual)
    return op->emitOpError()
           << "needs in each thread the numbers of four rows that are neighbours in the buffer, equal "
              "in all threads of a warp, not "
           << rows
           << "; such a layout is `SliceLayout(0, BlockedLayout([1, 4], [threads of a warp, 1], [1, "
              "warps], [1, 0]))`";
  return success();
}

LogicalResult AsyncMappedLoadOp::verify() {
  if (!getDst().getType().getMutableMemory())
    return emitOpError() << "copies to a buffer that is not mutable";
  if (getRows() && (!getByFirst() || getAllBlocks()))
    return emitOpError() << "copies rows with the threads of one block, all of which come";
  if (getRows() && failed(verifyRows(*this, getRows().getType(), getMap().getType(), getDst().getType())))
    return failure();
  return verifyBoxes(*this, getMap().getType(), getDst().getType(), getIndices().size() + (getRows() ? 1 : 0));
}

LogicalResult AsyncMappedStoreOp::verify() {
  std::size_t rank = getIndices().size() + (getRows() ? 1 : 0);
  if (getShape().size() != rank || getStrides().size() != rank)
    return emitOpError() << "needs as many extents and strides as indices";
  if (getRows() && failed(verifyRows(*this, getRows().getType(), getMap().getType(), getSrc().getType())))
    return failure();
  return verifyBoxes(*this, getMap().getType(), getSrc().getType(), rank);
}

void WarpGroupDotOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  for (OpOperand *operand : {&getAMutable(), &getBMutable()})
    if (isa<MemDescType>(operand->get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), operand, SharedMemory::get());
}

LogicalResult WarpGroupDotOp::verify() {
  auto extents = [](Value value) { return cast<ShapedType>(value.getType()).getShape(); };
  llvm::ArrayRef<int64_t> a = extents(getA()), b = extents(getB()), d = extents(getD());
  if (a.size() != 2 || b.size() != 2 || d.size() != 2 || a[1] != b[0] || a[0] != d[0] || b[1] != d[1])
    return emitOpError() << "multiplies " << getA().getType() << " and " << getB().getType()
                         << ", whose shapes do not give " << getType();
  return success();
}

bool WarpGroupDotOp::takesLeftFromThreads() {
  auto buffer = dyn_cast<MemDescType>(getA().getType());
  auto encoding = buffer ? dyn_cast<NvmmaSharedEncodingAttr>(buffer.getEncoding()) : NvmmaSharedEncodingAttr();
  return encoding && encoding.getTransposed() && encoding.getElementBitWidth() == 32;
}

LogicalResult WarpGroupDotWaitOp::verify() {
  if (getInputs().getTypes() != getOutputs().getTypes())
    return emitOpError() << "must have results of the types of its operands";
  return success();
}

LogicalResult WarpSpecializeOp::verify() {
  std::size_t partitions = getPartitions().size(), registers = getPartitionRegisters().size();
  if (getPartitionWarps().size() != partitions || (registers != 0 && registers != partitions))
    return emitOpError() << "has " << partitions << " partitions, and numbers of warps or registers for others";
  if (!llvm::all_of(getPartitionWarps(),
                    [](int32_t warps) { return warps > 0 && llvm::isPowerOf2_32(uint32_t(warps)); }))
    return emitOpError() << "has a partition whose number of warps is not a power of two";
  return success();
}

//===----------------------------------------------------------------------===//
// Iterations that do not exist
//===----------------------------------------------------------------------===//

void AsyncCopyGlobalToLocalOp::predicate(OpBuilder &builder, Value condition) {
  getMaskMutable().assign(conjoinMask(builder, getLoc(), condition, getSrc().getType(), getMask()));
}

/// The group is closed nevertheless, because waits count groups.
void AsyncCommitGroupOp::predicate(OpBuilder &, Value) {}

/// Waiting does no harm.
void AsyncWaitOp::predicate(OpBuilder &, Value) {}

/// Reads whatever is in the buffer.
void LocalLoadOp::predicate(OpBuilder &, Value) {}

} // namespace triton::ttg
