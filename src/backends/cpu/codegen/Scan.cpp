// Scans. Along the lanes, one vector at a time is scanned with a carry; across the lanes, whole vectors are combined
// one after another.
#include "backends/cpu/codegen/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace triton::cpu {

/// Inclusive scan of the lanes of one vector in log2 steps. Each step adds the vector moved by 1, 2, 4 … lanes, to the
/// lanes that have something to add. The lanes that rotate in are ignored, which is cheaper than shifting in zeros.
static SmallVector<Value> scanVector(Lowering &lowering, tt::ScanOp op, const Combiner &combiner,
                                     ArrayRef<Value> values, unsigned count) {
  OpBuilder &b = lowering.b;
  Location loc = op.getLoc();
  SmallVector<Value> current(values);
  for (int64_t distance = 1; distance < count; distance *= 2) {
    SmallVector<int64_t> rotation;
    SmallVector<bool> takes;
    for (int64_t lane = 0; lane < count; ++lane) {
      int64_t from = op.getReverse() ? lane + distance : lane - distance;
      takes.push_back(from >= 0 && from < count);
      rotation.push_back((from + count) % count);
    }
    Value mask =
        arith::ConstantOp::create(b, loc, DenseElementsAttr::get(VectorType::get(count, b.getI1Type()), takes));
    SmallVector<Value> moved = llvm::map_to_vector(
        current, [&](Value value) -> Value { return vector::ShuffleOp::create(b, loc, value, value, rotation); });
    SmallVector<Value> combined = combine(lowering, loc, combiner, moved, current, count);
    for (auto [value, result] : llvm::zip(current, combined))
      value = arith::SelectOp::create(b, loc, mask, result, value);
  }
  return current;
}

/// The elements that a scan combines, widened if the combination requires it.
static SmallVector<Value> scanOperands(Lowering &lowering, tt::ScanOp op, const Combiner &combiner,
                                       const TileIndex &index) {
  LaneEmitter &lanes = lowering.lanes;
  SmallVector<Value> values;
  for (auto [source, type] : llvm::zip(op.getSrcs(), combiner.types)) {
    Value value = lanes.toVector(source.getLoc(), evaluate(lowering, source, index), index.lanes);
    values.push_back(combiner.widened ? lanes.widen(op.getLoc(), value, type) : value);
  }
  return values;
}

static void writeScanned(Lowering &lowering, tt::ScanOp op, const Combiner &combiner, ArrayRef<Buffer> results,
                         ArrayRef<Value> values, const TileIndex &index) {
  for (auto [result, value, type] : llvm::zip(results, values, combiner.types)) {
    Value narrowed = combiner.widened ? lowering.lanes.narrow(op.getLoc(), value, type) : value;
    bool isScalar = index.laneDim < 0;
    writeBuffer(lowering, op.getLoc(), result, index,
                isScalar ? Lanes::uniform(vector::ExtractOp::create(lowering.b, op.getLoc(), narrowed, 0))
                         : Lanes::vector(narrowed));
  }
}

/// Along the lane dimension (or a dimension with its own loop), a loop over its vectors carries the combination of the
/// previous ones.
static void emitScan(Lowering &lowering, tt::ScanOp op, ArrayRef<Buffer> results, TileIndex index) {
  OpBuilder &b = lowering.b;
  LaneEmitter &lanes = lowering.lanes;
  Location loc = op.getLoc();
  Combiner combiner = combinerOf(op.getCombineOp(), op.getElementTypes());
  int64_t axis = op.getAxis(), extent = cast<RankedTensorType>(op.getSrcs()[0].getType()).getShape()[axis];
  bool alongLanes = index.laneDim == axis;
  int64_t step = alongLanes ? index.lanes : 1;
  SmallVector<Value> initial;
  for (Type type : combiner.types) {
    Type element = combiner.widened ? b.getF32Type() : laneType(type);
    initial.push_back(lanes.zero(loc, VectorType::get(index.lanes, element)));
  }
  scf::ForOp loop = openLoop(lowering, loc, lanes.constantI64(loc, 0), lanes.constantI64(loc, extent), step, initial);
  Value position = loop.getInductionVar();
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, position, lanes.constantI64(loc, 0));
  if (op.getReverse())
    position = arith::SubIOp::create(b, loc, lanes.constantI64(loc, extent - step), position);
  index.at[axis] = {position, 0, currentLevel(lowering)};
  SmallVector<Value> values = scanOperands(lowering, op, combiner, index);
  if (alongLanes)
    values = scanVector(lowering, op, combiner, values, index.lanes);
  SmallVector<Value> carried(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
  SmallVector<Value> combined = combine(lowering, loc, combiner, carried, values, index.lanes);
  for (auto [value, result] : llvm::zip(values, combined))
    value = arith::SelectOp::create(b, loc, isFirst, value, result);
  writeScanned(lowering, op, combiner, results, values, index);
  if (alongLanes) {
    SmallVector<int64_t> last(index.lanes, op.getReverse() ? 0 : index.lanes - 1);
    for (Value &value : values)
      value = vector::ShuffleOp::create(b, loc, value, value, last);
  }
  closeLoop(lowering, loop, values);
}

void emitScanLoops(Lowering &lowering, NestPlan &plan, TileIndex index) {
  LaneEmitter &lanes = lowering.lanes;
  auto scan = cast<tt::ScanOp>(plan.group.roots.front().op);
  ArrayRef<Buffer> results = ArrayRef(plan.targets).take_front(scan.getNumResults());
  if (plan.laneDim < 0 || plan.laneDim == scan.getAxis())
    return emitScan(lowering, scan, results, index);
  scf::ForOp loop = openLoop(lowering, plan.loc, lanes.constantI64(plan.loc, 0),
                             lanes.constantI64(plan.loc, plan.group.shape[plan.laneDim]), plan.lanes);
  index.at[plan.laneDim] = coordinateOf(lowering, loop);
  emitScan(lowering, scan, results, index);
  closeLoop(lowering, loop);
}

void lowerScan(Lowering &lowering, tt::ScanOp op) {
  // Loops and lanes are chosen as for a reduction of the same operands.
  Root root = Root::of(Root::Kind::Scan, op);
  Group group;
  group.shape = iterationShape(root);
  group.closures.push_back(prepareClosure(lowering, root));
  group.roots.push_back(root);
  group.reduceAxis = op.getAxis();
  emitGroup(lowering, group);
}

} // namespace triton::cpu
