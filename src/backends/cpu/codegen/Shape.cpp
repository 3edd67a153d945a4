// Operations that do more to elements than change their index. They go through buffers.
#include "backends/cpu/codegen/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace triton::cpu {

/// The same memory with the strides of another shape.
void lowerReshape(Lowering &lowering, tt::ReshapeOp op) {
  if (llvm::any_of(lowering.supplies, [&](const auto &supply) { return supply->describesPacking(op); }))
    return;
  Buffer buffer = materialize(lowering, op.getSrc(), /*rowMajor=*/true);
  buffer.strides = rowMajorStrides(op.getType().getShape());
  setBuffer(lowering, op.getResult(), buffer);
}

void lowerCat(Lowering &lowering, tt::CatOp op) {
  OpBuilder &b = lowering.b;
  Buffer result = allocate(lowering, op.getType());
  auto part = op.getLhs().getType();
  Buffer second = result;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(lowering.programs.loop);
    second.base = lowering.lanes.offsetPointer(op.getLoc(), result.base, part.getNumElements(), result.elementType);
  }
  materializeInto(lowering, op.getLhs(), result);
  materializeInto(lowering, op.getRhs(), second);
  setBuffer(lowering, op.getResult(), result);
}

void lowerGather(Lowering &lowering, tt::GatherOp op) {
  OpBuilder &b = lowering.b;
  LaneEmitter &lanes = lowering.lanes;
  Location loc = op.getLoc();
  const Buffer source = materialize(lowering, op.getSrc()), indices = materialize(lowering, op.getIndices());
  Buffer result = allocate(lowering, op.getType());
  ArrayRef<int64_t> shape = op.getType().getShape();
  int64_t axis = op.getAxis(), laneDim = shape.size() - 1;
  Type element = op.getType().getElementType();
  unsigned count = std::min<int64_t>(lowering.options.target->lanes(32), shape[laneDim]);
  openNest(lowering);
  overVectors(lowering, loc, shape, laneDim, count, [&](const TileIndex &index) {
    Lanes picked = readBuffer(lowering, loc, indices, index);
    TileIndex origin = index;
    origin.at[axis] = {};
    if (index.laneDim == axis)
      origin.laneDim = -1;
    Lanes pointer = bufferPointer(lowering, loc, source, origin);
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
    writeBuffer(lowering, loc, result, index, value);
  });
  closeNest(lowering);
  setBuffer(lowering, op.getResult(), result);
}

void lowerHistogram(Lowering &lowering, tt::HistogramOp op) {
  OpBuilder &b = lowering.b;
  LaneEmitter &lanes = lowering.lanes;
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getType());
  Type countType = type.getElementType();
  const Buffer source = materialize(lowering, op.getSrc());
  std::optional<Buffer> mask;
  if (op.getMask())
    mask = materialize(lowering, op.getMask());
  Buffer result = allocate(lowering, type);
  unsigned count = std::min<int64_t>(lowering.options.target->lanes(32), type.getShape()[0]);
  openNest(lowering);
  overVectors(lowering, loc, type.getShape(), 0, count, [&](const TileIndex &index) {
    writeBuffer(lowering, loc, result, index, Lanes::uniform(lanes.zero(loc, countType)));
  });
  overElements(lowering, loc, op.getSrc().getType().getShape(), [&](const TileIndex &index) {
    // Narrow types cannot hold the number of bins.
    Value bin = lanes.zeroExtend(loc, readBuffer(lowering, loc, source, index).value, 64);
    Value bins = lanes.constantI64(loc, type.getShape()[0]);
    Value counts = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, bin, bins);
    if (mask)
      counts = arith::AndIOp::create(b, loc, counts, readBuffer(lowering, loc, *mask, index).value);
    // The others use the safe address, which is never read.
    Value slot = lanes.offsetPointer(loc, result.base, bin, countType);
    slot = arith::SelectOp::create(b, loc, counts, slot, lanes.safeAddress);
    Value before = LLVM::LoadOp::create(b, loc, countType, slot);
    Value after = arith::AddIOp::create(b, loc, before, lanes.constantInt(loc, countType, 1));
    LLVM::StoreOp::create(b, loc, after, slot);
  });
  closeNest(lowering);
  setBuffer(lowering, op.getResult(), result);
}

} // namespace triton::cpu
