// triton-drop-unit-dimensions: accesses of descriptors leave out leading dimensions of extent 1, see Passes.td.
#include "passes/tt/Passes.h"

#include "ir/Dialect.h"
#include "ir/UnitDimensions.h"

using namespace mlir;

namespace triton::tt {

#define GEN_PASS_DEF_TRITONDROPUNITDIMENSIONS
#include "passes/tt/Passes.h.inc"

namespace {

/// Whether `from` is `to` after at least one dimension of extent 1.
bool hasMoreUnits(RankedTensorType from, RankedTensorType to) {
  return from.getRank() > to.getRank() && to.getRank() > 0 && isAfterUnits(to.getShape(), from.getShape());
}

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

struct TritonDropUnitDimensions : impl::TritonDropUnitDimensionsBase<TritonDropUnitDimensions> {
  void runOnOperation() override {
    SmallVector<Operation *> accesses; // collected first, since operations around them go
    getOperation().walk([&](Operation *op) {
      if (isa<DescriptorLoadOp, DescriptorStoreOp, DescriptorReduceOp>(op))
        accesses.push_back(op);
    });
    bool changes = false;
    for (Operation *access : accesses) // Helpers of the language reshape what was reshaped before.
      while (isa<DescriptorLoadOp>(access) ? narrow(cast<DescriptorLoadOp>(access)) : narrowStored(access))
        changes = true;
    if (!changes)
      markAllAnalysesPreserved();
  }

private:
  /// The load gives what all its users make of it.
  static bool narrow(DescriptorLoadOp load) {
    if (load->use_empty())
      return false;
    auto first = dyn_cast<ReshapeOp>(*load->user_begin());
    if (!first || !hasMoreUnits(typeOf(load), first.getType()))
      return false;
    RankedTensorType type = first.getType();
    bool agree = llvm::all_of(load->getUsers(), [&](Operation *user) {
      auto reshape = dyn_cast<ReshapeOp>(user);
      return reshape && reshape.getType() == type;
    });
    if (!agree)
      return false;
    load.getResult().setType(type);
    for (Operation *user : llvm::make_early_inc_range(load->getUsers())) {
      user->replaceAllUsesWith(load);
      user->erase();
    }
    return true;
  }

  static bool narrowStored(Operation *store) {
    OpOperand &stored = isa<DescriptorStoreOp>(store) ? cast<DescriptorStoreOp>(store).getSrcMutable()
                                                      : cast<DescriptorReduceOp>(store).getSrcMutable();
    auto reshape = stored.get().getDefiningOp<ReshapeOp>();
    if (!reshape || !hasMoreUnits(reshape.getType(), typeOf(reshape.getSrc())))
      return false;
    stored.set(reshape.getSrc());
    if (reshape->use_empty())
      reshape.erase();
    return true;
  }
};

} // namespace

} // namespace triton::tt
