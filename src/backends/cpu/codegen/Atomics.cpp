// Atomic operations, one element after another. Elements that are masked off give 0.
#include "backends/cpu/codegen/Lowering.h"
#include "passes/llvm/AtomicOperations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

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

/// The ordering of the read when a compare-and-swap finds another value: the part of `ordering` that concerns reads.
static LLVM::AtomicOrdering failureOrdering(LLVM::AtomicOrdering ordering) {
  bool acquires = ordering == LLVM::AtomicOrdering::acquire || ordering == LLVM::AtomicOrdering::acq_rel;
  return acquires ? LLVM::AtomicOrdering::acquire : LLVM::AtomicOrdering::monotonic;
}

/// The operands besides pointer and mask that have a value for each element.
static SmallVector<Value> elementOperands(tt::AtomicOpInterface op) {
  return llvm::TypeSwitch<Operation *, SmallVector<Value>>(op)
      .Case([](tt::AtomicRMWOp update) { return SmallVector<Value>{update.getVal()}; })
      .Case([](tt::AtomicCASOp swap) { return SmallVector<Value>{swap.getCmp(), swap.getVal()}; })
      .Case([](tt::AtomicStoreOp store) { return SmallVector<Value>{store.getValue()}; })
      .Case([](tt::AtomicPollOp poll) { return SmallVector<Value>{poll.getExpected()}; })
      .Case([](tt::AtomicLoadOp) { return SmallVector<Value>(); });
}

/// An atomic load of the bits of an element.
static Value loadBits(OpBuilder &b, Location loc, LLVM::AtomicOrdering ordering, Type bits, Value pointer) {
  return LLVM::LoadOp::create(b, loc, bits, pointer, bits.getIntOrFloatBitWidth() / 8, /*isVolatile=*/false,
                              /*isNonTemporal=*/false, /*isInvariant=*/false, /*isInvariantGroup=*/false, ordering);
}

/// The sum or the extremum of two f32; of a NaN and a number the number.
static Value combineFloats(OpBuilder &b, Location loc, tt::RMWOp operation, Value left, Value right) {
  if (operation == tt::RMWOp::Max)
    return arith::MaxNumFOp::create(b, loc, left, right);
  if (operation == tt::RMWOp::Min)
    return arith::MinNumFOp::create(b, loc, left, right);
  return arith::AddFOp::create(b, loc, left, right);
}

/// An update of floats of less than 32 bits. It is computed in f32, and repeated while others change the element.
static Value emitNarrowUpdate(Lowering &lowering, tt::AtomicRMWOp op, Value pointer, Value operand) {
  OpBuilder &b = lowering.b;
  LaneEmitter &lanes = lowering.lanes;
  Location loc = op.getLoc();
  Type element = getElementTypeOrSelf(op.getType());
  LLVM::AtomicOrdering ordering = orderingOf(op.getSem());
  Value wide = lanes.widen(loc, operand, element);
  auto combined = [&](Value old) {
    return lanes.narrow(loc, combineFloats(b, loc, op.getAtomicRmwOp(), lanes.widen(loc, old, element), wide), element);
  };
  Value first = loadBits(b, loc, LLVM::AtomicOrdering::monotonic, operand.getType(), pointer);
  auto attempt = [&](OpBuilder &, Location, ValueRange expected) {
    Value exchanged = LLVM::AtomicCmpXchgOp::create(b, loc, pointer, expected[0], combined(expected[0]), ordering,
                                                    failureOrdering(ordering));
    Value found = LLVM::ExtractValueOp::create(b, loc, exchanged, 0);
    Value succeeded = LLVM::ExtractValueOp::create(b, loc, exchanged, 1);
    Value failed = arith::XOrIOp::create(b, loc, succeeded, lanes.constantInt(loc, b.getI1Type(), 1));
    scf::ConditionOp::create(b, loc, failed, found);
  };
  auto repeat = [&](OpBuilder &, Location, ValueRange found) { scf::YieldOp::create(b, loc, found); };
  return scf::WhileOp::create(b, loc, first.getType(), first, attempt, repeat).getResult(0);
}

static Value emitPoll(Lowering &lowering, tt::AtomicPollOp op, Value pointer, Value expected, Value start) {
  OpBuilder &b = lowering.b;
  Location loc = op.getLoc();
  auto loop = scf::WhileOp::create(b, loc, TypeRange{b.getI1Type()}, ValueRange());
  OpBuilder::InsertionGuard guard(b);
  Block *before = b.createBlock(&loop.getBefore());
  Block *after = b.createBlock(&loop.getAfter(), {}, TypeRange{b.getI1Type()}, {loc});
  b.setInsertionPointToEnd(before);
  Value isReached =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                            loadBits(b, loc, orderingOf(op.getSem()), expected.getType(), pointer), expected);
  Value isOver = isReached;
  if (start) {
    Value passed = arith::SubIOp::create(b, loc, emitTime(lowering, loc), start);
    Value isLate = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, passed, scalar(lowering, op.getTimeout()));
    isOver = arith::OrIOp::create(b, loc, isReached, isLate);
  }
  Value goesOn = arith::XOrIOp::create(b, loc, isOver, lowering.lanes.constantInt(loc, b.getI1Type(), 1));
  scf::ConditionOp::create(b, loc, goesOn, ValueRange{isReached});
  emitInterruptCheck(lowering, loc, after);
  b.setInsertionPointToEnd(after);
  scf::YieldOp::create(b, loc);
  return loop.getResult(0);
}

