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

Registers emitLoad(Emitter &emitter, Value pointer, Type element, unsigned count, Value mask, ValueRange otherwise,
                   AccessHints hints) {
  Type type = memoryType(element);
  Type whole = count == 1 ? type : VectorType::get(count, type);
  auto load = [&](Value condition, ValueRange fallback) {
    LoadAccess access{pointer, whole, memoryBytes(element) * count, condition, fallback, hints};
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

void emitStore(Emitter &emitter, Value pointer, ValueRange elements, Value mask, AccessHints hints) {
  Registers stored;
  for (Value value : elements)
    stored.push_back(toMemory(emitter, value));
  unsigned bytes = memoryBytes(stored.front().getType()) * unsigned(stored.size());
  emitter.target().emitStore(emitter, {pointer, stored, bytes, mask, hints});
}

} // namespace triton::gpu
