// Gather and histogram, through shared memory.
#include "gpu/lowering/IndexedTile.h"
#include "gpu/lowering/Lowerings.h"
#include "gpu/lowering/SharedAccess.h"
#include "gpu/lowering/TargetEmitter.h"

using namespace mlir;

namespace triton::gpu {

static Value scratchOf(Operation *op, Emitter &emitter) {
  return emitter.sharedAddress(op->getAttrOfType<IntegerAttr>(ttg::allocationOffsetAttribute).getInt());
}

/// A layout with more registers, whose numbers are the coordinates along `axis`.
static LinearLayout withRegistersAlong(const LinearLayout &places, unsigned axis) {
  SmallVector<layout::Input> inputs(places.inputs());
  layout::Input &registers =
      *llvm::find_if(inputs, [](const layout::Input &input) { return input.name == "register"; });
  for (int32_t step = 1; step < places.outputs()[axis].size; step *= 2) {
    layout::Basis &basis = registers.bases.emplace_back(places.outputs().size(), 0);
    basis[axis] = step;
  }
  return {inputs, places.outputs()};
}

/// Each element is read from the place that its index gives. Where all elements of a thread have the same index, those
/// that are neighbours in memory are read at once.
static Registers emitGather(Emitter &emitter, const IndexedTile &tile, Value indices) {
  Type element = emitter.convertElement(tile.type);
  Registers chosen(emitter.registers(indices)), gathered;
  const LinearLayout &layout = emitter.layoutOf(cast<RankedTensorType>(indices.getType()));
  SmallVector<int32_t> bases = tile.basesOfAxis();
  if (!llvm::is_contained(bases, 1) && llvm::all_equal(chosen)) {
    LinearLayout all = withRegistersAlong(tile.placesAtZero(layout), tile.axis);
    SmallVector<unsigned> steps;
    for (unsigned bit = 0; bit < bases.size(); ++bit)
      steps.push_back(unsigned(chosen.size()) << bit);
    SharedAccess access(emitter, tile.base, all.compose(tile.memory), element, tile.paddings);
    access.move(unsignedWord(emitter, chosen.front()), steps);
    for (unsigned index = 0; index < chosen.size(); ++index)
      gathered.push_back(access.load(index));
    return gathered;
  }
  IndexedAddresses addresses(emitter, tile, layout);
  for (auto [index, value] : llvm::enumerate(chosen))
    gathered.push_back(emitLoad(emitter, addresses.of(unsigned(index), value), element, 1, {}, {}).front());
  return gathered;
}

/// The whole source goes to shared memory, in the order in which threads hold neighbours.
static LogicalResult lowerGather(tt::GatherOp op, Emitter &emitter) {
  auto sourceType = cast<RankedTensorType>(op.getSrc().getType());
  const LinearLayout &source = emitter.layoutOf(sourceType);
  SmallVector<int32_t> shape(sourceType.getShape());
  auto order = ttg::SwizzledSharedEncodingAttr::get(op.getContext(), 1, 1, 1, ttg::getOrder(sourceType));
  IndexedTile tile{sourceType, scratchOf(op, emitter), *order.getOffsetLayout(shape).inverse(), op.getAxis(), {}};
  Registers registers(emitter.registers(op.getSrc()));
  emitInRepresentativeWarps(emitter, source, [&] {
    SharedAccess(emitter, tile.base, source.compose(tile.memory), emitter.convertElement(sourceType)).store(registers);
  });
  emitter.barrier();
  emitter.define(op.getResult(), emitGather(emitter, tile, op.getIndices()));
  return success();
}

static LogicalResult lowerLocalGather(ttg::LocalGatherOp op, Emitter &emitter) {
  emitter.define(op.getResult(),
                 emitGather(emitter, IndexedTile::of(emitter, op.getSrc(), op.getAxis()), op.getIndices()));
  return success();
}

/// Of all threads that hold an element, one writes it.
static LogicalResult lowerLocalScatter(ttg::LocalScatterOp op, Emitter &emitter) {
  IndexedTile tile = IndexedTile::of(emitter, op.getDst(), op.getAxis());
  const LinearLayout &source = emitter.layoutOf(cast<RankedTensorType>(op.getIndices().getType()));
  Registers indices(emitter.registers(op.getIndices())), values(emitter.registers(op.getValues()));
  auto write = [&] {
    IndexedAddresses addresses(emitter, tile, source);
    for (auto [index, representative] : llvm::enumerate(representativeRegisters(source)))
      if (representative == index)
        emitStore(emitter, addresses.of(unsigned(index), indices[index]), {values[index]}, {});
  };
  if (Value isWriter = emitIsRepresentative(emitter, source))
    emitter.emitIf(isWriter, write);
  else
    write();
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
  table.add<ttg::LocalGatherOp, lowerLocalGather>();
  table.add<ttg::LocalScatterOp, lowerLocalScatter>();
  table.add<tt::HistogramOp, lowerHistogram>();
}

} // namespace triton::gpu
