#include "gpu/lowering/IndexedTile.h"

#include "gpu/lowering/TargetEmitter.h"

using namespace mlir;

namespace triton::gpu {

IndexedTile IndexedTile::of(Emitter &emitter, TypedValue<ttg::MemDescType> buffer, unsigned axis) {
  ttg::MemDescType type = buffer.getType();
  auto tile = RankedTensorType::get(type.getShape(), type.getElementType());
  return {tile, emitter.scalar(buffer), ttg::getElementOffsets(type), axis, ttg::getPaddings(type)};
}

SmallVector<int32_t> IndexedTile::basesOfAxis() const {
  SmallVector<int32_t> bases;
  for (const layout::Basis &basis : memory.inputs()[axis].bases)
    bases.push_back(basis.front());
  return bases;
}

LinearLayout IndexedTile::placesAtZero(const LinearLayout &layout) const {
  SmallVector<layout::Input> inputs(layout.inputs());
  for (layout::Input &input : inputs)
    for (layout::Basis &basis : input.bases)
      basis[axis] = 0;
  SmallVector<layout::Output> outputs(layout.outputs());
  for (auto [output, size] : llvm::zip_equal(outputs, type.getShape()))
    output.size = int32_t(size);
  return {inputs, outputs};
}

IndexedAddresses::IndexedAddresses(Emitter &emitter, const IndexedTile &tile, const LinearLayout &layout)
    : emitter(emitter), tile(tile), map(tile.placesAtZero(layout).compose(tile.memory), 0),
      threadPart(map.emitThreadPart(emitter)), bases(tile.basesOfAxis()), changingBits(map.threadBits()) {
  for (int32_t basis : bases)
    changingBits |= basis;
}

Value IndexedAddresses::of(unsigned number, Value index) {
  Value start = emitLinear(emitter, unsignedWord(emitter, index), bases, threadPart);
  Value offset =
      emitPaddings(emitter, combineIndex(emitter, start, changingBits, map.ofRegister(number)), tile.paddings);
  unsigned bytes = memoryBytes(emitter.convertElement(tile.type));
  return emitter.offsetPointer(tile.base, emitter.shiftLeft(offset, llvm::Log2_32(bytes)));
}

Value unsignedWord(Emitter &emitter, Value value) {
  Type word = emitter.b.getI32Type();
  unsigned width = value.getType().getIntOrFloatBitWidth();
  if (width == 32)
    return value;
  return width > 32 ? Value(LLVM::TruncOp::create(emitter.b, word, value))
                    : LLVM::ZExtOp::create(emitter.b, word, value);
}

} // namespace triton::gpu
