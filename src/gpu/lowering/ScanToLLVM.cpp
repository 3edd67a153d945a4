// Scans. The bits of the axis are processed from the lowest one, wherever they are. Every element has the combination
// of its block up to itself (`prefix`) and of its whole block (`total`), where a block consists of the bits that are
// already processed. What other lanes and warps have before the elements of a thread is combined with each of them only
// once, when all of it is known. Machines that shift lanes, or rows of them, process bits of lanes at once: each lane
// then finds out what is up to it, and only the last one the total.
#include "gpu/analysis/CombinePlan.h"
#include "gpu/lowering/Combination.h"
#include "gpu/lowering/Lowerings.h"
#include "gpu/lowering/MemoryAccess.h"
#include "gpu/lowering/SharedAccess.h"
#include "gpu/lowering/TargetEmitter.h"

using namespace mlir;

namespace triton::gpu {

using analysis::AxisBit;
using analysis::ScanExchange;
using analysis::ScanPlan;

namespace {

class Scan {
public:
  Scan(tt::ScanOp op, Emitter &emitter, const ScanPlan &plan)
      : op(op), emitter(emitter), plan(plan), layout(emitter.layoutOf(op.getInputTypes().front())),
        representatives(representativeRegisters(layout)), combine(emitter, op.getCombineOp()) {}

  LogicalResult run() {
    for (std::size_t index = 0; index < representatives.size(); ++index) {
      Elements &elements = prefix.emplace_back();
      for (Value operand : op.getSrcs())
        elements.push_back(emitter.registers(operand)[index]);
    }
    total = prefix;
    const ScanExchange *exchange = plan.exchanges.begin();
    for (unsigned bit = 0; bit < plan.axisBits.size(); ++bit) {
      const AxisBit &axisBit = plan.axisBits[bit];
      if (axisBit.source == AxisBit::Source::Register)
        scanRegisters(axisBit.bit);
      else if (unsigned count = countShiftedBits(bit)) {
        bit += count - 1;
        // Of the lowest lanes, the last one writes the total to scratch.
        bool isEnd = bit + 1 == plan.axisBits.size();
        bool goesToScratch = !isEnd && plan.axisBits[bit + 1].source == AxisBit::Source::Warp && axisBit.bit == 0;
        scanByShifts(axisBit.bit, count, /*onlyLast=*/isEnd || goesToScratch);
      } else if (axisBit.source == AxisBit::Source::Lane)
        scanLanes(axisBit.bit);
      else {
        scanWarps(*exchange);
        bit += exchange->bitCount - 1;
        ++exchange;
      }
    }
    joinPreceding();
    if (combine.hasFailed())
      return failure();
    for (auto [operand, result] : llvm::enumerate(op.getResults())) {
      Registers registers;
      for (unsigned representative : representatives)
        registers.push_back(prefix[representative][operand]);
      emitter.define(result, std::move(registers));
    }
    return success();
  }

private:
  bool isRepresentative(unsigned index) const { return representatives[index] == index; }

  /// What precedes registers that shared a total when it became known, and whether there is anything.
  struct Preceding {
    SmallVector<unsigned> members;
    Elements elements;
    Value exists; ///< null: always
  };

  /// Where `exists`, or always if it is null, `before` precedes what is already known to precede.
  void precede(Preceding &known, const Elements &before, Value exists) {
    if (exists && known.exists) {
      Value both = LLVM::AndOp::create(emitter.b, known.exists, exists);
      known.elements = combine.where(both, before, known.elements, combine.select(exists, before, known.elements));
      known.exists = LLVM::OrOp::create(emitter.b, known.exists, exists);
      return;
    }
    if (exists)
      known.elements = combine.where(exists, before, known.elements, known.elements);
    else if (known.exists)
      known.elements = combine.where(known.exists, before, known.elements, before);
    else
      known.elements = combine(before, known.elements);
    known.exists = {};
  }

  void precede(llvm::ArrayRef<unsigned> members, const Elements &before, Value exists) {
    bool isKnown = false;
    for (Preceding &known : preceding)
      if (llvm::is_contained(members, known.members.front())) {
        precede(known, before, exists);
        isKnown = true;
      }
    if (!isKnown)
      preceding.push_back({SmallVector<unsigned>(members), before, exists});
    if (members.size() == 1) // Then it costs least to do it at once.
      joinPreceding();
  }

