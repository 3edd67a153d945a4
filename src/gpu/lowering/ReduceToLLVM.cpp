// Reductions: within the registers of a thread, over lanes by butterfly shuffles, and over warps through shared memory.
// This is the order of the axis, too, where it matters; in other layouts the axis is then processed bit by bit.
#include "gpu/analysis/CombinePlan.h"
#include "gpu/analysis/TunedNumbers.h"
#include "gpu/lowering/Combination.h"
#include "gpu/lowering/Lowerings.h"
#include "gpu/lowering/SharedAccess.h"
#include "gpu/lowering/TargetEmitter.h"

#include <map>

using namespace mlir;

namespace triton::gpu {

using analysis::AxisBit;
using analysis::ReducePlan;

namespace {

class Reduction {
public:
  Reduction(tt::ReduceOp op, Emitter &emitter, const ReducePlan &plan)
      : op(op), emitter(emitter), plan(plan), layout(emitter.layoutOf(op.getInputTypes().front())), axis(op.getAxis()),
        combine(emitter, op.getCombineOp()) {}

  LogicalResult run() {
    if (plan.isInOrder) {
      reduceInOrder();
    } else {
      reduceRegisters();
      reduceLanes();
    }
    if (plan.parts > 1)
      exchangeParts();
    if (combine.hasFailed())
      return failure();
    defineResults();
    return success();
  }

private:
  /// The coordinates without the axis, which are those of the result.
  Coordinates resultCoordinates(unsigned index) const {
    Coordinates coordinates = registerCoordinates(layout, index);
    coordinates.erase(coordinates.begin() + axis);
    return coordinates;
  }

  /// The elements of a result that a thread holds, by the register part of their coordinate along the axis.
  using Pieces = std::map<int32_t, Elements>;

  std::map<Coordinates, Pieces> collectElements() {
    std::map<Coordinates, Pieces> byResult;
    for (int32_t index = 0; index < layout.inputSize("register"); ++index) {
      Elements elements;
      for (Value operand : op.getSrcs())
        elements.push_back(emitter.registers(operand)[index]);
      byResult[resultCoordinates(unsigned(index))].try_emplace(registerCoordinates(layout, unsigned(index))[axis],
                                                               std::move(elements));
    }
    return byResult;
  }

  /// Combines neighbours, from the lowest bit of the axis up to the first that the exchange processes.
  void reduceInOrder() {
    pieces = collectElements();
    for (unsigned place = 0; place < plan.firstExchanged; ++place) {
      const AxisBit &bit = plan.axisBits[place];
      for (auto &[result, own] : pieces)
        if (bit.source == AxisBit::Source::Lane)
          for (auto &[coordinate, elements] : own)
            elements = combineAcross(elements, bit.bit, /*reduced=*/0);
        else
          own = combineNeighbours(own, 1 << place);
    }
  }

  Pieces combineNeighbours(const Pieces &own, int32_t distance) {
    Pieces combined;
    for (auto &[coordinate, elements] : own)
      if (!(coordinate & distance))
        combined.emplace(coordinate, combine(elements, own.at(coordinate | distance)));
    return combined;
  }

  /// Combines each thread's elements of a result.
  void reduceRegisters() {
    for (auto &[result, own] : collectElements()) {
      SmallVector<Elements> all;
      for (auto &[coordinate, elements] : own)
        all.push_back(elements);
      mayBeProducts |= all.size() == 1 && combine.isFloatAddition();
      pieces[result][0] = combineInTree(std::move(all));
    }
  }

  /// In a balanced tree, in the order of the axis.
  Elements combineInTree(SmallVector<Elements> level) {
    while (level.size() > 1) {
      SmallVector<Elements> next;
      for (std::size_t i = 0; i + 1 < level.size(); i += 2)
        next.push_back(combine(level[i], level[i + 1]));
      if (level.size() % 2)
        next.push_back(level.back());
      level = std::move(next);
    }
    return level.front();
  }

  void reduceLanes() {
    if (isOneInstruction())
      return reduceWholeWarps();
    std::optional<unsigned> firstPreceding = findFirstPreceding();
    unsigned reduced = 0; // the bits in which lanes may differ and still have the same values
    for (const AxisBit &bit : plan.axisBits) {
      if (bit.source != AxisBit::Source::Lane)
        continue;
      for (auto &[result, own] : pieces)
        own[0] = firstPreceding && bit.bit >= *firstPreceding ? combineWithPreceding(own[0], bit.bit)
                                                              : combineAcross(own[0], bit.bit, reduced);
      reduced |= 1u << bit.bit;
      mayBeProducts = false;
    }
    if (firstPreceding) // The last lane has everything.
      for (auto &[result, own] : pieces)
        for (Value &element : own[0])
          element = emitShuffleIndex(emitter, element, emitter.i32((1 << emitter.laneBits()) - 1));
  }

