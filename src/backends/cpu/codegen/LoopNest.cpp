// The loop nest of a group: outer dimensions as loops, the lane dimension in vectors, masked edges separately.
#include "backends/cpu/codegen/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace triton::cpu {

/// Inside of other loops, this many vectors of the lane dimension are emitted one after another instead of in a loop.
static constexpr int64_t unrolledChunks = 4;
/// If an element costs more than this, copies of the body are not worth their compile time.
static constexpr unsigned costWorthCopying = 40;

/// The number of independent accumulators of a reduction. They hide the latency of its combination, unless computing
/// the elements does.
static int64_t reductionCopies(unsigned cost) { return cost <= 12 ? 4 : cost <= 24 ? 2 : 1; }

unsigned TileIndex::level() const {
  unsigned innermost = 0;
  for (const Coordinate &coordinate : at)
    innermost = std::max(innermost, coordinate.level);
  return innermost;
}

unsigned currentLevel(const Lowering &lowering) { return lowering.levels.size() - 1; }

Coordinate coordinateOf(const Lowering &lowering, scf::ForOp loop) {
  return {loop.getInductionVar(), 0, currentLevel(lowering)};
}

void openNest(Lowering &lowering) { lowering.levels.emplace_back(lowering.b.getInsertionBlock()); }

void closeNest(Lowering &lowering) {
  lowering.levels.pop_back();
  assert(lowering.levels.empty() && "loops of a nest are closed");
}

scf::ForOp openLoop(Lowering &lowering, Location loc, Value lower, Value upper, int64_t step, ValueRange inits) {
  OpBuilder &b = lowering.b;
  auto loop = scf::ForOp::create(b, loc, lower, upper, lowering.lanes.constantI64(loc, step), inits);
  Block *body = loop.getBody();
  if (!body->empty())
    body->getTerminator()->erase();
  lowering.levels.back().inner = loop;
  lowering.levels.emplace_back(body);
  b.setInsertionPointToEnd(body);
  return loop;
}

void closeLoop(Lowering &lowering, scf::ForOp loop, ValueRange yields) {
  OpBuilder &b = lowering.b;
  b.setInsertionPointToEnd(loop.getBody());
  scf::YieldOp::create(b, loop.getLoc(), yields);
  lowering.levels.pop_back();
  lowering.levels.back().inner = nullptr;
  b.setInsertionPointToEnd(lowering.levels.back().block);
}

void overSteps(Lowering &lowering, Location loc, int64_t extent, int64_t step,
               llvm::function_ref<void(Coordinate)> body) {
  LaneEmitter &lanes = lowering.lanes;
  if (extent == step)
    return body({});
  scf::ForOp loop = openLoop(lowering, loc, lanes.constantI64(loc, 0), lanes.constantI64(loc, extent), step);
  body(coordinateOf(lowering, loop));
  closeLoop(lowering, loop);
}

void overVectors(Lowering &lowering, Location loc, ArrayRef<int64_t> shape, int64_t laneDim, unsigned count,
                 llvm::function_ref<void(const TileIndex &)> body) {
  TileIndex index;
  index.at.resize(shape.size());
  if (count > 1)
    index.laneDim = laneDim, index.lanes = count;
  std::function<void(size_t)> descend = [&](size_t dim) {
    if (dim == shape.size())
      return body(index);
    overSteps(lowering, loc, shape[dim], int64_t(dim) == laneDim ? count : 1, [&](Coordinate at) {
      index.at[dim] = at;
      descend(dim + 1);
    });
  };
  descend(0);
}

void overElements(Lowering &lowering, Location loc, ArrayRef<int64_t> shape,
                  llvm::function_ref<void(const TileIndex &)> body) {
  overVectors(lowering, loc, shape, -1, 1, body);
}

//===--- The loops of a group -----------------------------------------------------------------------------------===//

