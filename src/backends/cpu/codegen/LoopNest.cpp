// The loop nest of a group: outer dimensions as loops, the lane dimension in vectors, masked edges separately.
#include "backends/cpu/codegen/Lowering.h"
#include "backends/cpu/codegen/Support.h"

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

void KernelLowering::openNest() { levels.emplace_back(b.getInsertionBlock()); }

void KernelLowering::closeNest() {
  levels.pop_back();
  assert(levels.empty() && "loops of a nest are closed");
}

scf::ForOp KernelLowering::openLoop(Location loc, Value lower, Value upper, int64_t step, ValueRange inits) {
  auto loop = scf::ForOp::create(b, loc, lower, upper, lanes.constantI64(loc, step), inits);
  Block *body = loop.getBody();
  if (!body->empty())
    body->getTerminator()->erase();
  levels.back().inner = loop;
  levels.emplace_back(body);
  b.setInsertionPointToEnd(body);
  return loop;
}

void KernelLowering::closeLoop(scf::ForOp loop, ValueRange yields) {
  b.setInsertionPointToEnd(loop.getBody());
  scf::YieldOp::create(b, loop.getLoc(), yields);
  levels.pop_back();
  levels.back().inner = nullptr;
  b.setInsertionPointToEnd(levels.back().block);
}

void KernelLowering::overDimension(Location loc, int64_t extent, llvm::function_ref<void(Coordinate)> body) {
  if (extent == 1)
    return body({});
  scf::ForOp loop = openLoop(loc, lanes.constantI64(loc, 0), lanes.constantI64(loc, extent), 1);
  body(coordinateOf(loop));
  closeLoop(loop);
}

void KernelLowering::overVectors(Location loc, ArrayRef<int64_t> shape, int64_t laneDim, unsigned count,
                                 llvm::function_ref<void(const TileIndex &)> body) {
  TileIndex index;
  index.at.resize(shape.size());
  if (count > 1)
    index.laneDim = laneDim, index.lanes = count;
  std::function<void(size_t)> descend = [&](size_t dim) {
    if (dim == shape.size())
      return body(index);
    int64_t step = int64_t(dim) == laneDim ? count : 1;
    if (shape[dim] == step) {
      index.at[dim] = {};
      return descend(dim + 1);
    }
    scf::ForOp loop = openLoop(loc, lanes.constantI64(loc, 0), lanes.constantI64(loc, shape[dim]), step);
    index.at[dim] = coordinateOf(loop);
    descend(dim + 1);
    closeLoop(loop);
  };
  descend(0);
}

void KernelLowering::overElements(Location loc, ArrayRef<int64_t> shape,
                                  llvm::function_ref<void(const TileIndex &)> body) {
  overVectors(loc, shape, -1, 1, body);
}

//===--- Choice of lanes ----------------------------------------------------------------------------------------===//

namespace {
/// How well the accesses of a group vectorize along a dimension.
class LaneScore {
public:
  LaneScore(TileAnalysis &analysis, llvm::function_ref<const Buffer *(Value)> bufferOf)
      : analysis(analysis), bufferOf(bufferOf) {}

  int score = 0;
  /// Whether an access has a separate address for each lane.
  bool gathers = false;
  /// Whether a remainder or quotient keeps its form only within aligned chunks.
  bool hasChunks = false;
  /// The bits of the widest element that is held in vectors because no shorter form describes its lanes, or because it
  /// is compared where the result has none.
  unsigned widestOfVectors = 1;

  void addGroup(const Group &group, int64_t dim) {
    for (const Root &root : group.roots) {
      if (root.kind == Root::Kind::Materialize) {
        add(root.value, dim);
        if (root.target)
          addBuffer(*root.target, group.shape, dim);
        continue;
      }
      for (Value operand : root.op->getOperands())
        add(operand, dim);
      if (root.kind == Root::Kind::Store)
        addAccess(cast<tt::StoreOp>(root.op).getPtr(), dim);
    }
  }

private:
  void add(Value value, int64_t dim) {
    if (!isa<RankedTensorType>(value.getType()) || !visited.insert({value, dim}).second)
      return;
    if (const Buffer *buffer = bufferOf(value))
      return addBuffer(*buffer, cast<RankedTensorType>(value.getType()).getShape(), dim);
    Operation *op = value.getDefiningOp();
    if (!op)
      return;
    hasChunks |= analysis.laneForm(value, dim).isOfChunks;
    if (analysis.laneForm(value, dim).kind == LaneForm::Kind::General) {
      addVector(value);
      llvm::for_each(op->getOperands(), [&](Value operand) { addVector(operand); });
    }
    if (auto load = dyn_cast<tt::LoadOp>(op))
      addAccess(load.getPtr(), dim);
    if (isShapeChange(op)) {
      if (std::optional<int64_t> source = operandDimension(op, dim))
        add(op->getOperand(0), *source);
      return;
    }
    if (isa<tt::SplitOp, tt::JoinOp>(op)) {
      for (Value operand : op->getOperands())
        if (dim < cast<RankedTensorType>(operand.getType()).getRank())
          add(operand, dim);
      return;
    }
    for (Value operand : op->getOperands())
      add(operand, dim);
  }

