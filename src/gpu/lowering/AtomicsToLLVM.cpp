// Atomic operations on global memory, and on buffers in shared memory. Of all threads that hold an element, one
// performs its operation. If other threads hold copies of the result, the old values pass through shared memory.
//
// LLVM lowers read-modify-writes without their ordering, so fences around them provide it. The same is done for loads
// and stores.
#include "gpu/analysis/AccessWidth.h"
#include "gpu/analysis/Scratch.h"
#include "gpu/lowering/IndexedTile.h"
#include "gpu/lowering/Lowerings.h"
#include "gpu/lowering/MemoryAccess.h"
#include "gpu/lowering/SharedAccess.h"
#include "gpu/lowering/TargetEmitter.h"
#include "ir/ProfileScopes.h"
#include "passes/llvm/AtomicOperations.h"

using namespace mlir;

namespace triton::gpu {

namespace {

/// The code around the operation itself, which all atomic operations share.
class AtomicOperation {
public:
  /// Performs the operation of one element. Returns its result, which is null for an operation without a result.
  using Perform = llvm::function_ref<Value(unsigned index)>;

  AtomicOperation(tt::AtomicOpInterface op, Emitter &emitter)
      : AtomicOperation(op, op.getPtr(), op.getMask(), emitter) {
    ordering = op.getSem();
    scope = op.getScope();
  }
  /// One that orders nothing. `places` are pointers or indices, one for each element.
  AtomicOperation(Operation *op, Value places, Value mask, Emitter &emitter)
      : op(op), emitter(emitter), result(op->getNumResults() == 0 ? Value() : op->getResult(0)),
        type(dyn_cast<RankedTensorType>(places.getType())), count(emitter.registers(places).size()) {
    if (result)
      undefined = emitter.undefined(emitter.convertElement(result.getType()));
    if (mask)
      masks = Registers(emitter.registers(mask));
  }

  /// The code of an element does nothing where the mask is false.
  void leaveMasks() { masks.clear(); }
  /// Nobody needs the old elements.
  void leaveResult() { result = {}; }

  LogicalResult run(Perform perform) {
    representatives = type ? representativeRegisters(emitter.layoutOf(type)) : SmallVector<unsigned>{0};
    if (releasesProgram())
      emitter.barrier();
    Value isPerformer = type ? emitIsRepresentative(emitter, emitter.layoutOf(type))
                             : emitter.equal(emitter.threadId(), emitter.i32(0));
    Registers nothing(result ? count : 0, undefined);
    auto performAll = [&] { return performEach(perform); };
    Registers results = isPerformer ? emitter.emitIf(isPerformer, performAll, nothing) : performAll();
    if (analysis::getScratchBytes(op) != 0)
      results = spread(results, isPerformer);
    else if (holdsProgram())
      emitter.barrier();
    if (result)
      emitter.define(result, std::move(results));
    return success();
  }

private:
  Registers performEach(Perform perform) {
    fence(tt::MemSemantic::Release, LLVM::AtomicOrdering::release);
    Registers results;
    for (unsigned index = 0; index < count; ++index) {
      if (representatives[index] != index) {
        if (result)
          results.push_back(results[representatives[index]]);
        continue;
      }
      auto one = [&] {
        Value value = perform(index);
        return value ? Registers{value} : Registers();
      };
      Registers nothing(result ? 1 : 0, undefined);
      results.append(masks.empty() ? one() : emitter.emitIf(masks[index], one, nothing));
    }
    fence(tt::MemSemantic::Acquire, LLVM::AtomicOrdering::acquire);
    return results;
  }

  bool has(tt::MemSemantic side) { return ordering == side || ordering == tt::MemSemantic::AcquireRelease; }

  /// Whether everything that all threads have done must happen before the operation. A single thread performs an
  /// operation on a scalar for the whole program, and stores publish what the program has written.
  bool releasesProgram() { return has(tt::MemSemantic::Release) && (!type || isa<tt::AtomicStoreOp>(op)); }

  /// Whether no thread may continue before all have performed their part. If results pass through shared memory, no
  /// thread can.
  bool holdsProgram() {
    return isa<tt::AtomicPollOp>(op) || (isa<tt::AtomicLoadOp>(op) && has(tt::MemSemantic::Acquire));
  }

  void fence(tt::MemSemantic side, LLVM::AtomicOrdering kind) {
    if (has(side))
      LLVM::FenceOp::create(emitter.b, kind, emitter.target().scopeName(scope));
  }

