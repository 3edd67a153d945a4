// Atomic operations on global memory. Of all threads that hold an element one performs its operation; where others hold
// copies of the result, the old values pass through shared memory.
//
// LLVM lowers read-modify-writes without their ordering, so that fences around them give it.
#include "gpu/analysis/Scratch.h"
#include "gpu/lowering/Lowerings.h"
#include "gpu/lowering/SharedAccess.h"
#include "gpu/lowering/TargetEmitter.h"
#include "passes/llvm/AtomicOperations.h"

using namespace mlir;

namespace triton::gpu {

namespace {

/// What both kinds of atomic operation do around the operation itself.
class AtomicOperation {
public:
  /// Performs the operation of one element; returns the old value.
  using Perform = llvm::function_ref<Value(unsigned index)>;

  AtomicOperation(Operation *op, Emitter &emitter, Value mask, tt::MemSemantic ordering, tt::MemSyncScope scope)
      : op(op), emitter(emitter), ordering(ordering), scope(scope),
        type(dyn_cast<RankedTensorType>(op->getResult(0).getType())),
        element(emitter.convertElement(op->getResult(0).getType())) {
    if (mask)
      masks = Registers(emitter.registers(mask));
  }

  LogicalResult run(Perform perform) {
    std::size_t count = emitter.convertType(op->getResult(0).getType()).size();
    representatives = type ? representativeRegisters(emitter.layoutOf(type)) : SmallVector<unsigned>{0};
    // One thread performs an operation on a scalar for the whole program, whose accesses before it must have happened.
    if (!type && has(tt::MemSemantic::Release))
      emitter.barrier();
    Value isPerformer = type ? emitIsRepresentative(emitter, emitter.layoutOf(type))
                             : emitter.equal(emitter.threadId(), emitter.i32(0));
    Registers nothing(count, emitter.undefined(element));
    auto performAll = [&] { return performEach(perform, count); };
    Registers old = isPerformer ? emitter.emitIf(isPerformer, performAll, nothing) : performAll();
    if (analysis::getScratchBytes(op) != 0)
      old = spread(old, isPerformer);
    emitter.define(op->getResult(0), std::move(old));
    return success();
  }

private:
  Registers performEach(Perform perform, std::size_t count) {
    fence(tt::MemSemantic::Release, LLVM::AtomicOrdering::release);
    Registers old(count);
    for (unsigned index = 0; index < count; ++index) {
      if (representatives[index] != index) {
        old[index] = old[representatives[index]];
      } else if (masks.empty()) {
        old[index] = perform(index);
      } else {
        auto one = [&] { return Registers{perform(index)}; };
        old[index] = emitter.emitIf(masks[index], one, emitter.undefined(element)).front();
      }
    }
    fence(tt::MemSemantic::Acquire, LLVM::AtomicOrdering::acquire);
    return old;
  }

  bool has(tt::MemSemantic side) const { return ordering == side || ordering == tt::MemSemantic::AcquireRelease; }

  void fence(tt::MemSemantic side, LLVM::AtomicOrdering kind) {
    if (has(side))
      LLVM::FenceOp::create(emitter.b, kind, emitter.target().scopeName(scope));
  }

  /// Gives every thread that holds a copy the old value.
  Registers spread(const Registers &old, Value isPerformer) {
    Value base = emitter.sharedAddress(op->getAttrOfType<IntegerAttr>(ttg::allocationOffsetAttribute).getInt());
    if (!type) {
      emitter.emitIf(isPerformer, [&] { emitStore(emitter, base, old.front(), {}); });
      emitter.barrier();
      return emitLoad(emitter, base, element, 1, {}, {});
    }
    SharedAccess access(emitter, base, emitter.layoutOf(type).flattenOutputs("offset"), element);
    emitter.emitIf(isPerformer, [&] {
      SharedAccess(emitter, base, emitter.layoutOf(type).flattenOutputs("offset"), element).store(old);
    });
    emitter.barrier();
    return access.load();
  }

  Operation *op;
  Emitter &emitter;
  tt::MemSemantic ordering;
  tt::MemSyncScope scope;
  RankedTensorType type; ///< null for a scalar
  Type element;
  Registers masks;
  SmallVector<unsigned> representatives;
};

} // namespace

static LogicalResult lowerAtomicRmw(tt::AtomicRMWOp op, Emitter &emitter) {
  Registers pointers(emitter.registers(op.getPtr())), values(emitter.registers(op.getVal()));
  LLVM::AtomicBinOp operation = findAtomicOperation(op.getAtomicRmwOp(), values.front().getType());
  return AtomicOperation(op, emitter, op.getMask(), op.getSem(), op.getScope()).run([&](unsigned index) -> Value {
    return LLVM::AtomicRMWOp::create(emitter.b, operation, pointers[index], values[index],
                                     LLVM::AtomicOrdering::monotonic, emitter.target().scopeName(op.getScope()));
  });
}

static LogicalResult lowerAtomicCas(tt::AtomicCASOp op, Emitter &emitter) {
  Registers pointers(emitter.registers(op.getPtr())), expected(emitter.registers(op.getCmp())),
      values(emitter.registers(op.getVal()));
  Type element = values.front().getType();
  // The operation compares bits.
  Type bits = isa<FloatType>(element) ? emitter.b.getIntegerType(element.getIntOrFloatBitWidth()) : element;
  auto cast = [&](Value value, Type type) -> Value {
    return value.getType() == type ? value : LLVM::BitcastOp::create(emitter.b, type, value).getResult();
  };
  return AtomicOperation(op, emitter, {}, op.getSem(), op.getScope()).run([&](unsigned index) {
    Value pair = LLVM::AtomicCmpXchgOp::create(
        emitter.b, pointers[index], cast(expected[index], bits), cast(values[index], bits),
        LLVM::AtomicOrdering::monotonic, LLVM::AtomicOrdering::monotonic, emitter.target().scopeName(op.getScope()));
    return cast(LLVM::ExtractValueOp::create(emitter.b, pair, int64_t(0)), element);
  });
}

void addAtomicLowerings(LoweringTable &table) {
  table.add<tt::AtomicRMWOp, lowerAtomicRmw>();
  table.add<tt::AtomicCASOp, lowerAtomicCas>();
}

} // namespace triton::gpu
