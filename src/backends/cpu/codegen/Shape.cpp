// Operations that do more to elements than change their index. They go through buffers.
#include "backends/cpu/codegen/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace triton::cpu {

/// The same memory with the strides of another shape.
void KernelLowering::lowerReshape(tt::ReshapeOp op) {
  if (packedShapes.contains(op))
    return;
  Buffer buffer = materialize(op.getSrc(), /*rowMajor=*/true);
  buffer.strides = rowMajorStrides(op.getType().getShape());
  setBuffer(op.getResult(), buffer);
}

void KernelLowering::lowerCat(tt::CatOp op) {
  Buffer result = allocate(op.getType());
  auto part = op.getLhs().getType();
  Buffer second = result;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(programLoop);
    second.base = lanes.offsetPointer(op.getLoc(), result.base, part.getNumElements(), result.elementType);
  }
  materializeInto(op.getLhs(), result);
  materializeInto(op.getRhs(), second);
  setBuffer(op.getResult(), result);
}

void KernelLowering::lowerGather(tt::GatherOp op) {
  Location loc = op.getLoc();
  const Buffer source = materialize(op.getSrc()), indices = materialize(op.getIndices());
  Buffer result = allocate(op.getType());
  ArrayRef<int64_t> shape = op.getType().getShape();
  int64_t axis = op.getAxis(), laneDim = shape.size() - 1;
  Type element = op.getType().getElementType();
  unsigned count = std::min<int64_t>(options.target->lanes(32), shape[laneDim]);
  openNest();
  overVectors(loc, shape, laneDim, count, [&](const TileIndex &index) {
    Lanes picked = readBuffer(loc, indices, index);
    TileIndex origin = index;
    origin.at[axis] = {};
    if (index.laneDim == axis)
      origin.laneDim = -1;
    Lanes pointer = bufferPointer(loc, source, origin);
    // Narrow types hold indices along the axis, but not places in the block.
    Value offsets = lanes.zeroExtend(loc, lanes.toVector(loc, picked, count), 32);
    Value stride = lanes.constantInt(loc, getElementTypeOrSelf(offsets.getType()), source.strides[axis]);
    offsets = arith::MulIOp::create(b, loc, offsets, lanes.splat(loc, stride, count));
    if (pointer.isAffine()) {
      Value steps = lanes.iota(loc, getElementTypeOrSelf(offsets.getType()), count, pointer.step);
      offsets = arith::AddIOp::create(b, loc, offsets, steps);
    }
    Lanes all = Lanes::uniform(lanes.constantInt(loc, b.getI1Type(), 1));
    Lanes value = lanes.load(loc, Lanes::indexed(pointer.value, offsets), all, nullptr, element, count);
    if (index.laneDim < 0)
      value = Lanes::uniform(lanes.firstLane(loc, value));
    writeBuffer(loc, result, index, value);
  });
  closeNest();
  setBuffer(op.getResult(), result);
}

void KernelLowering::lowerHistogram(tt::HistogramOp op) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getType());
  Type countType = type.getElementType();
  const Buffer source = materialize(op.getSrc());
  std::optional<Buffer> mask;
  if (op.getMask())
    mask = materialize(op.getMask());
  Buffer result = allocate(type);
  unsigned count = std::min<int64_t>(options.target->lanes(32), type.getShape()[0]);
  openNest();
  overVectors(loc, type.getShape(), 0, count, [&](const TileIndex &index) {
    writeBuffer(loc, result, index, Lanes::uniform(lanes.zero(loc, countType)));
  });
  overElements(loc, op.getSrc().getType().getShape(), [&](const TileIndex &index) {
    // Narrow types cannot hold the number of bins.
    Value bin = lanes.zeroExtend(loc, readBuffer(loc, source, index).value, 64);
    Value bins = lanes.constantI64(loc, type.getShape()[0]);
    Value counts = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, bin, bins);
    if (mask)
      counts = arith::AndIOp::create(b, loc, counts, readBuffer(loc, *mask, index).value);
    // The others use the safe address, which is never read.
    Value slot = lanes.offsetPointer(loc, result.base, bin, countType);
    slot = arith::SelectOp::create(b, loc, counts, slot, lanes.safeAddress);
    Value before = LLVM::LoadOp::create(b, loc, countType, slot);
    Value after = arith::AddIOp::create(b, loc, before, lanes.constantInt(loc, countType, 1));
    LLVM::StoreOp::create(b, loc, after, slot);
  });
  closeNest();
  setBuffer(op.getResult(), result);
}

} // namespace triton::cpu
