// Loads and stores of global memory.
#include "gpu/analysis/AccessWidth.h"
#include "gpu/analysis/LayoutCost.h"
#include "gpu/analysis/TunedNumbers.h"
#include "gpu/lowering/LayoutEmission.h"
#include "gpu/lowering/Lowerings.h"
#include "gpu/lowering/MemoryAccess.h"

using namespace mlir;

namespace triton::gpu {

/// For each register, the register that is accessed for it, because copies in registers do not need an access.
static SmallVector<unsigned> accessedRegisters(Emitter &emitter, Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return representativeRegisters(emitter.layoutOf(tensor));
  return {0};
}

/// Empty for an operand that is absent.
static Registers optionalRegisters(Emitter &emitter, Value value) {
  return value ? Registers(emitter.registers(value)) : Registers();
}

constexpr unsigned bytesOfRegister = 4;

static LogicalResult lowerLoad(tt::LoadOp op, Emitter &emitter) {
  if (tt::isBlockPointer(op.getPtr().getType()))
    return op.emitError("a load through a block pointer must be rewritten before it is lowered");
  Type element = emitter.convertElement(op.getType());
  AccessPlaces places(emitter, op.getPtr(), op.getMask());
  Registers masks = optionalRegisters(emitter, op.getMask()), others = optionalRegisters(emitter, op.getOther());
  SmallVector<unsigned> accessed = accessedRegisters(emitter, op.getType());
  Registers loaded(places.size());
  unsigned width =
      analysis::getVectorWidth(emitter.axisInfo(), op.getPtr(), op.getMask(), emitter.machine().accessBytes);
  // Where its block does not use what is loaded, it is moved from iteration to iteration. With a predicate, the
  // fallback is moved as well, which is dear for several registers.
  bool isHandedOn =
      llvm::all_of(op->getUsers(), [](Operation *user) { return user->hasTrait<OpTrait::IsTerminator>(); });
  bool prefersBranch = isHandedOn && width * memoryBytes(element) > bytesOfRegister;
  AccessHints hints{op.getCache(), op.getEvict(), op.getIsVolatile(), prefersBranch};
  for (unsigned first = 0; first < places.size(); first += width) {
    if (accessed[first] != first)
      continue;
    auto otherwise = others.empty() ? llvm::ArrayRef<Value>() : llvm::ArrayRef<Value>(others).slice(first, width);
    Registers elements =
        emitLoad(emitter, places[first], element, width, masks.empty() ? Value() : masks[first], otherwise, hints);
    llvm::copy(elements, loaded.begin() + first);
  }
  for (auto [index, source] : llvm::enumerate(accessed))
    loaded[index] = loaded[source];
  emitter.define(op.getResult(), std::move(loaded));
  return success();
}

/// Whether this thread writes: of all threads that hold an element, one does. Null: every thread writes.
static Value emitIsWriter(Emitter &emitter, Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return emitIsRepresentative(emitter, emitter.layoutOf(tensor));
  return emitter.equal(emitter.threadId(), emitter.i32(0));
}

/// Instructions for each element of `value` that nothing else needs.
static double countOwnInstructions(Value value) {
  double count = 0;
  SmallVector<Value> needed{value};
  while (!needed.empty() && count < tuned::fewestStoreInstructions) {
    Value next = needed.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (!op || !next.hasOneUse() || !op->hasTrait<OpTrait::Elementwise>() || !isMemoryEffectFree(op))
      continue;
    count += analysis::instructionsOf(op);
    llvm::append_range(needed, op->getOperands());
  }
  return count;
}

static LogicalResult lowerStore(tt::StoreOp op, Emitter &emitter) {
  if (tt::isBlockPointer(op.getPtr().getType()))
    return op.emitError("a store through a block pointer must be rewritten before it is lowered");
  AccessPlaces places(emitter, op.getPtr(), op.getMask());
  Registers values(emitter.registers(op.getValue()));
  Registers masks = optionalRegisters(emitter, op.getMask());
  // Where there are products, addresses that are computed under a branch do not take registers from them.
  bool prefersPredicate = !emitter.hasProducts() &&
                          countOwnInstructions(op.getValue()) >= tuned::fewestStoreInstructions &&
                          emitter.loadedRegisters(*op->getBlock()) >= tuned::fewestLoadedRegisters;
  AccessHints hints{op.getCache(), op.getEvict(), /*isVolatile=*/false, /*prefersBranch=*/!prefersPredicate};
  Value isWriter = emitIsWriter(emitter, op.getPtr().getType());
  SmallVector<unsigned> accessed = accessedRegisters(emitter, op.getValue().getType());
  auto storeAll = [&] {
    unsigned width =
        analysis::getVectorWidth(emitter.axisInfo(), op.getPtr(), op.getMask(), emitter.machine().accessBytes);
    for (unsigned first = 0; first < places.size(); first += width)
      if (accessed[first] == first)
        emitStore(emitter, places[first], llvm::ArrayRef<Value>(values).slice(first, width),
                  masks.empty() ? Value() : masks[first], hints);
  };
  if (isWriter)
    emitter.emitIf(isWriter, storeAll);
  else
    storeAll();
  return success();
}

void addMemoryLowerings(LoweringTable &table) {
  table.add<tt::LoadOp, lowerLoad>();
  table.add<tt::StoreOp, lowerStore>();
}

} // namespace triton::gpu