  void joinPreceding() {
    for (Preceding &known : preceding) {
      if (known.exists && combine.hasEffects()) {
        for (unsigned index : known.members)
          prefix[index] = combine.where(known.exists, known.elements, prefix[index], prefix[index]);
        continue;
      }
      SmallVector<Elements> own;
      for (unsigned index : known.members)
        own.push_back(prefix[index]);
      for (auto [index, joined] : llvm::zip_equal(known.members, combine.withEach(known.elements, own)))
        prefix[index] = known.exists ? combine.select(known.exists, joined, prefix[index]) : joined;
    }
    preceding.clear();
  }

  void scanRegisters(unsigned bit) {
    // From the last element: the elements whose bit is clear follow the others.
    unsigned first = op.getReverse() ? 1u << bit : 0;
    SmallVector<Elements> newTotal = total;
    llvm::DenseMap<unsigned, unsigned> computed; // totals that are equal are computed only once
    for (Preceding &known : preceding)
      if (unsigned index = known.members.front(); (index & 1u << bit) != first)
        precede(known, total[index ^ 1u << bit], /*exists=*/{});
    for (unsigned index = 0; index < prefix.size(); ++index) {
      unsigned earlier = (index & ~(1u << bit)) | first, later = earlier ^ (1u << bit);
      if (!isRepresentative(index))
        continue;
      unsigned group = earlier & ~processed;
      auto [known, isNew] = computed.try_emplace(group, index);
      bool samePrefix = preceding.empty() && index == later && sameValues(prefix[index], total[later]);
      if (isNew)
        newTotal[index] = combine(total[earlier], total[later]);
      else
        newTotal[index] = newTotal[known->second];
      if (index == later && preceding.empty())
        prefix[index] = samePrefix ? newTotal[index] : combine(total[earlier], prefix[index]);
    }
    total = std::move(newTotal);
    processed |= 1u << bit;
  }

  static bool sameValues(const Elements &left, const Elements &right) { return left == right; }

  void scanLanes(unsigned bit) {
    Value set =
        emitter.equal(emitter.bitAnd(emitter.shiftRight(emitter.lane(), bit), 1), emitter.i32(op.getReverse() ? 0 : 1));
    forEachTotal([&](unsigned group, llvm::ArrayRef<unsigned> members) {
      Elements other;
      for (Value element : total[group])
        other.push_back(emitShuffleXor(emitter, element, 1u << bit));
      precede(members, other, set);
      auto [earlier, later] = combine.order(set, total[group], other);
      Elements sum = combine(earlier, later);
      for (unsigned index : members)
        total[index] = sum;
    });
  }

  /// The number of bits of the axis from number `first` on that scanByShifts processes: bits of lanes, in their order.
  unsigned countShiftedBits(unsigned first) {
    unsigned count = analysis::countLaneRun(plan, first);
    if (emitter.machine().shiftsLanes)
      return count > 1 ? count : 0;
    return !op.getReverse() && emitter.target().firstPrecedingBit() && plan.axisBits[first].bit == 0 ? count : 0;
  }

  /// Each lane combines what earlier lanes have, from twice as many in each step, so that only the last lane of a group
  /// of 2^count knows the total. Where only rows of lanes are shifted, the last lane of a row has what later rows need.
  /// With `onlyLast`, no other lane needs the total.
  void scanByShifts(unsigned firstBit, unsigned count, bool onlyLast) {
    unsigned rowBits = emitter.machine().shiftsLanes ? count : *emitter.target().firstPrecedingBit();
    unsigned last = (1u << count) - 1;
    Value place = emitter.bitAnd(emitter.shiftRight(emitter.lane(), firstBit), last);
    if (op.getReverse())
      place = emitter.bitXor(place, emitter.i32(last));
    Value rowPlace = emitter.bitAnd(place, (1 << rowBits) - 1);
    SmallVector<Value> hasEarlier;
    for (unsigned bit = 0; bit < count; ++bit)
      hasEarlier.push_back(isAtLeast(bit < rowBits ? rowPlace : emitter.bitAnd(place, 1 << bit), 1 << bit));
    Value hasPrevious = isAtLeast(place, 1);
    int lanesApart = (op.getReverse() ? -1 : 1) * (1 << firstBit);
    forEachTotal([&](unsigned group, llvm::ArrayRef<unsigned> members) {
      Elements own = total[group];
      auto map = [&](auto move) { return Elements(llvm::map_range(own, move)); };
      for (unsigned bit = 0; bit < count; ++bit) {
        Elements earlier = map([&](Value element) -> Value {
          return bit < rowBits ? emitEarlierLane(emitter, element, lanesApart * (1 << bit))
                               : emitPreceding(emitter, element, bit);
        });
        own = combine.where(hasEarlier[bit], earlier, own, own);
      }
      if (members.size() == 1 && preceding.empty() && sameValues(prefix[group], total[group]))
        prefix[group] = own;
      else
        precede(members, map([&](Value element) { return emitEarlierLane(emitter, element, lanesApart); }),
                hasPrevious);
      if (!onlyLast) {
        Value lastLane = emitLastLane(firstBit, last);
        own = map([&](Value element) { return emitShuffleIndex(emitter, element, lastLane); });
      }
      for (unsigned index : members)
        total[index] = own;
    });
  }

