// Tensor descriptor operations of the dialect tt: verifiers.
#include "ir/Dialect.h"
#include "ir/UnitDimensions.h"

using namespace mlir;

namespace triton::tt {

static int64_t rankOf(Value descriptor) { return cast<TensorDescType>(descriptor.getType()).getBlockType().getRank(); }

/// Checks that there is one offset for each dimension, and that `value` is a block of the descriptor. Leading
/// dimensions of extent 1 of the block may be missing from the value.
static LogicalResult verifyBlock(Operation *op, Value descriptor, ValueRange indices, Type value) {
  if (int64_t(indices.size()) != rankOf(descriptor))
    return op->emitOpError() << "has " << indices.size() << " offsets, but the descriptor has rank "
                             << rankOf(descriptor);
  RankedTensorType block = cast<TensorDescType>(descriptor.getType()).getSignlessBlockType();
  auto tensor = cast<RankedTensorType>(value);
  if (!isAfterUnits(tensor.getShape(), block.getShape()) || block.getElementType() != tensor.getElementType())
    return op->emitOpError() << "accesses " << value << ", but the descriptor's block is " << block;
  return success();
}

LogicalResult MakeTensorDescOp::verify() {
  RankedTensorType block = cast<TensorDescType>(getType()).getSignlessBlockType();
  if (int64_t(getShape().size()) != block.getRank())
    return emitOpError() << "has " << getShape().size() << " extents, but the block has rank " << block.getRank();
  Type pointee = cast<PointerType>(getBase().getType()).getPointeeType();
  if (pointee != block.getElementType())
    return emitOpError() << "points to " << pointee << ", but the elements of the block are " << block.getElementType();
  if (getPadding() == PaddingOption::NaN && !isa<FloatType>(pointee))
    return emitOpError() << "pads with nan, but the elements are " << pointee;
  if (getRoundToTF32() && !pointee.isF32())
    return emitOpError() << "rounds to tf32, but the elements are " << pointee;
  return success();
}

LogicalResult DescriptorLoadOp::verify() { return verifyBlock(*this, getDesc(), getIndices(), getType()); }

LogicalResult DescriptorStoreOp::verify() { return verifyBlock(*this, getDesc(), getIndices(), getSrc().getType()); }

LogicalResult DescriptorReduceOp::verify() { return verifyBlock(*this, getDesc(), getIndices(), getSrc().getType()); }

/// Gather and scatter move rows: the block is one row, the value has one row for each row number.
static LogicalResult verifyRows(Operation *op, Value descriptor, Value rows, Type value) {
  RankedTensorType block = cast<TensorDescType>(descriptor.getType()).getSignlessBlockType();
  auto rowsType = cast<RankedTensorType>(rows.getType()), tensor = cast<RankedTensorType>(value);
  if (block.getRank() != 2 || block.getDimSize(0) != 1)
    return op->emitOpError() << "needs a descriptor whose block is one row, not " << block;
  if (rowsType.getRank() != 1)
    return op->emitOpError() << "needs row numbers of rank 1, not " << rowsType;
  if (tensor.getRank() != 2 || tensor.getDimSize(0) != rowsType.getDimSize(0) ||
      tensor.getDimSize(1) != block.getDimSize(1) || tensor.getElementType() != block.getElementType())
    return op->emitOpError() << "moves " << tensor << ", but the row numbers are " << rowsType << " and the block is "
                             << block;
  return success();
}

LogicalResult DescriptorGatherOp::verify() { return verifyRows(*this, getDesc(), getXOffsets(), getType()); }

LogicalResult DescriptorScatterOp::verify() { return verifyRows(*this, getDesc(), getXOffsets(), getSrc().getType()); }

} // namespace triton::tt
