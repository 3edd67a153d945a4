// Tensors in memory: the scratch area, which each thread owns.
#include "backends/cpu/codegen/Lowering.h"

using namespace mlir;

namespace triton::cpu {

static constexpr int64_t bufferAlignment = 64;

bool Buffer::isRowMajor(ArrayRef<int64_t> shape) const {
  int64_t expected = 1;
  for (size_t dim = shape.size(); dim-- > 0; expected *= shape[dim])
    if (shape[dim] != 1 && strides[dim] != expected)
      return false;
  return true;
}

SmallVector<int64_t, 4> rowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t, 4> strides(shape.size());
  int64_t stride = 1;
  for (size_t dim = shape.size(); dim-- > 0; stride *= shape[dim])
    strides[dim] = stride;
  return strides;
}

Value KernelLowering::allocateBytes(int64_t bytes) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(programLoop);
  Value base = lanes.offsetPointer(kernel.getLoc(), scratch, scratchUsed, b.getI8Type());
  scratchUsed += int64_t(llvm::alignTo(uint64_t(bytes), bufferAlignment));
  scratchPeak = std::max(scratchPeak, scratchUsed);
  return base;
}

int64_t KernelLowering::allocateWords(int64_t words) {
  int64_t begin = scratchUsed;
  scratchUsed += int64_t(llvm::alignTo(uint64_t(8 * words), bufferAlignment));
  scratchPeak = std::max(scratchPeak, scratchUsed);
  return begin;
}

Value KernelLowering::addressOfWord(Location loc, int64_t offset, int64_t word) {
  return lanes.offsetPointer(loc, scratch, offset + 8 * word, b.getI8Type());
}

Buffer KernelLowering::allocate(RankedTensorType type, int64_t fastestDim) {
  Buffer buffer;
  buffer.elementType = type.getElementType();
  buffer.strides.assign(type.getRank(), 0);
  int64_t size = 1;
  auto place = [&](int64_t dim) {
    buffer.strides[dim] = size;
    size *= type.getShape()[dim];
  };
  if (fastestDim >= 0)
    place(fastestDim);
  for (int64_t dim = type.getRank(); dim-- > 0;)
    if (dim != fastestDim)
      place(dim);
  buffer.base = allocateBytes(size * memoryBytes(buffer.elementType));
  return buffer;
}

void KernelLowering::setBuffer(Value tensor, const Buffer &buffer) {
  const Buffer *known = bufferOf(tensor);
  bufferChanges.push_back({tensor, known ? std::optional(*known) : std::nullopt});
  buffers[tensor] = buffer;
  analysis.setMaterialized(tensor, true);
}

void KernelLowering::forgetBuffersSince(size_t mark, Region *region) {
  while (bufferChanges.size() > mark) {
    auto [tensor, before] = bufferChanges.pop_back_val();
    if (region->isAncestor(tensor.getParentRegion()))
      continue;
    if (before)
      buffers[tensor] = *before;
    else
      buffers.erase(tensor);
    analysis.setMaterialized(tensor, before.has_value());
  }
}

const Buffer *KernelLowering::bufferOf(Value tensor) const {
  auto found = buffers.find(tensor);
  return found == buffers.end() ? nullptr : &found->second;
}

} // namespace triton::cpu
