#include "gpu/copies/RingPositions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace triton::ttg {

namespace {

class PositionCarrier {
public:
  PositionCarrier(MLIRContext *context, const CopyRing &ring) : rewriter(context), ring(ring) {
    for (const CopySite &site : ring.sites) {
      tt::MappedLoadOp load = site.loads.front();
      siteOf[load] = siteOf.size();
    }
    positions.resize(ring.sites.size());
  }

  /// The position behind `block`, which begins with `position`.
  Value carry(Block &block, Value position) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto site = siteOf.find(&op); site != siteOf.end()) {
        positions[site->second] = position;
        rewriter.setInsertionPointAfter(&op);
        position = AdvanceSlotOp::create(rewriter, op.getLoc(), position, int32_t(2 * ring.slots));
      } else if (auto loop = dyn_cast<scf::ForOp>(op); loop && holdsSite(loop)) {
        position = carryLoop(loop, position);
      } else if (auto branch = dyn_cast<scf::IfOp>(op); branch && holdsSite(branch)) {
        position = carryBranch(branch, position);
      }
    }
    return position;
  }

  SmallVector<Value> takePositions() { return std::move(positions); }

private:
  bool holdsSite(Operation *op) {
    return llvm::any_of(siteOf, [&](auto &entry) { return op->isProperAncestor(entry.first); });
  }

  Value carryLoop(scf::ForOp loop, Value position) {
    rewriter.setInsertionPoint(loop);
    auto carrying = cast<scf::ForOp>(
        *loop.replaceWithAdditionalYields(rewriter, position, /*replaceInitOperandUsesInLoop=*/false,
                                          [](OpBuilder &, Location, llvm::ArrayRef<BlockArgument> arguments) {
                                            return SmallVector<Value>(arguments.begin(), arguments.end());
                                          }));
    Value behind = carry(*carrying.getBody(), carrying.getRegionIterArgs().back());
    Operation *yield = carrying.getBody()->getTerminator();
    yield->setOperand(yield->getNumOperands() - 1, behind);
    return carrying.getResults().back();
  }

  Value carryBranch(scf::IfOp branch, Value position) {
    SmallVector<Type> types(branch.getResultTypes());
    types.push_back(position.getType());
    rewriter.setInsertionPoint(branch);
    auto carrying = scf::IfOp::create(rewriter, branch.getLoc(), types, branch.getCondition(),
                                      /*addThenBlock=*/true, /*addElseBlock=*/true);
    carrying->setAttrs(branch->getAttrs());
    for (auto [from, to] : llvm::zip_equal(branch->getRegions(), carrying->getRegions())) {
      if (!from.empty())
        to.takeBody(from);
      Block &block = to.empty() ? to.emplaceBlock() : to.front();
      if (block.empty()) {
        rewriter.setInsertionPointToEnd(&block);
        scf::YieldOp::create(rewriter, branch.getLoc());
      }
      Value behind = carry(block, position);
      block.getTerminator()->insertOperands(block.getTerminator()->getNumOperands(), behind);
    }
    rewriter.replaceOp(branch, carrying.getResults().drop_back());
    return carrying.getResults().back();
  }

  IRRewriter rewriter;
  const CopyRing &ring;
  llvm::DenseMap<Operation *, unsigned> siteOf; ///< by the first load of each
  SmallVector<Value> positions;
};

} // namespace

SmallVector<Value> carryPositions(tt::FuncOp function, const CopyRing &ring, Value first) {
  PositionCarrier carrier(function.getContext(), ring);
  carrier.carry(function.getBody().front(), first);
  return carrier.takePositions();
}

} // namespace triton::ttg
