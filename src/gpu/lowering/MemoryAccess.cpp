#include "gpu/analysis/BufferAddress.h"
#include "gpu/lowering/RelatedRegisters.h"
#include "gpu/lowering/TargetEmitter.h"

using namespace mlir;

namespace triton::gpu {

unsigned memoryBytes(Type element) {
  return isa<LLVM::LLVMPointerType>(element) ? 8 : std::max(1u, element.getIntOrFloatBitWidth() / 8);
}

Type memoryType(Type element) {
  if (element.isInteger(1))
    return IntegerType::get(element.getContext(), 8);
  return isa<LLVM::LLVMPointerType>(element) ? IntegerType::get(element.getContext(), 64) : element;
}

Value toMemory(Emitter &emitter, Value element) {
  Type type = memoryType(element.getType());
  if (type == element.getType())
    return element;
  if (element.getType().isInteger(1))
    return LLVM::ZExtOp::create(emitter.b, type, element);
  return LLVM::PtrToIntOp::create(emitter.b, type, element);
}

Value fromMemory(Emitter &emitter, Value value, Type element) {
  if (value.getType() == element)
    return value;
  if (element.isInteger(1)) // any byte but 0 is true
    return LLVM::ICmpOp::create(emitter.b, LLVM::ICmpPredicate::ne, value, emitter.integer(value.getType(), 0));
  return LLVM::IntToPtrOp::create(emitter.b, element, value);
}

AccessPlaces::AccessPlaces(Emitter &emitter, Value pointers, Value mask) {
  for (Value pointer : emitPointers(emitter, pointers))
    registers.push_back(pointer);
  if (isa<RankedTensorType>(pointers.getType()) && emitter.target().usesBuffers())
    addBuffer(emitter, pointers, mask);
}

void AccessPlaces::addBuffer(Emitter &emitter, Value pointers, Value mask) {
  std::optional<analysis::BufferAddress> address = analysis::findBufferAddress(emitter.axisInfo(), pointers, mask);
  if (!address)
    return;
  Value base = emitter.scalar(address->base);
  if (!analysis::isPlainlyUniform(address->base))
    base = emitter.target().emitUniform(emitter, base);
  unsigned elementBits = llvm::Log2_32(analysis::getPointeeBytes(pointers.getType()));
  Type i32 = emitter.b.getI32Type();
  auto offsetOf = [&](unsigned index) {
    Value elements = address->offsets ? emitter.registers(address->offsets)[index] : emitter.i32(0);
    unsigned width = elements.getType().getIntOrFloatBitWidth();
    if (width > 32) // The bits that are lost are zero wherever the access takes place.
      elements = LLVM::TruncOp::create(emitter.b, i32, elements);
    else if (width < 32)
      elements = LLVM::SExtOp::create(emitter.b, i32, elements);
    return emitter.shiftLeft(elements, elementBits);
  };
  SmallVector<RelatedRegister> related = relateRegisters(emitter, pointers);
  for (auto [index, place] : llvm::enumerate(registers)) {
    place.base = base;
    // The first of a run may be at a negative offset where a mask excludes it.
    bool isFirst = related[index].first == index || address->needsMask;
    place.offset = isFirst ? offsetOf(index) : registers[related[index].first].offset;
    place.moreBytes = isFirst ? 0 : related[index].bytes;
  }
}

Registers emitLoad(Emitter &emitter, AccessPlace place, Type element, unsigned count, Value mask, ValueRange otherwise,
                   AccessHints hints) {
  Type type = memoryType(element);
  Type whole = count == 1 ? type : VectorType::get(count, type);
  auto load = [&](Value condition, ValueRange fallback) {
    LoadAccess access{place, whole, memoryBytes(element) * count, condition, fallback, hints};
    Registers registers = emitter.unpackVector(emitter.target().emitLoad(emitter, access));
    for (Value &value : registers)
      value = fromMemory(emitter, value, element);
    return registers;
  };
  if (!mask)
    return load({}, {});
  Registers fallback(otherwise);
  if (fallback.empty()) // kernels multiply such elements by zero, and a NaN that is left in a register would remain
    fallback.assign(count, LLVM::ZeroOp::create(emitter.b, element));
  if (hints.isVolatile) // LLVM has no volatile access with a mask
    return emitter.emitIf(mask, [&] { return load({}, {}); }, fallback);
  for (Value &value : fallback)
    value = toMemory(emitter, value);
  return load(mask, fallback);
}

void emitStore(Emitter &emitter, AccessPlace place, ValueRange elements, Value mask, AccessHints hints) {
  Registers stored;
  for (Value value : elements)
    stored.push_back(toMemory(emitter, value));
  unsigned bytes = memoryBytes(stored.front().getType()) * unsigned(stored.size());
  emitter.target().emitStore(emitter, {place, stored, bytes, mask, hints});
}

} // namespace triton::gpu
