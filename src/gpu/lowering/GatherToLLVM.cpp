// Gather and histogram, through shared memory.
#include "gpu/lowering/Lowerings.h"
#include "gpu/lowering/SharedAccess.h"
#include "gpu/lowering/TargetEmitter.h"

using namespace mlir;

namespace triton::gpu {

static Value scratchOf(Operation *op, Emitter &emitter) {
  return emitter.sharedAddress(op->getAttrOfType<IntegerAttr>(ttg::allocationOffsetAttribute).getInt());
}

/// An unsigned integer that fits in 32 bits.
static Value unsignedWord(Emitter &emitter, Value value) {
  Type word = emitter.b.getI32Type();
  unsigned width = value.getType().getIntOrFloatBitWidth();
  if (width == 32)
    return value;
  return width > 32 ? Value(LLVM::TruncOp::create(emitter.b, word, value))
                    : LLVM::ZExtOp::create(emitter.b, word, value);
}

/// The whole source goes to shared memory, with the first dimension fastest. Each element of the result is read from
/// the place that its index gives.
static LogicalResult lowerGather(tt::GatherOp op, Emitter &emitter) {
  auto sourceType = cast<RankedTensorType>(op.getSrc().getType());
  auto indexType = cast<RankedTensorType>(op.getIndices().getType());
  const LinearLayout &source = emitter.layoutOf(sourceType);
  Type element = emitter.convertElement(sourceType);
  Value base = scratchOf(op, emitter);
  Registers registers(emitter.registers(op.getSrc()));
  auto store = [&] { SharedAccess(emitter, base, source.flattenOutputs("offset"), element).store(registers); };
  if (Value isWriter = emitIsRepresentativeWarp(emitter, source))
    emitter.emitIf(isWriter, store);
  else
    store();
  emitter.barrier();

  const LinearLayout &target = emitter.layoutOf(indexType);
  SmallVector<Registers> coordinates;
  for (unsigned dimension = 0; dimension < indexType.getRank(); ++dimension)
    coordinates.push_back(dimension == op.getAxis() ? Registers() : emitCoordinates(emitter, target, dimension));
  Registers gathered;
  for (auto [index, chosen] : llvm::enumerate(emitter.registers(op.getIndices()))) {
    Value offset = emitter.i32(0);
    unsigned shift = 0;
    for (unsigned dimension = 0; dimension < indexType.getRank(); ++dimension) {
      Value coordinate = dimension == op.getAxis() ? chosen : coordinates[dimension][index];
      offset = emitter.add(offset, emitter.shiftLeft(unsignedWord(emitter, coordinate), shift));
      shift += source.outputs()[dimension].bits();
    }
    Value bytes = emitter.shiftLeft(offset, llvm::Log2_32(memoryBytes(element)));
    gathered.push_back(emitLoad(emitter, emitter.offsetPointer(base, bytes), element, 1, {}, {}).front());
  }
  emitter.define(op.getResult(), std::move(gathered));
  return success();
}

/// Calls `body` for each bin with its number. The bins are distributed over the threads.
static void forEachBin(Emitter &emitter, unsigned bins, llvm::function_ref<void(Value)> body) {
  unsigned threads = emitter.threadCount();
  if (bins < threads) {
    Value isIn = LLVM::ICmpOp::create(emitter.b, LLVM::ICmpPredicate::ult, emitter.threadId(), emitter.i32(bins));
    return emitter.emitIf(isIn, [&] { body(emitter.threadId()); });
  }
  for (unsigned first = 0; first < bins; first += threads)
    body(emitter.add(emitter.threadId(), emitter.i32(first)));
}

/// The bins are in shared memory. Of all threads that hold an element, one counts it.
static LogicalResult lowerHistogram(tt::HistogramOp op, Emitter &emitter) {
  auto resultType = cast<RankedTensorType>(op.getType());
  const LinearLayout &source = emitter.layoutOf(cast<RankedTensorType>(op.getSrc().getType()));
  Type counter = emitter.convertElement(resultType);
  Value base = scratchOf(op, emitter);
  auto bins = unsigned(resultType.getNumElements());
  unsigned sizeLog = llvm::Log2_32(memoryBytes(counter));
  forEachBin(emitter, bins, [&](Value bin) {
    emitStore(emitter, emitter.offsetPointer(base, emitter.shiftLeft(bin, sizeLog)), emitter.integer(counter, 0), {});
  });
  emitter.barrier();

  SmallVector<unsigned> representatives = representativeRegisters(source);
  Registers values(emitter.registers(op.getSrc())), masks;
  if (op.getMask())
    masks = Registers(emitter.registers(op.getMask()));
  Value isCounter = emitIsRepresentative(emitter, source);
  for (auto [index, value] : llvm::enumerate(values)) {
    if (representatives[index] != index)
      continue;
    // Narrow types cannot hold the number of bins.
    Type type = value.getType().getIntOrFloatBitWidth() < 32 ? emitter.b.getI32Type() : value.getType();
    Value compared = type == value.getType() ? value : unsignedWord(emitter, value);
    Value counts = LLVM::ICmpOp::create(emitter.b, LLVM::ICmpPredicate::ult, compared, emitter.integer(type, bins));
    for (Value condition : {isCounter, masks.empty() ? Value() : masks[index]})
      if (condition)
        counts = LLVM::AndOp::create(emitter.b, counts, condition);
    emitter.emitIf(counts, [&] {
      Value bin = unsignedWord(emitter, compared);
      LLVM::AtomicRMWOp::create(emitter.b, LLVM::AtomicBinOp::add,
                                emitter.offsetPointer(base, emitter.shiftLeft(bin, sizeLog)),
                                emitter.integer(counter, 1), LLVM::AtomicOrdering::monotonic,
                                emitter.target().scopeName(tt::MemSyncScope::CTA));
    });
  }
  emitter.barrier();
  SharedAccess counts(emitter, base, emitter.layoutOf(resultType).flattenOutputs("offset"), counter);
  emitter.define(op.getResult(), counts.load());
  return success();
}

void addGatherLowerings(LoweringTable &table) {
  table.add<tt::GatherOp, lowerGather>();
  table.add<tt::HistogramOp, lowerHistogram>();
}

} // namespace triton::gpu