  /// Gives every thread that holds a copy the results.
  Registers spread(const Registers &results, Value isPerformer) {
    Value base = emitter.sharedAddress(op->getAttrOfType<IntegerAttr>(ttg::allocationOffsetAttribute).getInt());
    Type element = undefined.getType();
    if (!type) {
      emitter.emitIf(isPerformer, [&] { emitStore(emitter, base, results.front(), {}); });
      emitter.barrier();
      return emitLoad(emitter, base, element, 1, {}, {});
    }
    SharedAccess access(emitter, base, emitter.layoutOf(type).flattenOutputs("offset"), element);
    emitter.emitIf(isPerformer, [&] {
      SharedAccess(emitter, base, emitter.layoutOf(type).flattenOutputs("offset"), element).store(results);
    });
    emitter.barrier();
    return access.load();
  }

  Operation *op;
  Emitter &emitter;
  Value result;          ///< null for an operation without
  RankedTensorType type; ///< of the pointers or indices, null for a scalar
  std::size_t count;     ///< of a thread's elements
  tt::MemSemantic ordering = tt::MemSemantic::Relaxed;
  tt::MemSyncScope scope = tt::MemSyncScope::CTA;
  Value undefined; ///< an element of the result
  Registers masks;
  SmallVector<unsigned> representatives;
};

/// The representation of elements in atomic operations: floats are their bits, which is how LLVM moves and compares
/// them.
class ElementBits {
public:
  ElementBits(Emitter &emitter, Type element) : emitter(emitter), element(element), bits(element) {
    if (isa<FloatType>(element))
      bits = emitter.b.getIntegerType(element.getIntOrFloatBitWidth());
  }
  Value encode(Value value) const { return cast(value, bits); }
  Value decode(Value value) const { return cast(value, element); }
  Type type() const { return bits; }
  unsigned bytes() const { return bits.getIntOrFloatBitWidth() / 8; }

private:
  Value cast(Value value, Type type) const {
    return value.getType() == type ? value : LLVM::BitcastOp::create(emitter.b, type, value).getResult();
  }

  Emitter &emitter;
  Type element, bits;
};

} // namespace

/// Operations on tensors that order nothing can go through buffers, and then need no branch for their masks.
static bool canUseBuffer(tt::AtomicRMWOp op, LLVM::AtomicBinOp operation, const AccessPlaces &places,
                         const Emitter &emitter) {
  return op.getSem() == tt::MemSemantic::Relaxed && op.getScope() != tt::MemSyncScope::System && places[0].base &&
         emitter.target().hasBufferAtomic(operation, emitter.convertElement(op.getVal().getType()));
}

/// A record of the profiler (ir/ProfileScopes.h).
static LogicalResult lowerRecord(tt::AtomicRMWOp op, ArrayRef<int64_t> numbers, Emitter &emitter) {
  constexpr int64_t wordBytes = 8, wordsOfRecord = 3;
  using Numbers = tt::RecordNumbers;
  ImplicitLocOpBuilder &b = emitter.b;
  Type word = b.getI64Type();
  Value begin = emitter.registers(op.getVal()).front(), buffers = emitter.registers(op.getPtr()).front();
  Value end = emitter.intrinsic("readcyclecounter", word, {});
  Value warpsOfUnit = emitter.i32(numbers[Numbers::WarpsOfUnit]);
  // Of the launch: partitions of a program's warps count their own from 0.
  Value lanes = emitter.i32(int64_t(emitter.machine().lanes));
  Value warp = LLVM::UDivOp::create(b, emitter.target().emitThreadId(emitter), lanes);
  Value unit = LLVM::UDivOp::create(b, warp, warpsOfUnit);
  Value isFirstWarp = emitter.equal(LLVM::URemOp::create(b, warp, warpsOfUnit), emitter.i32(0));
  Value writes = LLVM::AndOp::create(b, isFirstWarp, emitter.equal(emitter.lane(), emitter.i32(0)));
  Value isSelected;
  for (int64_t selected : numbers.drop_front(Numbers::FirstSelected)) {
    Value isThis = emitter.equal(unit, emitter.i32(selected));
    isSelected = isSelected ? LLVM::OrOp::create(b, isSelected, isThis).getResult() : isThis;
  }
  if (isSelected)
    writes = LLVM::AndOp::create(b, writes, isSelected);
  Value room = emitter.i64(numbers[Numbers::Room]);
  auto moved = [&](Value pointer, Value count, int64_t bytes) {
    Value wide = count.getType() == word ? count : LLVM::ZExtOp::create(b, word, count).getResult();
    return emitter.offsetPointer(pointer, LLVM::MulOp::create(b, wide, emitter.i64(bytes)));
  };
  emitter.emitIf(writes, [&] {
    Value buffer = moved(buffers, unit, wordBytes * (1 + wordsOfRecord * numbers[Numbers::Room]));
    Value slot = LLVM::AtomicRMWOp::create(b, LLVM::AtomicBinOp::add, buffer, emitter.i64(1),
                                           LLVM::AtomicOrdering::monotonic, emitter.target().scopeName(op.getScope()));
    auto write = [&](Value at) {
      Value record = moved(emitter.offsetPointer(buffer, wordBytes), at, wordBytes * wordsOfRecord);
      Value words[] = {emitter.i64(numbers[Numbers::Scope]), begin, end};
      for (auto [index, value] : llvm::enumerate(words))
        LLVM::StoreOp::create(b, value, emitter.offsetPointer(record, int64_t(index) * wordBytes));
    };
    if (numbers[Numbers::KeepsLatest])
      write(LLVM::URemOp::create(b, slot, room));
    else
      emitter.emitIf(LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ult, slot, room), [&] { write(slot); });
  });
  emitter.define(op.getResult(), {emitter.undefined(op.getType())});
  return success();
}

