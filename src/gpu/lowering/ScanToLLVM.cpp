// Scans. The bits of the axis are processed from the lowest one, wherever they are. Every element has the combination
// of its block up to itself (`prefix`) and of its whole block (`total`), where a block consists of the bits that are
// already processed. What other lanes and warps have before the elements of a thread is combined with each of them only
// once, when all of it is known.
#include "gpu/analysis/CombinePlan.h"
#include "gpu/lowering/Combination.h"
#include "gpu/lowering/Lowerings.h"
#include "gpu/lowering/MemoryAccess.h"
#include "gpu/lowering/SharedAccess.h"

#include "llvm/ADT/MapVector.h"

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
      else if (axisBit.source == AxisBit::Source::Lane)
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

  /// What precedes registers that share a total, and whether there is anything.
  struct Preceding {
    SmallVector<unsigned> members;
    Elements elements;
    Value exists;
  };

  /// Where `exists` holds, `before` precedes what is already known to precede the members of the group.
  void precede(unsigned group, llvm::ArrayRef<unsigned> members, const Elements &before, Value exists) {
    auto [entry, isNew] = preceding.insert(std::pair(group, Preceding{SmallVector<unsigned>(members), before, exists}));
    Preceding &known = entry->second;
    if (!isNew) {
      Elements joined = combine.select(known.exists, combine(before, known.elements), before);
      known.elements = combine.select(exists, joined, known.elements);
      known.exists = LLVM::OrOp::create(emitter.b, known.exists, exists);
    }
    if (members.size() == 1) // Then it costs least to do it at once.
      joinPreceding();
  }

  void joinPreceding() {
    for (auto &[group, known] : preceding)
      for (unsigned index : known.members)
        prefix[index] = combine.select(known.exists, combine(known.elements, prefix[index]), prefix[index]);
    preceding.clear();
  }

  void scanRegisters(unsigned bit) {
    joinPreceding();
    // From the last element: the elements whose bit is clear follow the others.
    unsigned first = op.getReverse() ? 1u << bit : 0;
    SmallVector<Elements> newTotal = total;
    llvm::DenseMap<unsigned, unsigned> computed; // totals that are equal are computed only once
    for (unsigned index = 0; index < prefix.size(); ++index) {
      unsigned earlier = (index & ~(1u << bit)) | first, later = earlier ^ (1u << bit);
      if (!isRepresentative(index))
        continue;
      unsigned group = earlier & ~processed;
      auto [known, isNew] = computed.try_emplace(group, index);
      bool samePrefix = index == later && sameValues(prefix[index], total[later]);
      if (isNew)
        newTotal[index] = combine(total[earlier], total[later]);
      else
        newTotal[index] = newTotal[known->second];
      if (index == later)
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
      precede(group, members, other, set);
      auto [earlier, later] = combine.order(set, total[group], other);
      Elements sum = combine(earlier, later);
      for (unsigned index : members)
        total[index] = sum;
    });
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

  /// The totals of all warps are exchanged through scratch, at [register][warp][lane]. Every thread combines those
  /// before its own, and all of them.
  void scanWarps(const ScanExchange &exchange) {
    int64_t scratch = op->getAttrOfType<IntegerAttr>(ttg::allocationOffsetAttribute).getInt();
    int64_t threads = emitter.threadCount();
    auto placeOf = [&](std::size_t slot, std::size_t operand, Type element) {
      int64_t offset = scratch + int64_t(exchange.operandOffsets[operand]);
      return emitter.sharedAddress(offset + int64_t(slot) * threads * memoryBytes(element));
    };
    auto bytesOf = [&](Value thread, Type element) -> Value {
      return LLVM::MulOp::create(emitter.b, thread, emitter.i32(memoryBytes(element)));
    };
    SmallVector<std::pair<unsigned, SmallVector<unsigned>>> groups;
    forEachTotal([&](unsigned group, llvm::ArrayRef<unsigned> members) {
      for (auto [operand, element] : llvm::enumerate(total[group])) {
        Type type = element.getType();
        Value place = placeOf(groups.size(), operand, type);
        emitStore(emitter, emitter.offsetPointer(place, bytesOf(emitter.threadId(), type)), element, {});
      }
      groups.push_back({group, SmallVector<unsigned>(members)});
    });
    emitter.barrier();
    WarpRank rank = emitRank(exchange);
    for (auto [slot, group] : llvm::enumerate(groups)) {
      Elements before, all;
      for (unsigned part = 0; part < 1u << exchange.bitCount; ++part) {
        Elements next;
        for (auto [operand, element] : llvm::enumerate(total[group.first])) {
          Type type = element.getType();
          Value place = emitter.offsetPointer(placeOf(slot, operand, type), bytesOf(rank.siblings[part], type));
          next.push_back(emitLoad(emitter, place, type, 1, {}, {}).front());
        }
        // `before` is undefined for the first warp, and is not used.
        if (part != 0) {
          Value isLater = LLVM::ICmpOp::create(emitter.b, LLVM::ICmpPredicate::uge, rank.own, emitter.i32(part));
          before = part == 1 ? all : combine.select(isLater, all, before);
        }
        all = part == 0 ? next : combine(all, next);
      }
      Value hasBefore = LLVM::ICmpOp::create(emitter.b, LLVM::ICmpPredicate::ne, rank.own, emitter.i32(0));
      precede(group.first, group.second, before, hasBefore);
      for (unsigned index : group.second)
        total[index] = all;
    }
  }

  /// The position of a thread's warp among the warps along the axis, and the thread with the same lane in each of them.
  struct WarpRank {
    Value own;
    SmallVector<Value> siblings;
  };

  WarpRank emitRank(const ScanExchange &exchange) {
    IndexMap map(layout, 0);
    llvm::fill(map.registers, 0);
    llvm::fill(map.lanes, 0);
    llvm::fill(map.warps, 0);
    int64_t warpBits = 0;
    auto bits = llvm::ArrayRef(plan.axisBits).slice(exchange.firstBit, exchange.bitCount);
    for (auto [position, bit] : llvm::enumerate(bits)) {
      map.warps[bit.bit] = 1 << position;
      warpBits |= int64_t(1) << (bit.bit + emitter.laneBits());
    }
    unsigned count = 1u << exchange.bitCount;
    Value rank = map.emitThreadPart(emitter);
    if (op.getReverse())
      rank = emitter.bitXor(rank, emitter.i32(count - 1));
    Value common = emitter.bitAnd(emitter.threadId(), ~warpBits);
    WarpRank result{rank, {}};
    for (unsigned part = 0; part < count; ++part) {
      unsigned position = op.getReverse() ? count - 1 - part : part;
      int64_t thread = 0;
      for (auto [step, bit] : llvm::enumerate(bits))
        thread |= int64_t(position >> step & 1) << (bit.bit + emitter.laneBits());
      result.siblings.push_back(emitter.bitXor(common, emitter.i32(thread)));
    }
    return result;
  }

  tt::ScanOp op;
  Emitter &emitter;
  const ScanPlan &plan;
  const LinearLayout &layout;
  SmallVector<unsigned> representatives;
  Combination combine;
  SmallVector<Elements> prefix, total;            ///< by register
  llvm::MapVector<unsigned, Preceding> preceding; ///< by the first register that shares the total
  unsigned processed = 0;                         ///< register bits of the axis that are already processed
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