  /// If the order matters, both lanes of a pair combine in the same order. It matters for sums of operands that may be
  /// products: fused with the addition, a lane's own product would not be rounded. A selection between the own and the
  /// other operand would not help, because LLVM sees through selections of commuting operands.
  Elements combineAcross(const Elements &own, unsigned bit, unsigned reduced) {
    bool isOrdered = mayBeProducts || !combine.isCommutative();
    Elements left, right;
    for (Value element : own)
      if (isOrdered || emitter.target().swapsLanes(bit)) {
        auto [lower, upper] = emitPair(emitter, element, bit);
        left.push_back(lower);
        right.push_back(upper);
      } else {
        left.push_back(element);
        right.push_back(emitShuffleAcross(emitter, element, bit, reduced));
      }
    return combine(left, right);
  }

  Elements combineWithPreceding(const Elements &own, unsigned bit) {
    Elements before;
    for (Value element : own)
      before.push_back(emitPreceding(emitter, element, bit));
    return combine(before, own);
  }

  /// Where the last lane can collect what the others have: all lanes hold parts of the same results, in the order of
  /// their numbers, and lanes that differ in lower bits alone have the same values.
  std::optional<unsigned> findFirstPreceding() {
    unsigned next = 0;
    for (const AxisBit &bit : plan.axisBits)
      if (bit.source == AxisBit::Source::Lane && bit.bit != next++)
        return std::nullopt;
    return next == emitter.laneBits() ? emitter.target().firstPrecedingBit() : std::nullopt;
  }

  /// Whether the machine has an instruction for this combination, and all lanes hold parts of the same results.
  bool isOneInstruction() {
    auto isLane = [](const AxisBit &bit) { return bit.source == AxisBit::Source::Lane; };
    if (llvm::count_if(plan.axisBits, isLane) != emitter.laneBits() || op.getNumOperands() != 1)
      return false;
    Operation *operation = combine.commutativeOperation();
    return operation && operation->getResult(0).getType().isIntOrIndex() && emitter.target().reducesWarps(*operation);
  }

  void reduceWholeWarps() {
    for (auto &[result, own] : pieces)
      own[0].front() = emitter.target().emitWarpReduction(emitter, *combine.commutativeOperation(), own[0].front());
  }

  /// The parts of each result are written to scratch, at [part][element]. Then every thread, or warp, combines all
  /// parts.
  void exchangeParts() {
    int64_t scratch = op->getAttrOfType<IntegerAttr>(ttg::allocationOffsetAttribute).getInt();
    SmallVector<Value> bases;
    for (std::size_t offset : plan.operandOffsets)
      bases.push_back(emitter.sharedAddress(scratch + int64_t(offset)));
    IndexMap position = resultPositions();
    Value threadPart = position.emitThreadPart(emitter);
    Value part = partMap().emitThreadPart(emitter);
    Value partOffset = LLVM::MulOp::create(emitter.b, part, emitter.i32(plan.resultElements));

    auto addressOf = [&](Value base, Type element, const Coordinates &result, Value offset) {
      Value index = combineIndex(emitter, threadPart, position.threadBits(), flatten(result));
      Value bytes = LLVM::MulOp::create(emitter.b, emitter.add(index, offset), emitter.i32(memoryBytes(element)));
      return emitter.offsetPointer(base, bytes);
    };
    auto storeParts = [&] {
      for (auto &[result, own] : pieces)
        for (auto &[coordinate, elements] : own) {
          int64_t offset = (coordinate >> plan.firstExchanged) * plan.resultElements;
          Value place = offset ? emitter.add(partOffset, emitter.i32(offset)) : partOffset;
          for (auto [base, element] : llvm::zip_equal(bases, elements))
            emitStore(emitter, addressOf(base, element.getType(), result, place), element, {});
        }
    };
    // Of the lanes and warps that hold the same parts, one writes them.
    if (Value isWriter = emitIsRepresentative(emitter, layoutWithParts()))
      emitter.emitIf(isWriter, storeParts);
    else
      storeParts();
    emitter.barrier();
    mayBeProducts = false; // What memory returns is rounded.
    bool isByLanes = combinesPartsByLanes(position), isShared = !isByLanes && sharesParts();
    if (isShared)
      shareParts(bases);
    Value lanePart = isByLanes ? emitLanePart() : Value();
    for (auto &[result, own] : pieces) {
      SmallVector<Elements> parts(isByLanes || isShared ? 1 : plan.parts);
      for (auto [base, element] : llvm::zip_equal(bases, own.begin()->second)) {
        Type type = element.getType();
        Value first = addressOf(base, type, result, isByLanes ? lanePart : emitter.i32(0));
        if (isByLanes)
          parts.front().push_back(emitLoad(emitter, first, type, 1, {}, {}).front());
        else
          loadParts(first, type, parts);
      }
      own = {{0, isByLanes ? combinePartsOfLanes(parts.front()) : combineInTree(std::move(parts))}};
    }
  }

