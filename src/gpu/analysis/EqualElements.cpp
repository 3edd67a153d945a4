#include "gpu/analysis/EqualElements.h"

#include "gpu/ir/Dialect.h"

using namespace mlir;

namespace triton::analysis {

unsigned selectRegisterBits(const layout::LinearLayout &layout,
                            llvm::function_ref<bool(const layout::Basis &)> isIncluded) {
  unsigned bits = 0;
  for (auto [index, basis] : llvm::enumerate(layout.findInput("register")->bases))
    if (isIncluded(basis))
      bits |= 1u << index;
  return bits;
}

unsigned registerBitsWithin(const layout::LinearLayout &layout, ArrayRef<int64_t> groups) {
  return selectRegisterBits(layout, [&](const layout::Basis &basis) {
    return llvm::all_of(llvm::zip_equal(basis, groups), [](auto component) {
      auto [distance, group] = component;
      return distance < group;
    });
  });
}

SmallVector<int64_t, 4> EqualElements::groupsOf(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  auto type = cast<RankedTensorType>(value.getType());
  // Nothing else looks at a value that nobody uses, so that the least of no uses is the whole tensor.
  SmallVector<int64_t, 4> groups(type.getShape());
  for (OpOperand &use : value.getUses())
    for (auto [group, needed] : llvm::zip_equal(groups, neededBy(use)))
      group = std::min(group, needed);
  AxisInfo info = facts.getAxisInfo(value);
  if (!info.axes.empty())
    for (auto [group, axis] : llvm::zip_equal(groups, info.axes))
      group = std::max(group, axis.constancy);
  return known[value] = groups;
}

/// What takes elements one by one passes on what is needed of its result.
SmallVector<int64_t, 4> EqualElements::neededBy(OpOperand &use) {
  Operation *user = use.getOwner();
  ArrayRef<int64_t> shape = cast<RankedTensorType>(use.get().getType()).getShape();
  SmallVector<int64_t, 4> all(shape.size(), 1);
  auto result = user->getNumResults() == 1 ? dyn_cast<RankedTensorType>(user->getResult(0).getType()) : nullptr;
  if (!result)
    return all;
  bool isElementwise = user->hasTrait<OpTrait::Elementwise>() && isMemoryEffectFree(user);
  if (isElementwise || isa<tt::BroadcastOp, ttg::ConvertLayoutOp>(user))
    return groupsOf(user->getResult(0));
  if (auto expand = dyn_cast<tt::ExpandDimsOp>(user)) {
    SmallVector<int64_t, 4> groups = groupsOf(user->getResult(0));
    groups.erase(groups.begin() + expand.getAxis());
    return groups;
  }
  return all;
}

} // namespace triton::analysis
