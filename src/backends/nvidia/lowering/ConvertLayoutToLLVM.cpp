// Changes of layout: by renaming registers, by warp shuffles or through shared memory, as ConversionPlan.h decides.
#include "analysis/ConversionPlan.h"
#include "backends/nvidia/lowering/Lowerings.h"
#include "backends/nvidia/lowering/SharedAccess.h"

using namespace mlir;

namespace triton::nvidia {

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

/// Shuffles within a warp. Where the source register depends on the thread, each register it may be is sent and the
/// right one selected.
class ShuffleConversion {
public:
  ShuffleConversion(Emitter &emitter, const ConversionPlan &plan) : emitter(emitter), plan(plan) {
    for (auto [origins, bits] : {std::pair{&plan.lanes, &lanePart.lanes}, {&plan.warps, &lanePart.warps}})
      for (const Origin &origin : *origins)
        bits->push_back(origin.lanes);
    sourceLane = lanePart.emitThreadPart(emitter);
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
  static bool isWholeIdentity(const IndexMap &map) {
    for (auto [bit, basis] : llvm::enumerate(map.lanes))
      if (basis != 1 << bit)
        return false;
    return llvm::all_of(map.warps, [](int32_t basis) { return basis == 0; });
  }

  Value fetch(llvm::ArrayRef<Value> source, int32_t index, int32_t laneFlip) {
    Value &known = fetched[{index, laneFlip}];
    if (known)
      return known;
    if (isWholeIdentity(lanePart))
      return known = laneFlip == 0 ? source[index] : emitShuffleXor(emitter, source[index], unsigned(laneFlip));
    return known = emitShuffleIndex(emitter, source[index], emitter.bitXor(sourceLane, emitter.i32(laneFlip)));
  }

  /// Whether an odd number of the thread's set bits ask for the other register.
  Value emitTakesOther() {
    IndexMap parity = lanePart;
    for (auto [origins, bits] : {std::pair{&plan.lanes, &parity.lanes}, {&plan.warps, &parity.warps}})
      for (auto [origin, bit] : llvm::zip_equal(*origins, *bits))
        bit = origin.registers != 0;
    return emitter.equal(parity.emitThreadPart(emitter), emitter.i32(1));
  }

  Emitter &emitter;
  const ConversionPlan &plan;
  IndexMap lanePart{LinearLayout(), 0};
  Value sourceLane, takesOther;
  int32_t otherRegister = 0;
  llvm::DenseMap<std::pair<int32_t, int32_t>, Value> fetched;
};

} // namespace

static Registers convertThroughShared(ttg::ConvertLayoutOp op, Emitter &emitter, const ConversionPlan &plan,
                                      llvm::ArrayRef<Value> source) {
  Value base = emitter.sharedAddress(op->getAttrOfType<IntegerAttr>(ttg::allocationOffsetAttribute).getInt());
  Type element = source.front().getType();
  // Warps that hold copies would write the same bytes at the same time: harmless, and useless.
  Value isWriter = emitIsRepresentativeWarp(emitter, emitter.layoutOf(cast<RankedTensorType>(op.getSrc().getType())));
  auto store = [&] { SharedAccess(emitter, base, plan.storeOffsets, element).store(source); };
  if (isWriter)
    emitter.emitIf(isWriter, store);
  else
    store();
  emitter.barrier();
  return SharedAccess(emitter, base, plan.loadOffsets, element).load();
}

static LogicalResult lowerConvertLayout(ttg::ConvertLayoutOp op, Emitter &emitter) {
  ConversionPlan plan = analysis::planConversion(op);
  Registers source(emitter.registers(op.getSrc()));
  switch (plan.kind) {
  case ConversionPlan::Kind::Registers:
    emitter.define(op.getResult(), convertInRegisters(plan, source));
    break;
  case ConversionPlan::Kind::Shuffles:
    emitter.define(op.getResult(), ShuffleConversion(emitter, plan).convert(source));
    break;
  case ConversionPlan::Kind::Shared:
    emitter.define(op.getResult(), convertThroughShared(op, emitter, plan, source));
    break;
  }
  return success();
}

void addConvertLayoutLowerings(LoweringTable &table) { table.add<ttg::ConvertLayoutOp, lowerConvertLayout>(); }

} // namespace triton::nvidia
