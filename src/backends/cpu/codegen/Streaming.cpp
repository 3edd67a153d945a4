// Stores that pass by the cache. A usual store of a line that is not in the cache reads the line first. If a launch
// writes more than the last level of the cache holds, nobody finds the lines there afterwards, so that this reading is
// a third of the traffic of an addition for nothing. A smaller output is faster in the cache.
#include "backends/cpu/codegen/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace triton::cpu {

/// Bytes that the stores of the group write in one program; 0 if there is a root that is not a store of whole,
/// contiguous vectors, or what is stored to is also read.
static int64_t bytesOfStores(Lowering &lowering, const NestPlan &plan) {
  int64_t elements = 1, bytes = 0;
  for (int64_t extent : plan.group.shape)
    elements *= extent;
  for (const Root &root : plan.group.roots) {
    auto store = root.kind == Root::Kind::Store ? dyn_cast<tt::StoreOp>(root.op) : nullptr;
    if (!store)
      return 0;
    LaneForm form = lowering.analysis.laneForm(store.getPtr(), plan.laneDim);
    int64_t size = memoryBytes(getElementTypeOrSelf(store.getValue().getType()));
    if (form.kind != LaneForm::Kind::Affine || form.step != 1 ||
        size * plan.lanes * 8 != lowering.options.target->vectorBits)
      return 0;
    bytes += elements * size;
    // What the same loop reads is in the cache already.
    Value base = findBasePointer(store.getPtr());
    for (const Closure &closure : plan.group.closures)
      for (auto &[value, use] : closure.uses)
        if (auto load = value.getDefiningOp<tt::LoadOp>(); load && findBasePointer(load.getPtr()) == base)
          return 0;
  }
  return bytes;
}

Value emitStreamingCondition(Lowering &lowering, NestPlan &plan, const TileIndex &index) {
  OpBuilder &b = lowering.b;
  LaneEmitter &lanes = lowering.lanes;
  const TargetDescription &target = *lowering.options.target;
  // On AArch64, LLVM has such stores only for pairs of registers.
  if (target.isAArch64() || plan.laneDim < 0 || plan.accumulators != 0)
    return {};
  int64_t bytes = bytesOfStores(lowering, plan);
  if (bytes == 0)
    return {};
  Location loc = plan.loc;
  Type i64 = b.getI64Type();
  Value programs;
  for (Value count : lowering.programs.counts) {
    Value wide = arith::ExtUIOp::create(b, loc, i64, count);
    programs = programs ? arith::MulIOp::create(b, loc, programs, wide).getResult() : wide;
  }
  Value least = lanes.constantI64(loc, target.lastCacheBytes / bytes);
  Value streams = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt, programs, least);
  TileIndex first = index;
  first.at[plan.laneDim] = {};
  first.laneDim = -1, first.lanes = 1;
  for (const Root &root : plan.group.roots) {
    Value address = evaluate(lowering, cast<tt::StoreOp>(root.op).getPtr(), first).value;
    Value place = LLVM::PtrToIntOp::create(b, loc, i64, address);
    Value rest = arith::AndIOp::create(b, loc, place, lanes.constantI64(loc, target.vectorBits / 8 - 1));
    Value isAligned = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rest, lanes.constantI64(loc, 0));
    streams = arith::AndIOp::create(b, loc, streams, isAligned);
  }
  return streams;
}

void emitStreamingLoop(Lowering &lowering, NestPlan &plan, const TileIndex &index, Value streams, Value end,
                       ArrayRef<Assumption> masks) {
  OpBuilder &b = lowering.b;
  LaneEmitter &lanes = lowering.lanes;
  Location loc = plan.loc;
  SmallVector<Value> none;
  lanes.streams = streams;
  emitLaneLoop(lowering, plan, index, lanes.constantI64(loc, 0), end, 1, none, masks);
  lanes.streams = {};
  // Other threads may read the result when the program is done, which later stores say.
  auto branch = scf::IfOp::create(b, loc, streams, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  LLVM::CallIntrinsicOp::create(b, loc, b.getStringAttr("llvm.x86.sse.sfence"), ValueRange());
}

} // namespace triton::cpu
