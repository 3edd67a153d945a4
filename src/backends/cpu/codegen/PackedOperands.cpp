// Second operands of products that a host packed: contiguous blocks of memory in the order in which the inner loop of
// the product reads them. A kernel says so by giving the elements that it loads their places in the matrix.
#include "backends/cpu/codegen/Lowering.h"

#include "backends/cpu/emitters/DotLoops.h"

using namespace mlir;

namespace triton::cpu {

/// From [columns / panel][rows / group][panel][group] to [rows][columns].
static constexpr int32_t unpackingOrder[] = {1, 3, 0, 2};

static bool isReadBetween(Operation *first, Operation *last) {
  for (Operation *op = first->getNextNode(); op != last; op = op->getNextNode())
    if (!isPure(op) && !isa<tt::LoadOp>(op))
      return false;
  return true;
}

/// If the block lies in memory as the product reads it, nothing else uses it, and no memory is written between the load
/// and the product, the operations from which the product gets it, the load first.
static SmallVector<Operation *, 4> findPackedBlock(tt::DotOp op, const DotPlan &plan, TileAnalysis &analysis) {
  auto matrix = op.getB().getDefiningOp<tt::ReshapeOp>();
  auto ordered = matrix ? matrix.getSrc().getDefiningOp<tt::TransOp>() : nullptr;
  auto parts = ordered ? ordered.getSrc().getDefiningOp<tt::ReshapeOp>() : nullptr;
  auto load = parts ? parts.getSrc().getDefiningOp<tt::LoadOp>() : nullptr;
  if (!load || load.getMask() || load.getIsVolatile() || ordered.getOrder() != ArrayRef(unpackingOrder))
    return {};
  SmallVector<Operation *, 4> chain = {load, parts, ordered, matrix};
  bool isExclusive =
      llvm::all_of(chain, [&](Operation *part) { return part->hasOneUse() && part->getBlock() == op->getBlock(); });
  const DotShape &shape = plan.shape;
  int64_t group = groupSize(plan), panel = plan.panelColumns;
  int64_t wanted[] = {shape.n / panel, shape.k / group, panel, group};
  bool isPacked = shape.bType == multiplicandType(plan, op.getContext()) &&
                  parts.getType().getShape() == ArrayRef(wanted) &&
                  cast<RankedTensorType>(load.getType()).getRank() == 1;
  if (!isExclusive || !isPacked || !isReadBetween(load, op))
    return {};
  LaneForm form = analysis.laneForm(load.getPtr(), 0);
  bool isContiguous = form.kind == LaneForm::Kind::Affine && form.step == 1 && !form.isOfChunks;
  return isContiguous ? chain : SmallVector<Operation *, 4>();
}

namespace {
class HostPacked final : public OperandSupply {
public:
  explicit HostPacked(Lowering &lowering) {
    lowering.kernel.walk([&](tt::DotOp op) {
      if (cast<RankedTensorType>(op.getB().getType()).getRank() != 2)
        return;
      SmallVector<Operation *, 4> chain = findPackedBlock(op, planOf(lowering, op), lowering.analysis);
      if (chain.empty())
        return;
      blocks[op] = cast<tt::LoadOp>(chain.front());
      shapes.insert(chain.begin() + 1, chain.end());
    });
  }

  bool packs(tt::DotOp op) const override { return blocks.contains(op); }
  bool describesPacking(Operation *op) const override { return shapes.contains(op); }

  void emitInProduct(Lowering &lowering, tt::DotOp op, ProductOperands &operands) const override {
    tt::LoadOp load = blocks.lookup(op);
    if (!load)
      return;
    TileIndex first;
    first.at.resize(1);
    operands.packed = evaluate(lowering, load.getPtr(), first).value;
  }

private:
  llvm::DenseMap<Operation *, tt::LoadOp> blocks; ///< by product: says where the block is
  llvm::DenseSet<Operation *> shapes;             ///< the operations between a load and its product
};
} // namespace

std::unique_ptr<OperandSupply> findPackedOperands(Lowering &lowering) { return std::make_unique<HostPacked>(lowering); }

} // namespace triton::cpu
