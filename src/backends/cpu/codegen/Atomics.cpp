// Atomic operations, one element after the other. Elements that are masked off yield 0.
#include "backends/cpu/codegen/Lowering.h"
#include "passes/llvm/AtomicOperations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace triton::cpu {

static LLVM::AtomicOrdering orderingOf(tt::MemSemantic semantic) {
  switch (semantic) {
  case tt::MemSemantic::Relaxed:
    return LLVM::AtomicOrdering::monotonic;
  case tt::MemSemantic::Acquire:
    return LLVM::AtomicOrdering::acquire;
  case tt::MemSemantic::Release:
    return LLVM::AtomicOrdering::release;
  case tt::MemSemantic::AcquireRelease:
    return LLVM::AtomicOrdering::acq_rel;
  }
  llvm_unreachable("unknown memory semantic");
}

/// Of the read when a compare-and-swap finds another value: what `ordering` says of reads.
static LLVM::AtomicOrdering failureOrdering(LLVM::AtomicOrdering ordering) {
  bool acquires = ordering == LLVM::AtomicOrdering::acquire || ordering == LLVM::AtomicOrdering::acq_rel;
  return acquires ? LLVM::AtomicOrdering::acquire : LLVM::AtomicOrdering::monotonic;
}

Value KernelLowering::emitAtomic(Operation *op, Value pointer, ArrayRef<Value> operands) {
  Location loc = op->getLoc();
  if (auto update = dyn_cast<tt::AtomicRMWOp>(op))
    return LLVM::AtomicRMWOp::create(b, loc, findAtomicOperation(update.getAtomicRmwOp(), operands[0].getType()),
                                     pointer, operands[0], orderingOf(update.getSem()));
  Type type = operands[0].getType();
  bool isFloat = isa<FloatType>(type);
  Type bits = isFloat ? b.getIntegerType(type.getIntOrFloatBitWidth()) : type;
  auto asBits = [&](Value value) -> Value {
    return isFloat ? arith::BitcastOp::create(b, loc, bits, value).getResult() : value;
  };
  LLVM::AtomicOrdering ordering = orderingOf(cast<tt::AtomicCASOp>(op).getSem());
  Value exchanged = LLVM::AtomicCmpXchgOp::create(b, loc, pointer, asBits(operands[0]), asBits(operands[1]), ordering,
                                                  failureOrdering(ordering));
  Value old = LLVM::ExtractValueOp::create(b, loc, exchanged, 0);
  return isFloat ? arith::BitcastOp::create(b, loc, type, old).getResult() : old;
}

void KernelLowering::lowerAtomic(Operation *op) {
  Location loc = op->getLoc();
  Value pointer = op->getOperand(0), mask;
  SmallVector<Value> values;
  if (auto update = dyn_cast<tt::AtomicRMWOp>(op)) {
    mask = update.getMask();
    values = {update.getVal()};
  } else {
    values = {cast<tt::AtomicCASOp>(op).getCmp(), cast<tt::AtomicCASOp>(op).getVal()};
  }
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  std::optional<Buffer> result;
  if (type && !op->use_empty())
    result = allocate(type);
  openNest();
  overElements(loc, type ? type.getShape() : ArrayRef<int64_t>(), [&](const TileIndex &index) {
    Value address = evaluate(pointer, index).value;
    SmallVector<Value> operands =
        llvm::map_to_vector(values, [&](Value value) { return evaluate(value, index).value; });
    Value old;
    if (mask) {
      Value isOn = evaluate(mask, index).value;
      auto branch = scf::IfOp::create(b, loc, TypeRange{operands[0].getType()}, isOn, true, true);
      b.setInsertionPointToEnd(branch.thenBlock());
      scf::YieldOp::create(b, loc, emitAtomic(op, address, operands));
      b.setInsertionPointToEnd(branch.elseBlock());
      scf::YieldOp::create(b, loc, lanes.zero(loc, operands[0].getType()));
      b.setInsertionPointAfter(branch);
      old = branch.getResult(0);
    } else {
      old = emitAtomic(op, address, operands);
    }
    if (result)
      writeBuffer(loc, *result, index, Lanes::uniform(old));
    else if (!type)
      scalars.map(op->getResult(0), old);
  });
  closeNest();
  if (result)
    setBuffer(op->getResult(0), *result);
}

} // namespace triton::cpu
