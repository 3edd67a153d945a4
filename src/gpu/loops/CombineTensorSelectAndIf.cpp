// Merges selections of tensors into branches on the same condition, see Passes.td.
#include "base/OptionalPass.h"
#include "gpu/ir/Dialect.h"
#include "gpu/loops/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUCOMBINETENSORSELECTANDIF
#include "gpu/loops/Passes.h.inc"

namespace {

struct TritonGPUCombineTensorSelectAndIf
    : impl::TritonGPUCombineTensorSelectAndIfBase<TritonGPUCombineTensorSelectAndIf>,
      base::OptionalPass {
  void runOnOperation() override {
    DominanceInfo dominance(getOperation());
    SmallVector<arith::SelectOp> selections;
    getOperation().walk([&](arith::SelectOp select) {
      if (isa<RankedTensorType>(select.getType()) && select.getCondition().getType().isInteger(1))
        selections.push_back(select);
    });
    for (arith::SelectOp select : selections)
      for (Operation *user : select.getCondition().getUsers())
        if (auto branch = dyn_cast<scf::IfOp>(user); branch && canMove(select, branch, dominance)) {
          move(select, branch);
          break;
        }
  }

private:
  /// Whether the branch may yield the selected value: it is in the same block, after the alternatives and before the
  /// uses.
  static bool canMove(arith::SelectOp select, scf::IfOp branch, DominanceInfo &dominance) {
    return select->getBlock() == branch->getBlock() && dominance.properlyDominates(select.getTrueValue(), branch) &&
           dominance.properlyDominates(select.getFalseValue(), branch) &&
           llvm::all_of(select->getUsers(), [&](Operation *user) {
             return branch->isProperAncestor(user) || dominance.properlyDominates(branch, user);
           });
  }

  static void move(arith::SelectOp select, scf::IfOp branch) {
    Value chosen[] = {select.getTrueValue(), select.getFalseValue()};
    for (auto [region, value] : llvm::zip_equal(branch->getRegions(), chosen))
      select.getResult().replaceUsesWithIf(
          value, [&](OpOperand &use) { return region.isAncestor(use.getOwner()->getParentRegion()); });
    SmallVector<Type> types(branch.getResultTypes());
    types.push_back(select.getType());
    OpBuilder builder(branch);
    auto merged = scf::IfOp::create(builder, branch.getLoc(), types, branch.getCondition(), /*withElseRegion=*/true);
    merged->setDiscardableAttrs(branch->getDiscardableAttrDictionary());
    for (auto [from, to, value] : llvm::zip_equal(branch->getRegions(), merged->getRegions(), chosen)) {
      if (!from.empty())
        to.takeBody(from);
      Block &block = to.front();
      if (block.empty() || !block.back().hasTrait<OpTrait::IsTerminator>()) {
        builder.setInsertionPointToEnd(&block);
        scf::YieldOp::create(builder, branch.getLoc());
      }
      Operation *yield = block.getTerminator();
      yield->insertOperands(yield->getNumOperands(), value);
    }
    branch->replaceAllUsesWith(merged->getResults().drop_back());
    select.replaceAllUsesWith(merged->getResults().back());
    branch->erase();
    select->erase();
  }
};

} // namespace

} // namespace triton::ttg
