#include "gpu/analysis/EqualElements.h"

#include "gpu/ir/Dialect.h"
#include "ir/Reached.h"

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

/// The result of which `use` needs as many elements as are needed of the result: of what takes elements one by one.
/// Null for other uses.
static Value passingResult(OpOperand &use) {
  Operation *user = use.getOwner();
  auto result = user->getNumResults() == 1 ? dyn_cast<RankedTensorType>(user->getResult(0).getType()) : nullptr;
  bool isElementwise = user->hasTrait<OpTrait::Elementwise>() && isMemoryEffectFree(user);
  bool passes = result && (isElementwise || isa<tt::BroadcastOp, tt::ExpandDimsOp, ttg::ConvertLayoutOp>(user));
  return passes ? user->getResult(0) : Value();
}

SmallVector<int64_t, 4> EqualElements::groupsOf(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  visitReachedFirst(
      value,
      [&](Value next, SmallVectorImpl<Value> &results) {
        for (OpOperand &use : next.getUses())
          if (Value result = passingResult(use); result && !known.contains(result))
            results.push_back(result);
      },
      [&](Value next) { known[next] = computeGroups(next); });
  return known.at(value);
}

SmallVector<int64_t, 4> EqualElements::computeGroups(Value value) {
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
  return groups;
}

SmallVector<int64_t, 4> EqualElements::neededBy(OpOperand &use) {
  Value result = passingResult(use);
  if (!result)
    return SmallVector<int64_t, 4>(cast<RankedTensorType>(use.get().getType()).getRank(), 1);
  SmallVector<int64_t, 4> groups = groupsOf(result);
  if (auto expand = result.getDefiningOp<tt::ExpandDimsOp>())
    groups.erase(groups.begin() + expand.getAxis());
  return groups;
}

} // namespace triton::analysis