/// `width` neighbours at once, whose old values nobody needs.
static LogicalResult lowerVectors(tt::AtomicRMWOp op, LLVM::AtomicBinOp operation, unsigned width, Emitter &emitter) {
  Registers pointers(emitter.registers(op.getPtr())), values(emitter.registers(op.getVal()));
  AtomicOperation atomic(op, emitter);
  atomic.leaveResult();
  return atomic.run([&](unsigned index) -> Value {
    if (index % width == 0)
      LLVM::AtomicRMWOp::create(emitter.b, operation, pointers[index],
                                emitter.packVector(llvm::ArrayRef<Value>(values).slice(index, width)),
                                LLVM::AtomicOrdering::monotonic, emitter.target().scopeName(op.getScope()));
    return {};
  });
}

static LogicalResult lowerAtomicRmw(tt::AtomicRMWOp op, Emitter &emitter) {
  if (auto numbers = op->getAttrOfType<DenseI64ArrayAttr>(tt::recordAttribute))
    return lowerRecord(op, numbers.asArrayRef(), emitter);
  Registers pointers(emitter.registers(op.getPtr())), values(emitter.registers(op.getVal()));
  LLVM::AtomicBinOp operation = findAtomicOperation(op.getAtomicRmwOp(), values.front().getType());
  AccessPlaces places(emitter, op.getPtr(), op.getMask());
  if (canUseBuffer(op, operation, places, emitter)) {
    Registers masks = op.getMask() ? Registers(emitter.registers(op.getMask())) : Registers();
    AtomicOperation atomic(op, emitter);
    atomic.leaveMasks();
    return atomic.run([&](unsigned index) {
      Value mask = masks.empty() ? Value() : masks[index];
      return emitter.target().emitBufferAtomic(emitter, operation, places[index], values[index], mask);
    });
  }
  unsigned width = analysis::getVectorWidth(emitter.axisInfo(), op.getPtr(), op.getMask(),
                                            analysis::getAtomicBytes(op, emitter.machine()));
  if (width > 1)
    return lowerVectors(op, operation, width, emitter);
  return AtomicOperation(op, emitter).run([&](unsigned index) -> Value {
    return LLVM::AtomicRMWOp::create(emitter.b, operation, pointers[index], values[index],
                                     LLVM::AtomicOrdering::monotonic, emitter.target().scopeName(op.getScope()));
  });
}

static LogicalResult lowerLocalAtomicRmw(ttg::LocalAtomicScatterRMWOp op, Emitter &emitter) {
  IndexedTile tile = IndexedTile::of(emitter, op.getDst(), op.getAxis());
  IndexedAddresses addresses(emitter, tile, emitter.layoutOf(cast<RankedTensorType>(op.getIndices().getType())));
  Registers indices(emitter.registers(op.getIndices())), values(emitter.registers(op.getValues()));
  LLVM::AtomicBinOp operation = findAtomicOperation(op.getAtomicRmwOp(), values.front().getType());
  return AtomicOperation(op, op.getIndices(), op.getMask(), emitter).run([&](unsigned index) -> Value {
    return LLVM::AtomicRMWOp::create(emitter.b, operation, addresses.of(index, indices[index]), values[index],
                                     LLVM::AtomicOrdering::monotonic,
                                     emitter.target().scopeName(tt::MemSyncScope::CTA));
  });
}