Value emitTime(Lowering &lowering, Location loc) {
  OpBuilder &b = lowering.b;
  LLVM::LLVMFuncOp clock = runtimeFunction(lowering, "triton_cpu_nanoseconds", {}, b.getI64Type());
  return LLVM::CallOp::create(b, loc, clock, ValueRange()).getResult();
}

/// Emits the operation on one element; null if it has no result. `start` is the time at which a poll with a timeout
/// began.
static Value emitAtomic(Lowering &lowering, tt::AtomicOpInterface op, Value pointer, ArrayRef<Value> operands,
                        Value start) {
  OpBuilder &b = lowering.b;
  Location loc = op->getLoc();
  LLVM::AtomicOrdering ordering = orderingOf(op.getSem());
  if (auto update = dyn_cast<tt::AtomicRMWOp>(*op)) {
    Type element = getElementTypeOrSelf(update.getType());
    if (isNarrowFloat(element) && update.getAtomicRmwOp() != tt::RMWOp::Exchange)
      return emitNarrowUpdate(lowering, update, pointer, operands[0]);
    return LLVM::AtomicRMWOp::create(b, loc, findAtomicOperation(update.getAtomicRmwOp(), element), pointer,
                                     operands[0], ordering);
  }
  if (auto poll = dyn_cast<tt::AtomicPollOp>(*op))
    return emitPoll(lowering, poll, pointer, operands[0], start);
  bool isLoad = isa<tt::AtomicLoadOp>(op);
  Type type = isLoad ? laneType(getElementTypeOrSelf(op->getResult(0).getType())) : operands[0].getType();
  // Floats are passed as their bits, which is how LLVM moves and compares them in atomic operations.
  bool isFloat = isa<FloatType>(type);
  Type bits = isFloat ? b.getIntegerType(type.getIntOrFloatBitWidth()) : type;
  auto asBits = [&](Value value) -> Value {
    return isFloat ? arith::BitcastOp::create(b, loc, bits, value).getResult() : value;
  };
  auto fromBits = [&](Value value) -> Value {
    return isFloat ? arith::BitcastOp::create(b, loc, type, value).getResult() : value;
  };
  if (isLoad)
    return fromBits(loadBits(b, loc, ordering, bits, pointer));
  if (isa<tt::AtomicStoreOp>(op)) {
    LLVM::StoreOp::create(b, loc, asBits(operands[0]), pointer, bits.getIntOrFloatBitWidth() / 8, /*isVolatile=*/false,
                          /*isNonTemporal=*/false, /*isInvariantGroup=*/false, ordering);
    return {};
  }
  Value exchanged = LLVM::AtomicCmpXchgOp::create(b, loc, pointer, asBits(operands[0]), asBits(operands[1]), ordering,
                                                  failureOrdering(ordering));
  return fromBits(LLVM::ExtractValueOp::create(b, loc, exchanged, 0));
}

void lowerAtomic(Lowering &lowering, tt::AtomicOpInterface op) {
  OpBuilder &b = lowering.b;
  Location loc = op->getLoc();
  auto type = dyn_cast<RankedTensorType>(op.getPtr().getType());
  Value result = op->getNumResults() == 0 ? Value() : op->getResult(0);
  Type element = result ? laneType(getElementTypeOrSelf(result.getType())) : Type();
  TypeRange performed = result ? TypeRange(element) : TypeRange();
  std::optional<Buffer> buffer;
  if (type && result && !result.use_empty())
    buffer = allocate(lowering, cast<RankedTensorType>(result.getType()));
  auto poll = dyn_cast<tt::AtomicPollOp>(*op);
  Value start = poll && poll.getTimeout() ? emitTime(lowering, loc) : Value();
  openNest(lowering);
  overElements(lowering, loc, type ? type.getShape() : ArrayRef<int64_t>(), [&](const TileIndex &index) {
    Value address = evaluate(lowering, op.getPtr(), index).value;
    SmallVector<Value> operands =
        llvm::map_to_vector(elementOperands(op), [&](Value value) { return evaluate(lowering, value, index).value; });
    Value value;
    if (Value mask = op.getMask()) {
      Value isOn = evaluate(lowering, mask, index).value;
      auto branch = scf::IfOp::create(b, loc, performed, isOn, /*addThenBlock=*/true, /*addElseBlock=*/bool(result));
      auto finish = [&](Block *block, llvm::function_ref<Value()> emit) {
        b.setInsertionPointToEnd(block);
        Value value = emit();
        scf::YieldOp::create(b, loc, value ? ValueRange{value} : ValueRange());
      };
      finish(branch.thenBlock(), [&] { return emitAtomic(lowering, op, address, operands, start); });
      if (result)
        finish(branch.elseBlock(), [&] { return lowering.lanes.zero(loc, element); });
      b.setInsertionPointAfter(branch);
      value = result ? branch.getResult(0) : Value();
    } else {
      value = emitAtomic(lowering, op, address, operands, start);
    }
    if (buffer)
      writeBuffer(lowering, loc, *buffer, index, Lanes::uniform(value));
    else if (result && !type)
      lowering.scalars.map(result, value);
  });
  closeNest(lowering);
  if (buffer)
    setBuffer(lowering, result, *buffer);
}

} // namespace triton::cpu
