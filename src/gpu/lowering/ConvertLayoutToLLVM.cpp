// Changes of layout. They rename registers, shuffle within warps or go through shared memory, as ConversionPlan.h
// decides.
#include "gpu/analysis/ConversionPlan.h"
#include "gpu/lowering/Lowerings.h"
#include "gpu/lowering/RelatedRegisters.h"
#include "gpu/lowering/SharedAccess.h"

#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;

namespace triton::gpu {

using analysis::BitExchange;
using analysis::ConversionPlan;
using analysis::Origin;

static Origin originOfRegister(const ConversionPlan &plan, unsigned index) {
  Origin sum;
  for (auto [bit, origin] : llvm::enumerate(plan.registers))
    if (index >> bit & 1)
      sum = {sum.registers ^ origin.registers, sum.lanes ^ origin.lanes};
  return sum;
}

static Registers convertInRegisters(const ConversionPlan &plan, llvm::ArrayRef<Value> source) {
  Registers result;
  for (unsigned index = 0; index < 1u << plan.registers.size(); ++index)
    result.push_back(source[originOfRegister(plan, index).registers]);
  return result;
}

namespace {

/// Moves values between lanes: every lane gets the value of its source lane.
class LaneMove {
public:
  LaneMove(Emitter &emitter, const ConversionPlan &plan) : emitter(emitter) {
    for (auto [origins, bits] : {std::pair{&plan.lanes, &map.lanes}, {&plan.warps, &map.warps}})
      for (const Origin &origin : *origins)
        bits->push_back(origin.lanes);
    for (const BitExchange &exchange : plan.exchanges)
      map.lanes[exchange.targetLane] = exchange.sourceLane;
    isIdentity = llvm::all_of(map.warps, [](int32_t basis) { return basis == 0; });
    for (auto [bit, basis] : llvm::enumerate(map.lanes))
      isIdentity &= basis == 1 << bit;
    if (!isIdentity)
      sourceLane = map.emitThreadPart(emitter);
  }

  /// The bits `flip` of the source lane's number are inverted.
  Value fetch(Value value, int32_t flip) {
    if (isIdentity)
      return flip == 0 ? value : emitShuffleXor(emitter, value, unsigned(flip));
    return emitShuffleIndex(emitter, value, emitter.bitXor(sourceLane, emitter.i32(flip)));
  }

private:
  Emitter &emitter;
  IndexMap map{LinearLayout(), 0};
  bool isIdentity;
  Value sourceLane; ///< null for the identity
};

/// Exchanges of register bits and lane bits, none where words of several elements move as they are: selections among
/// the registers of the sender, a shuffle, and selections among those of the receiver. Let x and y be the lane bits of
/// the exchanges of the sender and of the receiver. The c-th shuffle sends register x ^ c from lane y ^ c, where x is y
/// ^ c: the receiver's y-th register of the (y ^ c)-th lane.
class ExchangeConversion {
public:
  ExchangeConversion(Emitter &emitter, const ConversionPlan &plan, Type element)
      : emitter(emitter), plan(plan), move(emitter, plan) {
    if (element.isIntOrFloat() && element.getIntOrFloatBitWidth() >= 8)
      packed = plan.packed;
  }

  Registers convert(llvm::ArrayRef<Value> source) {
    Registers result(std::size_t(1) << plan.registers.size());
    for (unsigned index = 0; index < result.size(); ++index) {
      if (index & (wayBits(ways() - 1) | packedBits(parts() - 1)))
        continue;
      Origin origin = originOfRegister(plan, index);
      Registers &group = groups[{origin.registers, origin.lanes}];
      if (group.empty())
        group = exchange(source, origin);
      for (unsigned way = 0; way < ways(); ++way)
        for (unsigned part = 0; part < parts(); ++part)
          result[index | wayBits(way) | packedBits(part)] = group[way * parts() + part];
    }
    return result;
  }

private:
  unsigned ways() const { return 1u << plan.exchanges.size(); }
  unsigned parts() const { return 1u << packed.size(); }

