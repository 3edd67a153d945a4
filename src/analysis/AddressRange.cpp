#include "analysis/AddressRange.h"

#include "ir/AttributeNames.h"
#include "ir/Dialect.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace triton::analysis {

/// The most bytes of the memory around an argument with `tt.pointer_range = 32`, and the bound for offsets.
static constexpr int64_t smallMemory = INT32_MAX;

bool AddressRange::isSmall() const {
  auto function = cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  auto bits = function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), tt::pointerRangeAttribute);
  constexpr int64_t mostAccessBytes = 16;
  return (bits && bits.getInt() <= 32 && !mayLieBefore) || mostBytes <= smallMemory - mostAccessBytes;
}

/// The range of pointers that `add` makes of those in `range`. `masked` knows of the lanes that count, `ranges` of all.
static std::optional<AddressRange> moveBy(tt::AddPtrOp add, AddressRange range, IndexRanges &ranges,
                                          IndexRanges &masked) {
  IndexRange everywhere = ranges.find(add.getOffset()), offsets = masked.find(add.getOffset());
  if (!isa<RankedTensorType>(add.getType())) {
    range.mayLieBefore |= !offsets.isNonNegative();
    return range;
  }
  if (!offsets.isNonNegative())
    return std::nullopt;
  range.needsMask |= !everywhere.isNonNegative();
  int64_t bytes = llvm::SaturatingMultiply<uint64_t>(uint64_t(offsets.greatest), getPointeeBytes(add.getType()));
  range.mostBytes =
      int64_t(std::min<uint64_t>(INT64_MAX, llvm::SaturatingAdd(uint64_t(range.mostBytes), uint64_t(bytes))));
  return range;
}

std::optional<AddressRange> findAddressRange(const AxisInfoAnalysis &axisInfo, Value pointers, Value mask) {
  SmallVector<tt::AddPtrOp> additions; // the last one first
  Value base = pointers;
  while (Operation *op = base.getDefiningOp()) {
    auto add = dyn_cast<tt::AddPtrOp>(op);
    if (!add && !isa<tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp>(op))
      return std::nullopt;
    if (add)
      additions.push_back(add);
    base = op->getOperand(0);
  }
  auto argument = cast<BlockArgument>(base);
  if (!argument.getOwner()->isEntryBlock() || !isa<FunctionOpInterface>(argument.getOwner()->getParentOp()) ||
      !isa<tt::PointerType>(argument.getType()))
    return std::nullopt;
  std::optional<AddressRange> range = AddressRange{argument, 0, false};
  IndexRanges ranges(axisInfo), masked(axisInfo, mask);
  for (tt::AddPtrOp add : llvm::reverse(additions))
    if (range) // The mask has the shape of the pointers, which earlier ones need not have.
      range = moveBy(add, *range, ranges, add.getResult() == pointers ? masked : ranges);
  return range;
}

} // namespace triton::analysis