  /// How many lanes combine the parts of one result where threads share the work: all threads have a result, then.
  unsigned lanesOfResult() const {
    int64_t threads = int64_t(emitter.threadCount()) / plan.resultElements;
    return unsigned(std::clamp<int64_t>(threads, 1, std::min(plan.parts, 1u << emitter.laneBits())));
  }
  /// The results of each lane.
  unsigned resultsOfLane() const {
    return unsigned(std::max<int64_t>(1, plan.resultElements * lanesOfResult() / emitter.threadCount()));
  }

  /// Whether each result is better combined once, in a part of the threads, than by all threads that need it.
  bool sharesParts() {
    unsigned operations = unsigned(op.getCombineOp().front().getOperations().size()) - 1, lanes = lanesOfResult();
    std::size_t alone = pieces.size() * (plan.parts - 1);
    std::size_t shared = resultsOfLane() * (plan.parts / lanes - 1 + llvm::Log2_32(lanes));
    return alone * operations >= shared * operations + tuned::fewestSharedOperations;
  }

  /// Combines the parts of each result, in the warps that have one. The first part makes room for it.
  void shareParts(ArrayRef<Value> bases) {
    unsigned warps = std::max(1u, unsigned(plan.resultElements * lanesOfResult()) >> emitter.laneBits());
    auto combineAll = [&] {
      for (unsigned number = 0; number < resultsOfLane(); ++number)
        combineSharedParts(bases, number);
    };
    if (warps < emitter.warpSet().count)
      emitter.emitIf(LLVM::ICmpOp::create(emitter.b, LLVM::ICmpPredicate::ult, emitter.warp(), emitter.i32(warps)),
                     combineAll);
    else
      combineAll();
    emitter.barrier();
  }

  /// Lanes that follow one another have different results, and then others the next parts of the same.
  void combineSharedParts(ArrayRef<Value> bases, unsigned number) {
    unsigned lanes = lanesOfResult(), ownParts = plan.parts / lanes;
    unsigned resultBits = emitter.laneBits() - llvm::Log2_32(lanes);
    ImplicitLocOpBuilder &b = emitter.b;
    Value group = LLVM::LShrOp::create(b, emitter.lane(), emitter.i32(int32_t(resultBits)));
    Value own = LLVM::AndOp::create(b, emitter.lane(), emitter.i32((1 << resultBits) - 1));
    Value ofWarp = LLVM::ShlOp::create(b, emitter.warp(), emitter.i32(int32_t(resultBits)));
    Value result = emitter.add(emitter.add(ofWarp, own), emitter.i32(int32_t(number * emitter.threadCount() / lanes)));
    result = LLVM::AndOp::create(b, result, emitter.i32(int32_t(plan.resultElements - 1)));
    Value first = LLVM::MulOp::create(b, group, emitter.i32(int32_t(ownParts * plan.resultElements)));
    SmallVector<Elements> parts(ownParts);
    SmallVector<Value> places;
    for (auto [base, sample] : llvm::zip_equal(bases, pieces.begin()->second.begin()->second)) {
      auto placeOf = [&](Value index) {
        return emitter.offsetPointer(
            base, LLVM::MulOp::create(b, index, emitter.i32(int32_t(memoryBytes(sample.getType())))));
      };
      places.push_back(placeOf(result));
      loadParts(placeOf(emitter.add(first, result)), sample.getType(), parts);
    }
    Elements combined = combineInTree(std::move(parts));
    for (unsigned bit = resultBits, reduced = 0; bit < emitter.laneBits(); reduced |= 1u << bit++)
      combined = combineAcross(combined, bit, reduced);
    emitter.emitIf(emitter.equal(group, emitter.i32(0)), [&] {
      for (auto [place, element] : llvm::zip_equal(places, combined))
        emitStore(emitter, place, element, {});
    });
  }

  /// Many parts of one result are read by the lanes of a warp, one each: a thread that reads all needs registers for
  /// them, and combines more often.
  bool combinesPartsByLanes(const IndexMap &position) const {
    return plan.parts >= tuned::fewestPartsOfLanes && plan.parts <= 1u << emitter.laneBits() &&
           llvm::all_of(position.lanes, [](int32_t distance) { return distance == 0; });
  }

  /// The place of the part that a lane reads, in elements. Lanes after the last part read parts again.
  Value emitLanePart() {
    Value part = LLVM::AndOp::create(emitter.b, emitter.lane(), emitter.i32(int32_t(plan.parts - 1)));
    return LLVM::MulOp::create(emitter.b, part, emitter.i32(plan.resultElements));
  }