  /// The last one of the lanes that differ from this one in the bits `last`, from number `firstBit` on.
  Value emitLastLane(unsigned firstBit, unsigned last) {
    int64_t bits = int64_t(last) << firstBit, all = (int64_t(1) << emitter.laneBits()) - 1;
    if (bits == all)
      return emitter.i32(op.getReverse() ? 0 : all);
    if (op.getReverse())
      return emitter.bitAnd(emitter.lane(), all & ~bits);
    return LLVM::OrOp::create(emitter.b, emitter.lane(), emitter.i32(bits));
  }

  Value isAtLeast(Value number, int64_t bound) {
    return LLVM::ICmpOp::create(emitter.b, LLVM::ICmpPredicate::uge, number, emitter.i32(bound));
  }

  /// Calls `body` for each group of registers that share a total.
  void forEachTotal(llvm::function_ref<void(unsigned, llvm::ArrayRef<unsigned>)> body) {
    for (unsigned group = 0; group < prefix.size(); ++group) {
      if (!isRepresentative(group) || (group & processed))
        continue;
      SmallVector<unsigned> members;
      for (unsigned index = 0; index < prefix.size(); ++index)
        if (isRepresentative(index) && (index & ~processed) == group)
          members.push_back(index);
      body(group, members);
    }
  }

  /// The totals of all warps are exchanged through scratch, at [register][warp][other bits of the lane]. Every thread
  /// combines those before its own, and all of them.
  void scanWarps(const ScanExchange &exchange) {
    int64_t scratch = op->getAttrOfType<IntegerAttr>(ttg::allocationOffsetAttribute).getInt();
    int64_t places = emitter.threadCount() >> exchange.equalLaneBits;
    auto addressOf = [&](std::size_t slot, std::size_t operand, Type element, Value place) {
      int64_t bytes = memoryBytes(element), offset = scratch + int64_t(exchange.operandOffsets[operand]);
      return emitter.offsetPointer(emitter.sharedAddress(offset + int64_t(slot) * places * bytes),
                                   LLVM::MulOp::create(emitter.b, place, emitter.i32(bytes)));
    };
    SmallVector<std::pair<unsigned, SmallVector<unsigned>>> groups;
    forEachTotal([&](unsigned group, llvm::ArrayRef<unsigned> members) {
      groups.push_back({group, SmallVector<unsigned>(members)});
    });
    auto storeTotals = [&] {
      Value place = emitter.shiftRight(emitter.threadId(), exchange.equalLaneBits);
      for (auto [slot, group] : llvm::enumerate(groups))
        for (auto [operand, element] : llvm::enumerate(total[group.first]))
          emitStore(emitter, addressOf(slot, operand, element.getType(), place), element, {});
    };
    int64_t last = (int64_t(1) << exchange.equalLaneBits) - 1;
    if (last == 0)
      storeTotals();
    else // Of the lanes with the same totals, the last one writes them, which may be the only one to know them.
      emitter.emitIf(emitter.equal(emitter.bitAnd(emitter.lane(), last), emitter.i32(op.getReverse() ? 0 : last)),
                     storeTotals);
    emitter.barrier();
    WarpRank rank = emitRank(exchange);
    SmallVector<Value> isLater;
    for (unsigned part = 1; part < 1u << exchange.bitCount; ++part)
      isLater.push_back(isAtLeast(rank.own, part));
    for (auto [slot, group] : llvm::enumerate(groups)) {
      SmallVector<Elements> parts(rank.siblings.size());
      for (auto [operand, element] : llvm::enumerate(total[group.first]))
        loadParts(rank, element.getType(), parts, [&, slot = slot, operand = operand](Value place) {
          return addressOf(slot, operand, element.getType(), place);
        });
      Elements before, all;
      for (auto [part, next] : llvm::enumerate(parts)) {
        // `before` is undefined for the first warp, and is not used.
        if (part != 0)
          before = part == 1 ? all : combine.select(isLater[part - 1], all, before);
        all = part == 0 ? next : combine(all, next);
      }
      precede(group.second, before, isLater.front());
      for (unsigned index : group.second)
        total[index] = all;
    }
  }

