#include "gpu/copies/MoverCode.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace triton::ttg {

using analysis::ControlSlice;

/// The numbers of the results that belong to the slice.
static SmallVector<unsigned> findCarried(Operation *op, const ControlSlice &slice) {
  SmallVector<unsigned> carried;
  for (OpResult result : op->getResults())
    if (slice.contains(result))
      carried.push_back(result.getResultNumber());
  return carried;
}

static SmallVector<Value> lookup(ValueRange values, llvm::ArrayRef<unsigned> indices, IRMapping &mapping) {
  return llvm::map_to_vector(indices, [&](unsigned index) { return mapping.lookupOrDefault(values[index]); });
}

static void cloneLoop(scf::ForOp loop, const ControlSlice &slice, OpBuilder &builder, IRMapping &mapping) {
  SmallVector<unsigned> carried = findCarried(loop, slice);
  auto bound = [&](Value value) { return mapping.lookupOrDefault(value); };
  auto clone = scf::ForOp::create(
      builder, loop.getLoc(), bound(loop.getLowerBound()), bound(loop.getUpperBound()), bound(loop.getStep()),
      lookup(loop.getInitArgs(), carried, mapping), [](OpBuilder &, Location, Value, ValueRange) {},
      loop.getUnsignedCmp());
  mapping.map(loop.getInductionVar(), clone.getInductionVar());
  for (auto [index, argument] : llvm::zip_equal(carried, clone.getRegionIterArgs()))
    mapping.map(loop.getRegionIterArg(index), argument);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(clone.getBody());
  cloneSlice(*loop.getBody(), slice, builder, mapping);
  scf::YieldOp::create(builder, loop.getLoc(), lookup(loop.getYieldedValues(), carried, mapping));
  for (auto [index, result] : llvm::zip_equal(carried, clone.getResults()))
    mapping.map(loop.getResult(index), result);
}

static void cloneBranch(scf::IfOp branch, const ControlSlice &slice, OpBuilder &builder, IRMapping &mapping) {
  SmallVector<unsigned> carried = findCarried(branch, slice);
  SmallVector<Type> types =
      llvm::map_to_vector(carried, [&](unsigned index) { return branch.getResult(index).getType(); });
  auto clone = scf::IfOp::create(builder, branch.getLoc(), types, mapping.lookupOrDefault(branch.getCondition()),
                                 /*addThenBlock=*/true, /*addElseBlock=*/!branch.getElseRegion().empty());
  OpBuilder::InsertionGuard guard(builder);
  for (auto [from, to] : llvm::zip_equal(branch->getRegions(), clone->getRegions())) {
    if (from.empty())
      continue;
    builder.setInsertionPointToEnd(&to.front());
    cloneSlice(from.front(), slice, builder, mapping);
    scf::YieldOp::create(builder, branch.getLoc(),
                         lookup(from.front().getTerminator()->getOperands(), carried, mapping));
  }
  for (auto [index, result] : llvm::zip_equal(carried, clone.getResults()))
    mapping.map(branch.getResult(index), result);
}

void cloneSlice(Block &block, const ControlSlice &slice, OpBuilder &builder, IRMapping &mapping) {
  for (Operation &op : block.without_terminator()) {
    if (!slice.contains(&op))
      continue;
    if (auto loop = dyn_cast<scf::ForOp>(op))
      cloneLoop(loop, slice, builder, mapping);
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      cloneBranch(branch, slice, builder, mapping);
    else
      builder.clone(op, mapping);
  }
}

} // namespace triton::ttg