  /// Neighbours first: parts are in the order of the axis.
  Elements combinePartsOfLanes(Elements own) {
    for (unsigned bit = 0; 1u << bit < plan.parts; ++bit)
      own = combineAcross(own, bit, /*reduced=*/(1u << bit) - 1);
    return own;
  }

  /// Adds one operand's element of every part. The parts of a single result are neighbours.
  void loadParts(Value first, Type element, SmallVectorImpl<Elements> &parts) {
    unsigned bytes = memoryBytes(element), width = 1;
    if (plan.resultElements == 1)
      width = std::min<unsigned>(unsigned(parts.size()), emitter.machine().accessBytes / bytes);
    for (unsigned part = 0; part < parts.size(); part += width) {
      Value address = emitter.offsetPointer(first, int64_t(part) * plan.resultElements * bytes);
      for (auto [i, value] : llvm::enumerate(emitLoad(emitter, address, element, width, {}, {})))
        parts[part + i].push_back(value);
    }
  }

  /// The row-major position of a result.
  int32_t flatten(llvm::ArrayRef<int32_t> result) const {
    int32_t position = 0;
    unsigned next = 0;
    for (unsigned dimension = 0; dimension < layout.outputs().size(); ++dimension)
      if (dimension != axis)
        position = position * layout.outputs()[dimension].size + result[next++];
    return position;
  }

  IndexMap resultPositions() const {
    IndexMap map(layout, 0);
    for (auto [name, bases] : {std::pair<llvm::StringRef, SmallVector<int32_t> *>{"register", &map.registers},
                               {"lane", &map.lanes},
                               {"warp", &map.warps}})
      for (auto [bit, basis] : llvm::enumerate(*bases)) {
        Coordinates result(layout.findInput(name)->bases[bit]);
        result.erase(result.begin() + axis);
        basis = flatten(result);
      }
    return map;
  }

  bool isExchanged(const AxisBit &bit) const {
    return plan.isInOrder ? &bit >= plan.axisBits.begin() + plan.firstExchanged : bit.source == AxisBit::Source::Warp;
  }

  /// The part that a lane of a warp holds: its axis bits that are exchanged, in the order of the axis.
  IndexMap partMap() const {
    IndexMap map(layout, 0);
    llvm::fill(map.registers, 0);
    llvm::fill(map.lanes, 0);
    llvm::fill(map.warps, 0);
    int32_t weight = 1;
    for (const AxisBit &bit : plan.axisBits)
      if (isExchanged(bit)) {
        if (bit.source != AxisBit::Source::Register)
          (bit.source == AxisBit::Source::Lane ? map.lanes : map.warps)[bit.bit] = weight;
        weight *= 2;
      }
    return map;
  }

  /// The layout of the parts. Along bits of the axis that are not exchanged, lanes hold the same values.
  LinearLayout layoutWithParts() const {
    return layout.mapBases([&](const layout::Input &input, unsigned bit) {
      layout::Basis basis = input.bases[bit];
      if (basis[axis] != 0 && !isExchanged(plan.axisBits[llvm::Log2_32(uint32_t(basis[axis]))]))
        basis[axis] = 0;
      return basis;
    });
  }

  void defineResults() {
    for (auto [operand, result] : llvm::enumerate(op.getResults())) {
      auto type = dyn_cast<RankedTensorType>(result.getType());
      if (!type) {
        emitter.define(result, {pieces.begin()->second.begin()->second[operand]});
        continue;
      }
      const LinearLayout &target = emitter.layoutOf(type);
      Registers registers;
      for (int32_t index = 0; index < target.inputSize("register"); ++index)
        registers.push_back(pieces.at(registerCoordinates(target, unsigned(index))).begin()->second[operand]);
      emitter.define(result, std::move(registers));
    }
  }

  tt::ReduceOp op;
  Emitter &emitter;
  const ReducePlan &plan;
  const LinearLayout &layout;
  unsigned axis;
  Combination combine;
  std::map<Coordinates, Pieces> pieces; ///< by the register part of the result's coordinates
  bool mayBeProducts = false;           ///< some elements were not combined yet, and an addition follows
};

} // namespace

static LogicalResult lowerReduce(tt::ReduceOp op, Emitter &emitter) {
  std::optional<ReducePlan> plan = analysis::planReduce(op);
  if (!plan)
    return op.emitError() << "not supported on GPUs: the layout of " << op.getInputTypes().front()
                          << " mixes the reduced dimension with others; convert it first";
  return Reduction(op, emitter, *plan).run();
}

void addReduceLowerings(LoweringTable &table) { table.add<tt::ReduceOp, lowerReduce>(); }

} // namespace triton::gpu