  void addVector(Value value) {
    Type element = getElementTypeOrSelf(value.getType());
    if (isa<RankedTensorType>(value.getType()) && element.isIntOrFloat())
      widestOfVectors = std::max(widestOfVectors, element.getIntOrFloatBitWidth());
  }

  void addAccess(Value pointer, int64_t dim) {
    LaneForm form = analysis.laneForm(pointer, dim);
    if (form.kind == LaneForm::Kind::Uniform)
      score += 1;
    else
      addVaryingAccess(form.kind == LaneForm::Kind::Affine && form.step == 1);
  }

  void addBuffer(const Buffer &buffer, ArrayRef<int64_t> shape, int64_t dim) {
    if (shape[dim] == 1)
      score += 1;
    else
      addVaryingAccess(buffer.strides[dim] == 1);
  }

  void addVaryingAccess(bool consecutive) {
    score += consecutive ? 4 : -8;
    gathers |= !consecutive;
  }

  TileAnalysis &analysis;
  llvm::function_ref<const Buffer *(Value)> bufferOf;
  llvm::DenseSet<std::pair<Value, int64_t>> visited;
};
} // namespace

int64_t KernelLowering::chooseLaneDim(const Group &group) {
  auto lookup = [this](Value value) { return bufferOf(value); };
  int64_t best = -1;
  int bestScore = 0;
  for (int64_t dim = group.shape.size(); dim-- > 0;) {
    if (group.shape[dim] == 1)
      continue;
    LaneScore score(analysis, lookup);
    score.addGroup(group, dim);
    // With few lanes, a part of the vector unit is unused.
    if (group.shape[dim] < 8)
      score.score -= 4;
    if (best < 0 || score.score > bestScore)
      best = dim, bestScore = score.score;
  }
  return best;
}

bool KernelLowering::NestPlan::scatters() const {
  return llvm::any_of(targets, [this](const Buffer &target) {
    size_t rank = target.strides.size();
    if (rank == group.shape.size())
      return target.strides[laneDim] != 1;
    return rank > 0 && reducesInside() && target.strides[laneDim - (laneDim > group.reduceAxis)] != 1;
  });
}

unsigned KernelLowering::chooseLanes(const NestPlan &plan) {
  const Group &group = plan.group;
  if (plan.laneDim < 0)
    return 1;
  auto lookup = [this](Value value) { return bufferOf(value); };
  LaneScore accesses(analysis, lookup);
  accesses.addGroup(group, plan.laneDim);
  // If each lane has a separate address, this comes from an offset of at least 32 bits.
  unsigned widest = accesses.gathers || plan.scatters() ? 32 : 8;
  // Most pointers are a scalar and a step, but those that are in memory are vectors.
  auto consider = [&](Value value, bool isInMemory) {
    Type type = getElementTypeOrSelf(value.getType());
    bool isPointer = isa<tt::PointerType>(type);
    if (isPointer && !isInMemory)
      return;
    unsigned bits = isPointer ? 64 : type.getIntOrFloatBitWidth();
    widest = std::max(widest, isa<FloatType>(type) ? std::max(bits, 32u) : bits);
  };
  // What masks compare costs nothing while they are a number of leading lanes. One that is saved becomes a vector.
  bool savesMask = llvm::any_of(group.roots, [](const Root &root) {
    return root.kind == Root::Kind::Materialize && getElementTypeOrSelf(root.value.getType()).isInteger(1);
  });
  for (const Closure &closure : group.closures)
    for (auto &[value, use] : closure.uses)
      if (analysis.cost(value) > 0 || savesMask)
        consider(value, /*isInMemory=*/isa_and_present<tt::LoadOp>(value.getDefiningOp()));
  for (const Root &root : group.roots)
    consider(root.kind == Root::Kind::Store ? cast<tt::StoreOp>(root.op).getValue()
             : root.op                      ? root.op->getOperand(0)
                                            : root.value,
             /*isInMemory=*/true);
  int64_t longest = accesses.hasChunks ? analysis.chunkLanes() : group.shape[plan.laneDim];
  // A mask of two bounds compares its indices, which may be much wider than what is loaded.
  int64_t most = maximumVectorBits / accesses.widestOfVectors;
  return std::min<int64_t>({options.target->lanes(widest), longest, most, group.shape[plan.laneDim]});
}

