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

Value allocateBytes(Lowering &lowering, int64_t bytes) {
  OpBuilder &b = lowering.b;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(lowering.programs.loop);
  Value base = lowering.lanes.offsetPointer(lowering.kernel.getLoc(), lowering.scratch.base, lowering.scratch.used,
                                            b.getI8Type());
  lowering.scratch.used += int64_t(llvm::alignTo(uint64_t(bytes), bufferAlignment));
  lowering.scratch.peak = std::max(lowering.scratch.peak, lowering.scratch.used);
  return base;
}

int64_t allocateWords(Lowering &lowering, int64_t words) {
  int64_t begin = lowering.scratch.used;
  lowering.scratch.used += int64_t(llvm::alignTo(uint64_t(8 * words), bufferAlignment));
  lowering.scratch.peak = std::max(lowering.scratch.peak, lowering.scratch.used);
  return begin;
}

static Value addressOfWord(Lowering &lowering, Location loc, int64_t offset, int64_t word) {
  return lowering.lanes.offsetPointer(loc, lowering.scratch.base, offset + 8 * word, lowering.b.getI8Type());
}

Value readWord(Lowering &lowering, Location loc, int64_t offset, int64_t word) {
  return LLVM::LoadOp::create(lowering.b, loc, lowering.b.getI64Type(), addressOfWord(lowering, loc, offset, word), 8);
}

void writeWord(Lowering &lowering, Location loc, int64_t offset, int64_t word, Value value) {
  LLVM::StoreOp::create(lowering.b, loc, value, addressOfWord(lowering, loc, offset, word), 8);
}

Buffer allocate(Lowering &lowering, RankedTensorType type, int64_t fastestDim) {
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
  buffer.base = allocateBytes(lowering, size * memoryBytes(buffer.elementType));
  return buffer;
}

void setBuffer(Lowering &lowering, Value tensor, const Buffer &buffer) {
  const Buffer *known = bufferOf(lowering, tensor);
  lowering.bufferChanges.push_back({tensor, known ? std::optional(*known) : std::nullopt});
  lowering.buffers[tensor] = buffer;
  lowering.analysis.setMaterialized(tensor, true);
}

void forgetBuffersSince(Lowering &lowering, size_t mark, Region *region) {
  while (lowering.bufferChanges.size() > mark) {
    auto [tensor, before] = lowering.bufferChanges.pop_back_val();
    if (region->isAncestor(tensor.getParentRegion()))
      continue;
    if (before)
      lowering.buffers[tensor] = *before;
    else
      lowering.buffers.erase(tensor);
    lowering.analysis.setMaterialized(tensor, before.has_value());
  }
}

const Buffer *bufferOf(const Lowering &lowering, Value tensor) {
  auto found = lowering.buffers.find(tensor);
  return found == lowering.buffers.end() ? nullptr : &found->second;
}

} // namespace triton::cpu
