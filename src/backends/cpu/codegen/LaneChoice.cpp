// Which dimension of a group the lanes of a vector run along, and how many lanes there are.
#include "backends/cpu/codegen/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace triton::cpu {

static unsigned elementBits(Type element) {
  return isa<tt::PointerType>(element) ? 64 : element.getIntOrFloatBitWidth();
}

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
  /// The bits of the widest element that is held in vectors because no shorter form describes its lanes, because it is
  /// compared where the result has none, or because it is combined.
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
      else
        addCombination(root.op);
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
      addVector(value.getType());
      llvm::for_each(op->getOperandTypes(), [&](Type type) { addVector(type); });
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

  void addVector(Type type) {
    if (isa<RankedTensorType>(type))
      addElement(getElementTypeOrSelf(type));
  }

  void addElement(Type element) {
    if (isa<tt::PointerType>(element) || element.isIntOrFloat())
      widestOfVectors = std::max(widestOfVectors, elementBits(element));
  }

  /// What a reduction or a scan combines has a vector of its own whatever describes its lanes, and so has each step of
  /// the combination.
  void addCombination(Operation *op) {
    llvm::for_each(op->getOperandTypes(), [&](Type type) { addVector(type); });
    for (Region &region : op->getRegions())
      region.walk(
          [&](Operation *step) { llvm::for_each(step->getResultTypes(), [&](Type type) { addElement(type); }); });
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

int64_t chooseLaneDim(Lowering &lowering, const Group &group) {
  auto lookup = [&](Value value) { return bufferOf(lowering, value); };
  int64_t best = -1;
  int bestScore = 0;
  for (int64_t dim = group.shape.size(); dim-- > 0;) {
    if (group.shape[dim] == 1)
      continue;
    LaneScore score(lowering.analysis, lookup);
    score.addGroup(group, dim);
    // With few lanes, a part of the vector unit is unused.
    if (group.shape[dim] < 8)
      score.score -= 4;
    if (best < 0 || score.score > bestScore)
      best = dim, bestScore = score.score;
  }
  return best;
}

bool NestPlan::scatters() const {
  return llvm::any_of(targets, [this](const Buffer &target) {
    size_t rank = target.strides.size();
    if (rank == group.shape.size())
      return target.strides[laneDim] != 1;
    return rank > 0 && reducesInside() && target.strides[laneDim - (laneDim > group.reduceAxis)] != 1;
  });
}

unsigned chooseLanes(Lowering &lowering, const NestPlan &plan) {
  const Group &group = plan.group;
  if (plan.laneDim < 0)
    return 1;
  auto lookup = [&](Value value) { return bufferOf(lowering, value); };
  LaneScore accesses(lowering.analysis, lookup);
  accesses.addGroup(group, plan.laneDim);
  // If each lane has a separate address, this comes from an offset of at least 32 bits.
  unsigned widest = accesses.gathers || plan.scatters() ? 32 : 8;
  // Most pointers are a scalar and a step, but those that are in memory are vectors.
  auto consider = [&](Value value, bool isInMemory) {
    Type type = getElementTypeOrSelf(value.getType());
    if (isa<tt::PointerType>(type) && !isInMemory)
      return;
    unsigned bits = elementBits(type);
    widest = std::max(widest, isa<FloatType>(type) ? std::max(bits, 32u) : bits);
  };
  // What masks compare costs nothing while they are a number of leading lanes. One that is saved becomes a vector.
  bool savesMask = llvm::any_of(group.roots, [](const Root &root) {
    return root.kind == Root::Kind::Materialize && getElementTypeOrSelf(root.value.getType()).isInteger(1);
  });
  for (const Closure &closure : group.closures)
    for (auto &[value, use] : closure.uses)
      if (lowering.analysis.cost(value) > 0 || savesMask)
        consider(value, /*isInMemory=*/isa_and_present<tt::LoadOp>(value.getDefiningOp()));
  for (const Root &root : group.roots)
    consider(root.kind == Root::Kind::Store ? cast<tt::StoreOp>(root.op).getValue()
             : root.op                      ? root.op->getOperand(0)
                                            : root.value,
             /*isInMemory=*/true);
  int64_t longest = accesses.hasChunks ? lowering.analysis.chunkLanes() : group.shape[plan.laneDim];
  // A mask of two bounds compares its indices, which may be much wider than what is loaded.
  int64_t most = maximumVectorBits / accesses.widestOfVectors;
  return std::min<int64_t>({lowering.options.target->lanes(widest), longest, most, group.shape[plan.laneDim]});
}

} // namespace triton::cpu