  /// The position of a thread's warp among the warps along the axis, and the place of each of these warps' total.
  struct WarpRank {
    Value own;
    SmallVector<Value> siblings;
    bool areNeighbors; ///< the places follow one another
  };

  /// Adds one operand's total of each warp to `parts`.
  void loadParts(const WarpRank &rank, Type element, llvm::MutableArrayRef<Elements> parts,
                 llvm::function_ref<Value(Value)> addressOf) {
    unsigned width = 1;
    if (rank.areNeighbors)
      width = unsigned(std::min<std::size_t>(parts.size(), emitter.machine().accessBytes / memoryBytes(element)));
    for (unsigned part = 0; part < parts.size(); part += width)
      for (auto [i, value] : llvm::enumerate(emitLoad(emitter, addressOf(rank.siblings[part]), element, width, {}, {})))
        parts[part + i].push_back(value);
  }

  WarpRank emitRank(const ScanExchange &exchange) {
    IndexMap map(layout, 0);
    llvm::fill(map.registers, 0);
    llvm::fill(map.lanes, 0);
    llvm::fill(map.warps, 0);
    unsigned equal = exchange.equalLaneBits, warpShift = emitter.laneBits() - equal;
    int64_t warpBits = 0;
    bool areLowest = true;
    auto bits = llvm::ArrayRef(plan.axisBits).slice(exchange.firstBit, exchange.bitCount);
    for (auto [position, bit] : llvm::enumerate(bits)) {
      map.warps[bit.bit] = 1 << position;
      warpBits |= int64_t(1) << (bit.bit + warpShift);
      areLowest &= bit.bit == position;
    }
    unsigned count = 1u << exchange.bitCount;
    Value rank = map.emitThreadPart(emitter);
    if (op.getReverse())
      rank = emitter.bitXor(rank, emitter.i32(count - 1));
    int64_t otherBits = (int64_t(emitter.threadCount()) >> equal) - 1 & ~warpBits;
    Value common =
        otherBits == 0 ? emitter.i32(0) : emitter.bitAnd(emitter.shiftRight(emitter.threadId(), equal), otherBits);
    WarpRank result{rank, {}, areLowest && warpShift == 0 && !op.getReverse()};
    for (unsigned part = 0; part < count; ++part) {
      unsigned position = op.getReverse() ? count - 1 - part : part;
      int64_t place = 0;
      for (auto [step, bit] : llvm::enumerate(bits))
        place |= int64_t(position >> step & 1) << (bit.bit + warpShift);
      result.siblings.push_back(emitter.bitXor(common, emitter.i32(place)));
    }
    return result;
  }

  tt::ScanOp op;
  Emitter &emitter;
  const ScanPlan &plan;
  const LinearLayout &layout;
  SmallVector<unsigned> representatives;
  Combination combine;
  SmallVector<Elements> prefix, total; ///< by register
  SmallVector<Preceding> preceding;    ///< of all registers, or empty
  unsigned processed = 0;              ///< register bits of the axis that are already processed
};

} // namespace

static LogicalResult lowerScan(tt::ScanOp op, Emitter &emitter) {
  std::optional<ScanPlan> plan = analysis::planScan(op);
  if (!plan)
    return op.emitError() << "the layout of " << op.getInputTypes().front()
                          << " mixes the scanned dimension with others; convert it first";
  return Scan(op, emitter, *plan).run();
}

void addScanLowerings(LoweringTable &table) { table.add<tt::ScanOp, lowerScan>(); }

} // namespace triton::gpu