//===--- Masks --------------------------------------------------------------------------------------------------===//

void KernelLowering::collectMaskLeaves(Value mask, const TileIndex &index, SmallVectorImpl<Assumption> &masks) {
  Operation *op = mask.getDefiningOp();
  if (!op || bufferOf(mask) || !isa<RankedTensorType>(mask.getType()))
    return;
  if (isa<arith::AndIOp>(op)) {
    for (Value operand : op->getOperands())
      collectMaskLeaves(operand, index, masks);
  } else if (isa<tt::BroadcastOp, tt::ExpandDimsOp, tt::TransOp>(op)) {
    collectMaskLeaves(op->getOperand(0), operandIndex(op, index), masks);
  } else if (index.level() <= currentLevel() && !analysis.readsMemory(mask)) {
    auto kind = index.laneDim < 0 ? LaneForm::Kind::Uniform : analysis.laneForm(mask, index.laneDim).kind;
    if (kind != LaneForm::Kind::Prefix && kind != LaneForm::Kind::Uniform)
      return;
    bool isKnown = llvm::any_of(masks, [&](const Assumption &other) { return other.mask == mask; });
    if (!isKnown)
      masks.push_back({mask, index});
  }
}

void KernelLowering::collectMasks(Value value, const TileIndex &index, SmallVectorImpl<Assumption> &masks,
                                  llvm::DenseSet<Value> &visited) {
  Operation *op = value.getDefiningOp();
  if (!op || !isa<RankedTensorType>(value.getType()) || bufferOf(value) || !visited.insert(value).second)
    return;
  if (isa<tt::BroadcastOp, tt::ExpandDimsOp, tt::TransOp>(op))
    return collectMasks(op->getOperand(0), operandIndex(op, index), masks, visited);
  if (auto load = dyn_cast<tt::LoadOp>(op); load && load.getMask())
    collectMaskLeaves(load.getMask(), index, masks);
  if (isElementwise(op) || isa<tt::LoadOp>(op))
    for (Value operand : op->getOperands())
      collectMasks(operand, index, masks, visited);
}

