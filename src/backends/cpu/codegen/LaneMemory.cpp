// Reads and writes memory by lanes. Nothing outside of the mask is accessed. If all lanes are masked off, they get a
// safe address, because suppressed faults are slow on the processor.
#include "backends/cpu/codegen/Lanes.h"

#include "ir/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace triton::cpu {

static Type inShapeOf(Value value, Type elementType) {
  if (auto vectorType = dyn_cast<VectorType>(value.getType()))
    return VectorType::get(vectorType.getShape(), elementType);
  return elementType;
}

Value LaneEmitter::fromMemory(Location loc, Value value, Type elementType) {
  if (!elementType.isInteger(1))
    return value;
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, value, zero(loc, value.getType()));
}

Value LaneEmitter::toMemory(Location loc, Value value, Type elementType) {
  if (!elementType.isInteger(1))
    return value;
  return arith::ExtUIOp::create(b, loc, inShapeOf(value, b.getI8Type()), value);
}

Value LaneEmitter::guardPointer(Location loc, Value condition, Value pointer) {
  return arith::SelectOp::create(b, loc, condition, pointer, safeAddress);
}

Value LaneEmitter::maskedAddress(Location loc, const Lanes &mask, Value address) {
  if (!mask.isPrefix() || mask.startsSet)
    return address;
  return guardPointer(loc, firstLane(loc, mask), address);
}

Lanes LaneEmitter::load(Location loc, const Lanes &pointer, const Lanes &mask, llvm::function_ref<Lanes()> other,
                        Type elementType, unsigned count, bool isVolatile) {
  auto off = [&] { return other ? other() : Lanes::uniform(zero(loc, laneType(elementType))); };
  if (isKnown(mask, false))
    return off();
  Type type = memoryType(elementType);
  unsigned alignment = memoryBytes(elementType);
  bool unmasked = isKnown(mask, true);
  auto otherwise = [&](const Lanes &loaded) {
    return unmasked ? loaded : select(loc, mask, loaded, off(), count, pointeeOf(elementType));
  };
  if (pointer.isUniform()) {
    Value address = unmasked ? pointer.value : guardPointer(loc, anyLane(loc, mask), pointer.value);
    Value scalar = LLVM::LoadOp::create(b, loc, type, address, alignment, isVolatile);
    return otherwise(Lanes::uniform(fromMemory(loc, scalar, elementType)));
  }
  auto vectorType = VectorType::get(count, type);
  if (pointer.isAffine() && pointer.step == 1 && (unmasked || mask.isUniform())) {
    Value address = unmasked ? pointer.value : guardPointer(loc, mask.value, pointer.value);
    Value loaded = LLVM::LoadOp::create(b, loc, vectorType, address, alignment, isVolatile);
    return otherwise(Lanes::vector(fromMemory(loc, loaded, elementType)));
  }
  Value active = maskVector(loc, mask, count);
  // The load merges in the value of lanes that are off.
  Value passThrough = !unmasked && other
                          ? toMemory(loc, toVector(loc, other(), count, pointeeOf(elementType)), elementType)
                          : zero(loc, vectorType);
  Value loaded;
  if (pointer.isAffine() && pointer.step == 1) {
    Value address = maskedAddress(loc, mask, pointer.value);
    loaded = LLVM::MaskedLoadOp::create(b, loc, vectorType, address, active, passThrough, alignment);
  } else {
    Value addresses = toVector(loc, pointer, count, elementType);
    loaded = LLVM::masked_gather::create(b, loc, vectorType, addresses, active, ValueRange{passThrough}, alignment);
  }
  return Lanes::vector(fromMemory(loc, loaded, elementType));
}

/// The branch, which is always taken or never, costs less than a second loop costs to compile.
void LaneEmitter::storeStreaming(Location loc, Value stored, Value address, unsigned alignment, unsigned count) {
  auto branch = scf::IfOp::create(b, loc, streams, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  LLVM::StoreOp::create(b, loc, stored, address, alignment * count, /*isVolatile=*/false, /*isNonTemporal=*/true);
  b.setInsertionPointToStart(branch.elseBlock());
  LLVM::StoreOp::create(b, loc, stored, address, alignment);
}

void LaneEmitter::store(Location loc, const Lanes &pointer, const Lanes &mask, const Lanes &value, Type elementType,
                        unsigned count) {
  if (isKnown(mask, false))
    return;
  unsigned alignment = memoryBytes(elementType);
  bool unmasked = isKnown(mask, true);
  if (pointer.isUniform() && value.isUniform()) {
    Value address = unmasked ? pointer.value : guardPointer(loc, anyLane(loc, mask), pointer.value);
    LLVM::StoreOp::create(b, loc, toMemory(loc, value.value, elementType), address, alignment);
    return;
  }
  Value stored = toMemory(loc, toVector(loc, value, count, pointeeOf(elementType)), elementType);
  if (pointer.isAffine() && pointer.step == 1) {
    if (unmasked || mask.isUniform()) {
      if (unmasked && streams)
        return storeStreaming(loc, stored, pointer.value, alignment, count);
      Value address = unmasked ? pointer.value : guardPointer(loc, mask.value, pointer.value);
      LLVM::StoreOp::create(b, loc, stored, address, alignment);
      return;
    }
    Value address = maskedAddress(loc, mask, pointer.value);
    LLVM::MaskedStoreOp::create(b, loc, stored, address, maskVector(loc, mask, count), alignment);
    return;
  }
  Value addresses = toVector(loc, pointer, count, elementType);
  LLVM::masked_scatter::create(b, loc, stored, addresses, maskVector(loc, mask, count), alignment);
}

} // namespace triton::cpu