/// Emits the roots at one index. Everything is evaluated before anything is written.
static void emitBody(Lowering &lowering, NestPlan &plan, const TileIndex &index, MutableArrayRef<Value> accumulators,
                     Value isFirst) {
  for (const Root &root : plan.group.roots) {
    if (root.kind == Root::Kind::Materialize)
      evaluate(lowering, root.value, index);
    else
      for (Value operand : root.op->getOperands())
        evaluate(lowering, operand, index);
  }
  size_t target = 0;
  for (const Root &root : plan.group.roots) {
    switch (root.kind) {
    case Root::Kind::Materialize:
      writeBuffer(lowering, root.value.getLoc(), plan.targets[target++], index, evaluate(lowering, root.value, index));
      break;
    case Root::Kind::Store:
      emitStore(lowering, cast<tt::StoreOp>(root.op), index);
      break;
    case Root::Kind::Scan:
      llvm_unreachable("a scan has loops of its own");
    case Root::Kind::Reduce: {
      size_t count = root.op->getNumResults();
      accumulate(lowering, cast<tt::ReduceOp>(root.op), index, accumulators.take_front(count), isFirst);
      accumulators = accumulators.drop_front(count);
      target += count;
      break;
    }
    }
  }
}

/// A reduction along another dimension than the lanes, with one accumulator for each lane and the dimension as the
/// innermost loop.
static void emitReduceInner(Lowering &lowering, NestPlan &plan, TileIndex index, unsigned copies) {
  LaneEmitter &lanes = lowering.lanes;
  int64_t axis = plan.group.reduceAxis;
  SmallVector<Value> accumulators = initialAccumulators(lowering, plan, copies);
  size_t each = accumulators.size() / copies;
  Location loc = plan.loc;
  scf::ForOp loop = openLoop(lowering, loc, lanes.constantI64(loc, 0), lanes.constantI64(loc, plan.group.shape[axis]),
                             1, accumulators);
  SmallVector<Value> carried(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
  Value isFirst = arith::CmpIOp::create(lowering.b, loc, arith::CmpIPredicate::eq, loop.getInductionVar(),
                                        lanes.constantI64(loc, 0));
  TileIndex inner = index;
  inner.at[axis] = coordinateOf(lowering, loop);
  for (unsigned copy = 0; copy < copies; ++copy) {
    emitBody(lowering, plan, inner, MutableArrayRef<Value>(carried).slice(copy * each, each), isFirst);
    if (plan.laneDim >= 0)
      inner.at[plan.laneDim].offset += plan.lanes;
  }
  closeLoop(lowering, loop, carried);
  for (unsigned copy = 0; copy < copies; ++copy) {
    SmallVector<Value> results(loop.getResults().slice(copy * each, each));
    finishReductions(lowering, plan, index, results, /*acrossLanes=*/false);
    if (plan.laneDim >= 0)
      index.at[plan.laneDim].offset += plan.lanes;
  }
}

/// Emits what a group computes for consecutive vectors of the lane dimension from `index` on, one for each copy of the
/// accumulators.
static void emitChunks(Lowering &lowering, NestPlan &plan, TileIndex index, unsigned copies,
                       MutableArrayRef<Value> accumulators, Value isFirst) {
  if (plan.reducesInside()) {
    emitReduceInner(lowering, plan, index, copies);
    return;
  }
  size_t each = accumulators.size() / copies;
  for (unsigned copy = 0; copy < copies; ++copy) {
    emitBody(lowering, plan, index, accumulators.slice(copy * each, each), isFirst);
    if (plan.laneDim >= 0)
      index.at[plan.laneDim].offset += plan.lanes;
  }
}

void emitLaneLoop(Lowering &lowering, NestPlan &plan, TileIndex index, Value lower, Value upper, unsigned copies,
                  SmallVectorImpl<Value> &accumulators, ArrayRef<Assumption> assumptions) {
  Location loc = plan.loc;
  scf::ForOp loop = openLoop(lowering, loc, lower, upper, copies * plan.lanes, accumulators);
  llvm::append_range(lowering.levels.back().assumptions, assumptions);
  SmallVector<Value> carried(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
  Value isFirst = arith::CmpIOp::create(lowering.b, loc, arith::CmpIPredicate::eq, loop.getInductionVar(),
                                        lowering.lanes.constantI64(loc, 0));
  index.at[plan.laneDim] = coordinateOf(lowering, loop);
  emitChunks(lowering, plan, index, copies, carried, isFirst);
  closeLoop(lowering, loop, carried);
  accumulators.assign(loop.getResults().begin(), loop.getResults().end());
}

/// Emits the lanes from `start` on with masks. They use the first set of accumulators.
static void emitMaskedEdge(Lowering &lowering, NestPlan &plan, const TileIndex &index, Value start,
                           SmallVectorImpl<Value> &accumulators) {
  size_t each = plan.reducesInside() ? 0 : plan.accumulators;
  SmallVector<Value> edge(accumulators.begin(), accumulators.begin() + each);
  SmallVector<Assumption, 1> inside;
  Value end = emitMaskedExtent(lowering, plan, index, inside);
  emitLaneLoop(lowering, plan, index, start, end, 1, edge, inside);
  llvm::copy(edge, accumulators.begin());
}

/// For a short lane dimension: emits its vectors one after another, and a loop with masks where masks are needed.
static void emitLanesUnrolled(Lowering &lowering, NestPlan &plan, TileIndex index, SmallVectorImpl<Value> &accumulators,
                              SmallVectorImpl<Assumption> &masks) {
  OpBuilder &b = lowering.b;
  LaneEmitter &lanes = lowering.lanes;
  Location loc = plan.loc;
  int64_t extent = plan.laneDim < 0 ? 1 : plan.group.shape[plan.laneDim];
  unsigned copies = extent / plan.lanes;
  Value yes = lanes.constantInt(loc, b.getI1Type(), 1), no = lanes.constantInt(loc, b.getI1Type(), 0);
  size_t each = plan.accumulators;
  auto emit = [&](SmallVectorImpl<Value> &values) {
    if (plan.reducesInside() || each == 0)
      return emitChunks(lowering, plan, index, copies, {}, yes);
    // There is one accumulator set, or one for each vector.
    unsigned sets = values.size() / each;
    TileIndex at = index;
    for (unsigned chunk = 0; chunk < copies; ++chunk) {
      auto set = MutableArrayRef<Value>(values).slice(chunk % sets * each, each);
      emitBody(lowering, plan, at, set, chunk < sets ? yes : no);
      if (plan.laneDim >= 0)
        at.at[plan.laneDim].offset += plan.lanes;
    }
  };
  Value unmasked = masks.empty() || copies == 1 ? Value() : emitUnmaskedExtent(lowering, plan, masks, 1);
  if (!unmasked || masks.empty())
    return emit(accumulators);
  Value allSet = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, unmasked, lanes.constantI64(loc, extent));
  auto branch = scf::IfOp::create(b, loc, ValueRange(accumulators).getTypes(), allSet, /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  lowering.levels.back().inner = branch;
  for (bool isSet : {true, false}) {
    Block *block = isSet ? branch.thenBlock() : branch.elseBlock();
    lowering.levels.emplace_back(block);
    for (Assumption &mask : masks) {
      mask.says = isSet ? Assumption::Says::AllLanesAreSet : Assumption::Says::Nothing;
      lowering.levels.back().assumptions.push_back(mask);
    }
    b.setInsertionPointToEnd(block);
    SmallVector<Value> values(accumulators.begin(), accumulators.end());
    if (isSet)
      emit(values);
    else
      emitMaskedEdge(lowering, plan, index, lanes.constantI64(loc, 0), values);
    b.setInsertionPointToEnd(block);
    scf::YieldOp::create(b, loc, values);
    lowering.levels.pop_back();
  }
  lowering.levels.back().inner = nullptr;
  b.setInsertionPointToEnd(lowering.levels.back().block);
  accumulators.assign(branch.getResults().begin(), branch.getResults().end());
}

static void emitLaneLoops(Lowering &lowering, NestPlan &plan, const TileIndex &index) {
  Location loc = plan.loc;
  int64_t extent = plan.laneDim < 0 ? 1 : plan.group.shape[plan.laneDim];
  if (plan.isScan())
    return emitScanLoops(lowering, plan, index);
  int64_t chunks = extent / plan.lanes;
  SmallVector<Assumption> masks = collectGroupMasks(lowering, plan, index);
  unsigned cost = 0;
  for (const Closure &closure : plan.group.closures)
    for (auto &[value, use] : closure.uses)
      cost = std::max(cost, lowering.analysis.cost(value));
  bool isCheap = cost <= costWorthCopying;
  bool hasReductions = plan.accumulators > 0;
  bool canCopy = hasReductions && (plan.reducesInside() || plan.haveNeutralElements);
  int64_t copies = canCopy ? std::min(chunks, reductionCopies(cost)) : 1;
  SmallVector<Value> accumulators;
  if (!plan.reducesInside())
    accumulators = initialAccumulators(lowering, plan, copies);
  bool isInner = currentLevel(lowering) > 0 && isCheap;
  if (chunks == 1 || (isInner && chunks <= unrolledChunks)) {
    emitLanesUnrolled(lowering, plan, index, accumulators, masks);
  } else {
    Value start = lowering.lanes.constantI64(loc, 0);
    Value unmasked = emitUnmaskedExtent(lowering, plan, masks, copies * plan.lanes);
    if (Value streams = emitStreamingCondition(lowering, plan, index))
      emitStreamingLoop(lowering, plan, index, streams, unmasked, masks);
    else
      emitLaneLoop(lowering, plan, index, start, unmasked, copies, accumulators, masks);
    if (!masks.empty())
      emitMaskedEdge(lowering, plan, index, unmasked, accumulators);
  }
  if (hasReductions && !plan.reducesInside())
    finishReductions(lowering, plan, index, accumulators, /*acrossLanes=*/true);
}

static void emitOuterLoops(Lowering &lowering, NestPlan &plan, TileIndex index, int64_t dim) {
  if (dim == int64_t(plan.group.shape.size()))
    return emitLaneLoops(lowering, plan, index);
  if (dim == plan.laneDim || dim == plan.group.reduceAxis)
    return emitOuterLoops(lowering, plan, index, dim + 1);
  overSteps(lowering, plan.loc, plan.group.shape[dim], 1, [&](Coordinate coordinate) {
    index.at[dim] = coordinate;
    emitOuterLoops(lowering, plan, index, dim + 1);
  });
}

static NestPlan planNest(Lowering &lowering, Group &group) {
  int64_t laneDim = chooseLaneDim(lowering, group);
  const Root &first = group.roots.front();
  NestPlan plan{group, laneDim, first.op ? first.op->getLoc() : first.value.getLoc()};
  for (const Root &root : group.roots) {
    if (root.kind == Root::Kind::Materialize)
      plan.targets.push_back(
          root.target ? *root.target
                      : allocate(lowering, cast<RankedTensorType>(root.value.getType()), root.rowMajor ? -1 : laneDim));
    if (root.kind == Root::Kind::Reduce || root.kind == Root::Kind::Scan)
      for (Type type : root.op->getResultTypes())
        plan.targets.push_back(isa<RankedTensorType>(type) ? allocate(lowering, cast<RankedTensorType>(type))
                                                           : Buffer());
    if (root.kind != Root::Kind::Reduce)
      continue;
    auto reduce = cast<tt::ReduceOp>(root.op);
    plan.accumulators += reduce.getNumResults();
    plan.haveNeutralElements &= combinerOf(reduce).single != nullptr;
  }
  plan.lanes = chooseLanes(lowering, plan);
  return plan;
}

void emitGroup(Lowering &lowering, Group &group) {
  NestPlan plan = planNest(lowering, group);
  openNest(lowering);
  TileIndex index;
  index.at.resize(group.shape.size());
  index.laneDim = plan.laneDim;
  index.lanes = plan.lanes;
  emitOuterLoops(lowering, plan, index, 0);
  closeNest(lowering);
  size_t next = 0;
  for (Root &root : group.roots) {
    if (root.kind == Root::Kind::Materialize) {
      if (!root.target)
        setBuffer(lowering, root.value, plan.targets[next]);
      ++next;
    }
    if (root.kind == Root::Kind::Reduce || root.kind == Root::Kind::Scan)
      for (Value result : root.op->getResults()) {
        if (isa<RankedTensorType>(result.getType()))
          setBuffer(lowering, result, plan.targets[next]);
        ++next;
      }
  }
}

} // namespace triton::cpu