static LogicalResult lowerAtomicCas(tt::AtomicCASOp op, Emitter &emitter) {
  Registers pointers(emitter.registers(op.getPtr())), expected(emitter.registers(op.getCmp())),
      values(emitter.registers(op.getVal()));
  ElementBits bits(emitter, values.front().getType());
  return AtomicOperation(op, emitter).run([&](unsigned index) {
    Value pair = LLVM::AtomicCmpXchgOp::create(
        emitter.b, pointers[index], bits.encode(expected[index]), bits.encode(values[index]),
        LLVM::AtomicOrdering::monotonic, LLVM::AtomicOrdering::monotonic, emitter.target().scopeName(op.getScope()));
    return bits.decode(LLVM::ExtractValueOp::create(emitter.b, pair, int64_t(0)));
  });
}

static Value emitAtomicLoad(Emitter &emitter, tt::AtomicOpInterface op, Value pointer, const ElementBits &bits) {
  return LLVM::LoadOp::create(emitter.b, bits.type(), pointer, bits.bytes(), /*isVolatile=*/false,
                              /*isNonTemporal=*/false, /*isInvariant=*/false, /*isInvariantGroup=*/false,
                              LLVM::AtomicOrdering::monotonic, emitter.target().scopeName(op.getScope()));
}

static LogicalResult lowerAtomicLoad(tt::AtomicLoadOp op, Emitter &emitter) {
  Registers pointers(emitter.registers(op.getPtr()));
  ElementBits bits(emitter, emitter.convertElement(op.getType()));
  return AtomicOperation(op, emitter).run([&](unsigned index) {
    return bits.decode(emitAtomicLoad(emitter, op, pointers[index], bits));
  });
}

static LogicalResult lowerAtomicStore(tt::AtomicStoreOp op, Emitter &emitter) {
  Registers pointers(emitter.registers(op.getPtr())), values(emitter.registers(op.getValue()));
  ElementBits bits(emitter, values.front().getType());
  return AtomicOperation(op, emitter).run([&](unsigned index) {
    LLVM::StoreOp::create(emitter.b, bits.encode(values[index]), pointers[index], bits.bytes(), /*isVolatile=*/false,
                          /*isNonTemporal=*/false, /*isInvariantGroup=*/false, LLVM::AtomicOrdering::monotonic,
                          emitter.target().scopeName(op.getScope()));
    return Value();
  });
}

static LogicalResult lowerAtomicPoll(tt::AtomicPollOp op, Emitter &emitter) {
  Registers pointers(emitter.registers(op.getPtr())), expected(emitter.registers(op.getExpected()));
  ElementBits bits(emitter, expected.front().getType());
  Value timeout = op.getTimeout() ? emitter.scalar(op.getTimeout()) : Value();
  Value start = timeout ? emitter.target().emitTime(emitter) : Value();
  return AtomicOperation(op, emitter).run([&](unsigned index) {
    Value isReached;
    emitter.emitUntil([&]() -> Value {
      isReached = emitter.equal(emitAtomicLoad(emitter, op, pointers[index], bits), expected[index]);
      if (!timeout)
        return isReached;
      Value passed = LLVM::SubOp::create(emitter.b, emitter.target().emitTime(emitter), start);
      Value isLate = LLVM::ICmpOp::create(emitter.b, LLVM::ICmpPredicate::sge, passed, timeout);
      return LLVM::OrOp::create(emitter.b, isReached, isLate);
    });
    return isReached;
  });
}

void addAtomicLowerings(LoweringTable &table) {
  table.add<tt::AtomicRMWOp, lowerAtomicRmw>();
  table.add<ttg::LocalAtomicScatterRMWOp, lowerLocalAtomicRmw>();
  table.add<tt::AtomicCASOp, lowerAtomicCas>();
  table.add<tt::AtomicLoadOp, lowerAtomicLoad>();
  table.add<tt::AtomicStoreOp, lowerAtomicStore>();
  table.add<tt::AtomicPollOp, lowerAtomicPoll>();
}

} // namespace triton::gpu
