#include "backends/nvidia/lowering/MemoryAccess.h"

using namespace mlir;

namespace triton::nvidia {

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

/// `mask` for each of `count` elements.
static Value splatMask(Emitter &emitter, Value mask, unsigned count) {
  auto type = VectorType::get(count, emitter.b.getI1Type());
  Value first = LLVM::InsertElementOp::create(emitter.b, emitter.undefined(type), mask, emitter.i32(0));
  if (count == 1)
    return first;
  return LLVM::ShuffleVectorOp::create(emitter.b, first, first, SmallVector<int32_t>(count, 0));
}

/// Elements as one vector, also a single one.
static Value asVector(Emitter &emitter, ValueRange elements) {
  if (elements.size() > 1)
    return emitter.packVector(elements);
  Value empty = emitter.undefined(VectorType::get(1, elements.front().getType()));
  return LLVM::InsertElementOp::create(emitter.b, empty, elements.front(), emitter.i32(0));
}

Registers emitLoad(Emitter &emitter, Value pointer, Type element, unsigned count, Value mask, ValueRange otherwise,
                   bool isVolatile) {
  Type type = memoryType(element);
  unsigned alignment = memoryBytes(element) * count;
  auto finish = [&](Value loaded) {
    Registers registers = emitter.unpackVector(loaded);
    for (Value &value : registers)
      value = fromMemory(emitter, value, element);
    return registers;
  };
  auto plain = [&] {
    Type whole = count == 1 ? type : VectorType::get(count, type);
    return finish(LLVM::LoadOp::create(emitter.b, whole, pointer, alignment, isVolatile));
  };
  if (!mask)
    return plain();
  if (isVolatile) {
    Registers fallback(otherwise);
    while (fallback.size() < count)
      fallback.push_back(emitter.undefined(element));
    return emitter.emitIf(mask, plain, fallback);
  }
  Type vector = VectorType::get(count, type);
  Registers other;
  for (Value value : otherwise)
    other.push_back(toMemory(emitter, value));
  Value passThrough = other.empty() ? emitter.undefined(vector) : asVector(emitter, other);
  Value loaded = LLVM::MaskedLoadOp::create(emitter.b, vector, pointer, splatMask(emitter, mask, count), passThrough,
                                            alignment);
  return finish(loaded);
}

void emitStore(Emitter &emitter, Value pointer, ValueRange elements, Value mask) {
  Registers stored;
  for (Value value : elements)
    stored.push_back(toMemory(emitter, value));
  unsigned alignment = memoryBytes(stored.front().getType()) * unsigned(stored.size());
  if (!mask) {
    LLVM::StoreOp::create(emitter.b, emitter.packVector(stored), pointer, alignment);
    return;
  }
  LLVM::MaskedStoreOp::create(emitter.b, asVector(emitter, stored), pointer,
                              splatMask(emitter, mask, unsigned(stored.size())), alignment);
}

} // namespace triton::nvidia
