// The masks of a group: up to which lane all of them are set, so that a loop needs none, and where the masked edge
// ends.
#include "backends/cpu/codegen/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace triton::cpu {

static void collectMaskLeaves(Lowering &lowering, Value mask, const TileIndex &index,
                              SmallVectorImpl<Assumption> &masks) {
  Operation *op = mask.getDefiningOp();
  if (!op || bufferOf(lowering, mask) || !isa<RankedTensorType>(mask.getType()))
    return;
  if (isa<arith::AndIOp>(op)) {
    for (Value operand : op->getOperands())
      collectMaskLeaves(lowering, operand, index, masks);
  } else if (isa<tt::BroadcastOp, tt::ExpandDimsOp, tt::TransOp>(op)) {
    collectMaskLeaves(lowering, op->getOperand(0), operandIndex(op, index), masks);
  } else if (index.level() <= currentLevel(lowering) && !lowering.analysis.readsMemory(mask)) {
    auto kind = index.laneDim < 0 ? LaneForm::Kind::Uniform : lowering.analysis.laneForm(mask, index.laneDim).kind;
    if (kind != LaneForm::Kind::Prefix && kind != LaneForm::Kind::Uniform)
      return;
    bool isKnown = llvm::any_of(masks, [&](const Assumption &other) { return other.mask == mask; });
    if (!isKnown)
      masks.push_back({mask, index});
  }
}

static void collectMasks(Lowering &lowering, Value value, const TileIndex &index, SmallVectorImpl<Assumption> &masks,
                         llvm::DenseSet<Value> &visited) {
  Operation *op = value.getDefiningOp();
  if (!op || !isa<RankedTensorType>(value.getType()) || bufferOf(lowering, value) || !visited.insert(value).second)
    return;
  if (isa<tt::BroadcastOp, tt::ExpandDimsOp, tt::TransOp>(op))
    return collectMasks(lowering, op->getOperand(0), operandIndex(op, index), masks, visited);
  if (auto load = dyn_cast<tt::LoadOp>(op); load && load.getMask())
    collectMaskLeaves(lowering, load.getMask(), index, masks);
  if (isElementwise(op) || isa<tt::LoadOp>(op))
    for (Value operand : op->getOperands())
      collectMasks(lowering, operand, index, masks, visited);
}

SmallVector<Assumption> collectGroupMasks(Lowering &lowering, NestPlan &plan, TileIndex index) {
  SmallVector<Assumption> masks;
  if (plan.laneDim < 0)
    return masks;
  // Not known yet, so nothing that depends on it is a candidate.
  if (plan.reducesInside())
    index.at[plan.group.reduceAxis].level = ~0u;
  llvm::DenseSet<Value> visited;
  for (const Root &root : plan.group.roots) {
    if (root.kind == Root::Kind::Materialize) {
      collectMasks(lowering, root.value, index, masks, visited);
      continue;
    }
    for (Value operand : root.op->getOperands())
      collectMasks(lowering, operand, index, masks, visited);
    if (auto store = dyn_cast<tt::StoreOp>(root.op); store && store.getMask())
      collectMaskLeaves(lowering, store.getMask(), index, masks);
  }
  return masks;
}

Value emitUnmaskedExtent(Lowering &lowering, NestPlan &plan, SmallVectorImpl<Assumption> &masks, int64_t multiple) {
  OpBuilder &b = lowering.b;
  LaneEmitter &lanes = lowering.lanes;
  Value extent;
  Location loc = plan.loc;
  int64_t full = plan.group.shape[plan.laneDim];
  llvm::erase_if(masks, [&](const Assumption &mask) {
    Lanes set = evaluate(lowering, mask.mask, mask.index);
    if (!set.isPrefix() && !set.isUniform())
      return true;
    Value count = set.value;
    if (set.isUniform())
      count = arith::SelectOp::create(b, loc, set.value, lanes.constantI64(loc, full), lanes.constantI64(loc, 0));
    extent = extent ? arith::MinSIOp::create(b, loc, extent, count).getResult() : count;
    return false;
  });
  if (!extent)
    return lanes.constantI64(loc, full);
  extent = arith::MinSIOp::create(b, loc, extent, lanes.constantI64(loc, full));
  extent = arith::MaxSIOp::create(b, loc, extent, lanes.constantI64(loc, 0));
  return arith::AndIOp::create(b, loc, extent, lanes.constantI64(loc, -multiple));
}

/// The mask of a store; null for other roots.
static Value storeMask(const Root &root) {
  auto store = dyn_cast_if_present<tt::StoreOp>(root.op);
  return store ? store.getMask() : Value();
}

Value emitMaskedExtent(Lowering &lowering, NestPlan &plan, const TileIndex &index,
                       SmallVectorImpl<Assumption> &inside) {
  OpBuilder &b = lowering.b;
  Location loc = plan.loc;
  Value end = lowering.lanes.constantI64(loc, plan.group.shape[plan.laneDim]);
  Value last, common = storeMask(plan.group.roots.front());
  for (const Root &root : plan.group.roots) {
    Value mask = storeMask(root);
    if (!mask || lowering.analysis.laneForm(mask, plan.laneDim).kind != LaneForm::Kind::Prefix || plan.reducesInside())
      return end;
    Lanes set = evaluate(lowering, mask, index);
    if (!set.isPrefix())
      return end;
    last = last ? arith::MaxSIOp::create(b, loc, last, set.value).getResult() : set.value;
    common = mask == common ? common : Value();
  }
  if (common)
    inside.push_back({common, index, Assumption::Says::FirstLaneIsSet});
  return arith::MinSIOp::create(b, loc, last, end);
}

} // namespace triton::cpu