Value KernelLowering::emitUnmaskedExtent(NestPlan &plan, SmallVectorImpl<Assumption> &masks, int64_t multiple) {
  Value extent;
  Location loc = plan.loc;
  int64_t full = plan.group.shape[plan.laneDim];
  llvm::erase_if(masks, [&](const Assumption &mask) {
    Lanes set = evaluate(mask.mask, mask.index);
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

//===--- Loops --------------------------------------------------------------------------------------------------===//

KernelLowering::NestPlan KernelLowering::planNest(Group &group) {
  int64_t laneDim = chooseLaneDim(group);
  const Root &first = group.roots.front();
  NestPlan plan{group, laneDim, first.op ? first.op->getLoc() : first.value.getLoc()};
  for (const Root &root : group.roots) {
    if (root.kind == Root::Kind::Materialize)
      plan.targets.push_back(
          root.target ? *root.target
                      : allocate(cast<RankedTensorType>(root.value.getType()), root.rowMajor ? -1 : laneDim));
    if (root.kind == Root::Kind::Reduce || root.kind == Root::Kind::Scan)
      for (Type type : root.op->getResultTypes())
        plan.targets.push_back(isa<RankedTensorType>(type) ? allocate(cast<RankedTensorType>(type)) : Buffer());
    if (root.kind != Root::Kind::Reduce)
      continue;
    auto reduce = cast<tt::ReduceOp>(root.op);
    plan.accumulators += reduce.getNumResults();
    plan.haveNeutralElements &= combinerOf(reduce).single != nullptr;
  }
  plan.lanes = chooseLanes(plan);
  return plan;
}

void KernelLowering::emitGroup(Group &group) {
  NestPlan plan = planNest(group);
  openNest();
  TileIndex index;
  index.at.resize(group.shape.size());
  index.laneDim = plan.laneDim;
  index.lanes = plan.lanes;
  emitOuterLoops(plan, index, 0);
  closeNest();
  size_t next = 0;
  for (Root &root : group.roots) {
    if (root.kind == Root::Kind::Materialize) {
      if (!root.target)
        setBuffer(root.value, plan.targets[next]);
      ++next;
    }
    if (root.kind == Root::Kind::Reduce || root.kind == Root::Kind::Scan)
      for (Value result : root.op->getResults()) {
        if (isa<RankedTensorType>(result.getType()))
          setBuffer(result, plan.targets[next]);
        ++next;
      }
  }
}

void KernelLowering::emitOuterLoops(NestPlan &plan, TileIndex index, int64_t dim) {
  if (dim == int64_t(plan.group.shape.size()))
    return emitLaneLoops(plan, index);
  if (dim == plan.laneDim || dim == plan.group.reduceAxis)
    return emitOuterLoops(plan, index, dim + 1);
  overDimension(plan.loc, plan.group.shape[dim], [&](Coordinate coordinate) {
    index.at[dim] = coordinate;
    emitOuterLoops(plan, index, dim + 1);
  });
}

/// Emits what a group computes for consecutive vectors of the lane dimension from `index` on, one for each copy of the
/// accumulators.
void KernelLowering::emitChunks(NestPlan &plan, TileIndex index, unsigned copies, MutableArrayRef<Value> accumulators,
                                Value isFirst) {
  if (plan.reducesInside()) {
    emitReduceInner(plan, index, copies);
    return;
  }
  size_t each = accumulators.size() / copies;
  for (unsigned copy = 0; copy < copies; ++copy) {
    emitBody(plan, index, accumulators.slice(copy * each, each), isFirst);
    if (plan.laneDim >= 0)
      index.at[plan.laneDim].offset += plan.lanes;
  }
}

/// A reduction along another dimension than the lanes, with one accumulator for each lane and the dimension as the
/// innermost loop.
void KernelLowering::emitReduceInner(NestPlan &plan, TileIndex index, unsigned copies) {
  int64_t axis = plan.group.reduceAxis;
  SmallVector<Value> accumulators = initialAccumulators(plan, copies);
  size_t each = accumulators.size() / copies;
  Location loc = plan.loc;
  scf::ForOp loop =
      openLoop(loc, lanes.constantI64(loc, 0), lanes.constantI64(loc, plan.group.shape[axis]), 1, accumulators);
  SmallVector<Value> carried(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
  Value isFirst =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, loop.getInductionVar(), lanes.constantI64(loc, 0));
  TileIndex inner = index;
  inner.at[axis] = coordinateOf(loop);
  for (unsigned copy = 0; copy < copies; ++copy) {
    emitBody(plan, inner, MutableArrayRef<Value>(carried).slice(copy * each, each), isFirst);
    if (plan.laneDim >= 0)
      inner.at[plan.laneDim].offset += plan.lanes;
  }
  closeLoop(loop, carried);
  for (unsigned copy = 0; copy < copies; ++copy) {
    SmallVector<Value> results(loop.getResults().slice(copy * each, each));
    finishReductions(plan, index, results, /*acrossLanes=*/false);
    if (plan.laneDim >= 0)
      index.at[plan.laneDim].offset += plan.lanes;
  }
}

void KernelLowering::emitLaneLoop(NestPlan &plan, TileIndex index, Value lower, Value upper, unsigned copies,
                                  SmallVectorImpl<Value> &accumulators, ArrayRef<Assumption> assumptions) {
  Location loc = plan.loc;
  scf::ForOp loop = openLoop(loc, lower, upper, copies * plan.lanes, accumulators);
  llvm::append_range(levels.back().assumptions, assumptions);
  SmallVector<Value> carried(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
  Value isFirst =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, loop.getInductionVar(), lanes.constantI64(loc, 0));
  index.at[plan.laneDim] = coordinateOf(loop);
  emitChunks(plan, index, copies, carried, isFirst);
  closeLoop(loop, carried);
  accumulators.assign(loop.getResults().begin(), loop.getResults().end());
}

/// Emits the lanes from `start` on with masks. They use the first set of accumulators.
void KernelLowering::emitMaskedEdge(NestPlan &plan, const TileIndex &index, Value start,
                                    SmallVectorImpl<Value> &accumulators) {
  size_t each = plan.reducesInside() ? 0 : plan.accumulators;
  SmallVector<Value> edge(accumulators.begin(), accumulators.begin() + each);
  SmallVector<Assumption, 1> inside;
  Value end = emitMaskedExtent(plan, index, inside);
  emitLaneLoop(plan, index, start, end, 1, edge, inside);
  llvm::copy(edge, accumulators.begin());
}

/// For a short lane dimension: emits its vectors one after another, and a loop with masks where masks are needed.
void KernelLowering::emitLanesUnrolled(NestPlan &plan, TileIndex index, SmallVectorImpl<Value> &accumulators,
                                       SmallVectorImpl<Assumption> &masks) {
  Location loc = plan.loc;
  int64_t extent = plan.laneDim < 0 ? 1 : plan.group.shape[plan.laneDim];
  unsigned copies = extent / plan.lanes;
  Value yes = lanes.constantInt(loc, b.getI1Type(), 1), no = lanes.constantInt(loc, b.getI1Type(), 0);
  size_t each = plan.accumulators;
  auto emit = [&](SmallVectorImpl<Value> &values) {
    if (plan.reducesInside() || each == 0)
      return emitChunks(plan, index, copies, {}, yes);
    // There is one accumulator set, or one for each vector.
    unsigned sets = values.size() / each;
    TileIndex at = index;
    for (unsigned chunk = 0; chunk < copies; ++chunk) {
      auto set = MutableArrayRef<Value>(values).slice(chunk % sets * each, each);
      emitBody(plan, at, set, chunk < sets ? yes : no);
      if (plan.laneDim >= 0)
        at.at[plan.laneDim].offset += plan.lanes;
    }
  };
  Value unmasked = masks.empty() || copies == 1 ? Value() : emitUnmaskedExtent(plan, masks, 1);
  if (!unmasked || masks.empty())
    return emit(accumulators);
  Value allSet = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, unmasked, lanes.constantI64(loc, extent));
  auto branch = scf::IfOp::create(b, loc, ValueRange(accumulators).getTypes(), allSet, /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  levels.back().inner = branch;
  for (bool isSet : {true, false}) {
    Block *block = isSet ? branch.thenBlock() : branch.elseBlock();
    levels.emplace_back(block);
    for (Assumption &mask : masks) {
      mask.says = isSet ? Assumption::Says::AllLanesAreSet : Assumption::Says::Nothing;
      levels.back().assumptions.push_back(mask);
    }
    b.setInsertionPointToEnd(block);
    SmallVector<Value> values(accumulators.begin(), accumulators.end());
    if (isSet)
      emit(values);
    else
      emitMaskedEdge(plan, index, lanes.constantI64(loc, 0), values);
    b.setInsertionPointToEnd(block);
    scf::YieldOp::create(b, loc, values);
    levels.pop_back();
  }
  levels.back().inner = nullptr;
  b.setInsertionPointToEnd(levels.back().block);
  accumulators.assign(branch.getResults().begin(), branch.getResults().end());
}

/// The mask of a store; null for other roots.
static Value storeMask(const Root &root) {
  auto store = dyn_cast_if_present<tt::StoreOp>(root.op);
  return store ? store.getMask() : Value();
}

/// Where the masked edge may stop: after the last lane that a store writes if the group contains only stores, otherwise
/// at the end. Adds what is known before that place to `inside`.
Value KernelLowering::emitMaskedExtent(NestPlan &plan, const TileIndex &index, SmallVectorImpl<Assumption> &inside) {
  Location loc = plan.loc;
  Value end = lanes.constantI64(loc, plan.group.shape[plan.laneDim]);
  Value last, common = storeMask(plan.group.roots.front());
  for (const Root &root : plan.group.roots) {
    Value mask = storeMask(root);
    if (!mask || analysis.laneForm(mask, plan.laneDim).kind != LaneForm::Kind::Prefix || plan.reducesInside())
      return end;
    Lanes set = evaluate(mask, index);
    if (!set.isPrefix())
      return end;
    last = last ? arith::MaxSIOp::create(b, loc, last, set.value).getResult() : set.value;
    common = mask == common ? common : Value();
  }
  if (common)
    inside.push_back({common, index, Assumption::Says::FirstLaneIsSet});
  return arith::MinSIOp::create(b, loc, last, end);
}

/// Masks of the group's accesses that are set in a prefix of the lanes, with the place at which the prefix is computed.
SmallVector<KernelLowering::Assumption> KernelLowering::collectGroupMasks(NestPlan &plan, TileIndex index) {
  SmallVector<Assumption> masks;
  if (plan.laneDim < 0)
    return masks;
  // Not known yet, so nothing that depends on it is a candidate.
  if (plan.reducesInside())
    index.at[plan.group.reduceAxis].level = ~0u;
  llvm::DenseSet<Value> visited;
  for (const Root &root : plan.group.roots) {
    if (root.kind == Root::Kind::Materialize) {
      collectMasks(root.value, index, masks, visited);
      continue;
    }
    for (Value operand : root.op->getOperands())
      collectMasks(operand, index, masks, visited);
    if (auto store = dyn_cast<tt::StoreOp>(root.op); store && store.getMask())
      collectMaskLeaves(store.getMask(), index, masks);
  }
  return masks;
}

void KernelLowering::emitLaneLoops(NestPlan &plan, const TileIndex &index) {
  Location loc = plan.loc;
  int64_t extent = plan.laneDim < 0 ? 1 : plan.group.shape[plan.laneDim];
  if (plan.isScan())
    return emitScanLoops(plan, index);
  int64_t chunks = extent / plan.lanes;
  SmallVector<Assumption> masks = collectGroupMasks(plan, index);
  unsigned cost = 0;
  for (const Closure &closure : plan.group.closures)
    for (auto &[value, use] : closure.uses)
      cost = std::max(cost, analysis.cost(value));
  bool isCheap = cost <= costWorthCopying;
  bool hasReductions = plan.accumulators > 0;
  bool canCopy = hasReductions && (plan.reducesInside() || plan.haveNeutralElements);
  int64_t copies = canCopy ? std::min(chunks, reductionCopies(cost)) : 1;
  SmallVector<Value> accumulators;
  if (!plan.reducesInside())
    accumulators = initialAccumulators(plan, copies);
  bool isInner = currentLevel() > 0 && isCheap;
  if (chunks == 1 || (isInner && chunks <= unrolledChunks)) {
    emitLanesUnrolled(plan, index, accumulators, masks);
  } else {
    Value start = lanes.constantI64(loc, 0);
    Value unmasked = emitUnmaskedExtent(plan, masks, copies * plan.lanes);
    if (Value streams = emitStreamingCondition(plan, index))
      emitStreamingLoop(plan, index, streams, unmasked, masks);
    else
      emitLaneLoop(plan, index, start, unmasked, copies, accumulators, masks);
    if (!masks.empty())
      emitMaskedEdge(plan, index, unmasked, accumulators);
  }
  if (hasReductions && !plan.reducesInside())
    finishReductions(plan, index, accumulators, /*acrossLanes=*/true);
}

/// Emits the roots at one index. Everything is evaluated before anything is written.
void KernelLowering::emitBody(NestPlan &plan, const TileIndex &index, MutableArrayRef<Value> accumulators,
                              Value isFirst) {
  for (const Root &root : plan.group.roots) {
    if (root.kind == Root::Kind::Materialize)
      evaluate(root.value, index);
    else
      for (Value operand : root.op->getOperands())
        evaluate(operand, index);
  }
  size_t target = 0;
  for (const Root &root : plan.group.roots) {
    switch (root.kind) {
    case Root::Kind::Materialize:
      writeBuffer(root.value.getLoc(), plan.targets[target++], index, evaluate(root.value, index));
      break;
    case Root::Kind::Store:
      emitStore(cast<tt::StoreOp>(root.op), index);
      break;
    case Root::Kind::Scan:
      llvm_unreachable("a scan has loops of its own");
    case Root::Kind::Reduce: {
      size_t count = root.op->getNumResults();
      accumulate(cast<tt::ReduceOp>(root.op), index, accumulators.take_front(count), isFirst);
      accumulators = accumulators.drop_front(count);
      target += count;
      break;
    }
    }
  }
}

} // namespace triton::cpu