  /// The sum of the results of `get` for the exchanges whose bits are set in `way`.
  int32_t combine(unsigned way, llvm::function_ref<int32_t(const BitExchange &)> get) const {
    int32_t sum = 0;
    for (auto [bit, exchange] : llvm::enumerate(plan.exchanges))
      sum |= way >> bit & 1 ? get(exchange) : 0;
    return sum;
  }
  /// Bits of the target's register number.
  unsigned wayBits(unsigned way) const {
    return unsigned(combine(way, [](const BitExchange &exchange) { return 1 << exchange.targetRegister; }));
  }
  unsigned packedBits(unsigned part) const {
    unsigned bits = 0;
    for (auto [bit, target] : llvm::enumerate(packed))
      bits |= (part >> bit & 1) << target;
    return bits;
  }

  /// The elements of every way. All parts of a word are consecutive.
  Registers exchange(llvm::ArrayRef<Value> source, Origin origin) {
    Registers words;
    for (unsigned way = 0; way < ways(); ++way) {
      int32_t first = origin.registers ^ combine(way, [](const BitExchange &e) { return e.sourceRegister; });
      Registers elements;
      for (unsigned part = 0; part < parts(); ++part)
        elements.push_back(source[first ^ originOfRegister(plan, packedBits(part)).registers]);
      words.push_back(pack(elements));
    }
    for (auto [bit, exchange] : llvm::enumerate(plan.exchanges))
      swapWhere(isLaneSet(exchange.sourceLane), words, 1u << bit);
    for (unsigned way = 0; way < ways(); ++way)
      words[way] =
          move.fetch(words[way], origin.lanes ^ combine(way, [](const BitExchange &e) { return e.sourceLane; }));
    for (auto [bit, exchange] : llvm::enumerate(plan.exchanges))
      swapWhere(isLaneSet(1 << exchange.targetLane), words, 1u << bit);
    Registers elements;
    for (Value word : words)
      elements.append(unpack(word, source.front().getType()));
    return elements;
  }

  Value pack(const Registers &elements) {
    if (elements.size() == 1)
      return elements.front();
    unsigned bits = unsigned(elements.size()) * elements.front().getType().getIntOrFloatBitWidth();
    return LLVM::BitcastOp::create(emitter.b, emitter.b.getIntegerType(bits), emitter.packVector(elements));
  }

  Registers unpack(Value word, Type element) {
    if (parts() == 1)
      return {word};
    return emitter.unpackVector(LLVM::BitcastOp::create(emitter.b, VectorType::get(parts(), element), word));
  }

  void swapWhere(Value condition, Registers &values, unsigned bit) {
    for (unsigned way = 0; way < values.size(); ++way)
      if (!(way & bit)) {
        Value low = values[way], high = values[way | bit];
        values[way] = emitter.select(condition, high, low);
        values[way | bit] = emitter.select(condition, low, high);
      }
  }

  Value isLaneSet(int32_t mask) {
    Value &known = conditions[mask];
    return known ? known : known = emitter.equal(emitter.bitAnd(emitter.lane(), mask), emitter.i32(mask));
  }

  Emitter &emitter;
  const ConversionPlan &plan;
  LaneMove move;
  SmallVector<unsigned, 2> packed;                               ///< as the plan says, where elements have whole bytes
  llvm::DenseMap<int32_t, Value> conditions;                     ///< by the lane's bit
  llvm::DenseMap<std::pair<int32_t, int32_t>, Registers> groups; ///< by register and lane of the origin
};

/// Shuffles within a warp. If the source register depends on the thread, each register that it may be is sent, and the
/// right one is selected.
class ShuffleConversion {
public:
  ShuffleConversion(Emitter &emitter, const ConversionPlan &plan) : emitter(emitter), plan(plan), move(emitter, plan) {
    for (const Origin &origin : llvm::concat<const Origin>(plan.lanes, plan.warps))
      otherRegister |= origin.registers; // at most one pattern occurs
    if (otherRegister != 0)
      takesOther = emitTakesOther();
  }

  Registers convert(llvm::ArrayRef<Value> source) {
    Registers result;
    for (unsigned index = 0; index < 1u << plan.registers.size(); ++index) {
      Origin origin = originOfRegister(plan, index);
      Value own = fetch(source, origin.registers, origin.lanes);
      result.push_back(
          otherRegister == 0
              ? own
              : emitter.select(takesOther, fetch(source, origin.registers ^ otherRegister, origin.lanes), own));
    }
    return result;
  }

private:
  Value fetch(llvm::ArrayRef<Value> source, int32_t index, int32_t laneFlip) {
    Value &known = fetched[{index, laneFlip}];
    return known ? known : known = move.fetch(source[index], laneFlip);
  }

