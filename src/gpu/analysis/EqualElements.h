// Which elements of a tensor one computation is enough for: those that are known to be equal, and those that users do
// not look at because one of each group is enough for them.
#pragma once

#include "analysis/AxisInfo.h"
#include "layout/LinearLayout.h"

#include "llvm/ADT/DenseMap.h"

namespace triton::analysis {

/// The bits of the register number whose basis satisfies `isIncluded`.
unsigned selectRegisterBits(const layout::LinearLayout &layout,
                            llvm::function_ref<bool(const layout::Basis &)> isIncluded);
/// The bits of the register number that lead to no other group of `layout`'s tensor. Groups are aligned, and have the
/// size `groups[i]`, a power of two, along dimension i.
unsigned registerBitsWithin(const layout::LinearLayout &layout, llvm::ArrayRef<int64_t> groups);

class EqualElements {
public:
  explicit EqualElements(const AxisInfoAnalysis &facts) : facts(facts) {}

  /// Along each dimension of `value`, a tensor, the size of aligned groups of which one element is computed.
  llvm::SmallVector<int64_t, 4> groupsOf(mlir::Value value);
  const AxisInfoAnalysis &axisInfo() const { return facts; }

private:
  llvm::SmallVector<int64_t, 4> computeGroups(mlir::Value value);
  llvm::SmallVector<int64_t, 4> neededBy(mlir::OpOperand &use);

  const AxisInfoAnalysis &facts;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<int64_t, 4>> known;
};

} // namespace triton::analysis