  /// Whether an odd number of the thread's set bits require the other register.
  Value emitTakesOther() {
    IndexMap parity{LinearLayout(), 0};
    for (auto [origins, bits] : {std::pair{&plan.lanes, &parity.lanes}, {&plan.warps, &parity.warps}})
      for (const Origin &origin : *origins)
        bits->push_back(origin.registers != 0);
    return emitter.equal(parity.emitThreadPart(emitter), emitter.i32(1));
  }

  Emitter &emitter;
  const ConversionPlan &plan;
  LaneMove move;
  Value takesOther;
  int32_t otherRegister = 0;
  llvm::DenseMap<std::pair<int32_t, int32_t>, Value> fetched;
};

} // namespace

/// The registers of a side of `count` registers that take part in `round`, in their order.
static SmallVector<unsigned> registersOfRound(std::size_t count, llvm::ArrayRef<unsigned> roundBits, unsigned round) {
  unsigned mask = 0, wanted = 0;
  for (auto [position, bit] : llvm::enumerate(roundBits)) {
    mask |= 1u << bit;
    wanted |= (round >> position & 1) << bit;
  }
  return llvm::filter_to_vector(llvm::seq<unsigned>(0, unsigned(count)),
                                [&](unsigned index) { return (index & mask) == wanted; });
}

static Registers convertThroughShared(ttg::ConvertLayoutOp op, Emitter &emitter, const ConversionPlan &plan,
                                      llvm::ArrayRef<Value> source) {
  Value base = emitter.sharedAddress(op->getAttrOfType<IntegerAttr>(ttg::allocationOffsetAttribute).getInt());
  Type element = source.front().getType();
  // Warps that hold copies would write the same bytes at the same time, which is harmless but useless.
  Value isWriter = emitIsRepresentativeWarp(emitter, emitter.layoutOf(cast<RankedTensorType>(op.getSrc().getType())));
  Registers result(std::size_t(plan.loadOffsets.inputSize("register")) * plan.rounds());
  for (unsigned round = 0; round < plan.rounds(); ++round) {
    if (round != 0)
      emitter.barrier(); // all threads have read the previous round
    Registers sent = llvm::map_to_vector(registersOfRound(source.size(), plan.sourceRounds, round),
                                         [&](unsigned index) { return source[index]; });
    auto store = [&] {
      if (plan.movesMatrices)
        emitSharedStore(emitter, base, plan.storeOffsets, sent);
      else
        SharedAccess(emitter, base, plan.storeOffsets, element).store(sent);
    };
    if (isWriter)
      emitter.emitIf(isWriter, store);
    else
      store();
    emitter.barrier();
    Registers received = plan.movesMatrices ? emitSharedLoad(emitter, base, plan.loadOffsets, element)
                                            : SharedAccess(emitter, base, plan.loadOffsets, element).load();
    for (auto [index, value] : llvm::zip_equal(registersOfRound(result.size(), plan.targetRounds, round), received))
      result[index] = value;
  }
  return result;
}

static Registers convert(ttg::ConvertLayoutOp op, Emitter &emitter, llvm::ArrayRef<Value> source) {
  ConversionPlan plan = analysis::planConversion(op);
  switch (plan.kind) {
  case ConversionPlan::Kind::Registers:
    return convertInRegisters(plan, source);
  case ConversionPlan::Kind::Shuffles:
    return plan.exchanges.empty() && plan.packed.empty()
               ? ShuffleConversion(emitter, plan).convert(source)
               : ExchangeConversion(emitter, plan, source.front().getType()).convert(source);
  case ConversionPlan::Kind::Shared:
    return convertThroughShared(op, emitter, plan, source);
  }
  llvm_unreachable("all kinds are handled");
}

static LogicalResult lowerConvertLayout(ttg::ConvertLayoutOp op, Emitter &emitter) {
  Registers source(emitter.registers(op.getSrc())), result = convert(op, emitter, source);
  // Of equal elements one is fetched; the code for the others is dead.
  unsigned equal = equalRegisterBits(emitter, op.getResult());
  for (unsigned index = 0; index < result.size(); ++index)
    result[index] = result[index & ~equal];
  emitter.define(op.getResult(), result);
  return success();
}

void addConvertLayoutLowerings(LoweringTable &table) { table.add<ttg::ConvertLayoutOp, lowerConvertLayout>(); }

} // namespace triton::gpu
