#include "analysis/AddressRange.h"

#include "ir/Dialect.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace triton::analysis {

/// The most bytes of the memory around an argument with `tt.pointer_range = 32`, and the bound for offsets.
static constexpr int64_t smallMemory = INT32_MAX;

bool AddressRange::isSmall() const {
  auto function = cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  auto bits = function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), "tt.pointer_range");
  constexpr int64_t mostAccessBytes = 16;
  return (bits && bits.getInt() <= 32 && !mayLieBefore) || mostBytes <= smallMemory - mostAccessBytes;
}

std::optional<AddressRange> findAddressRange(const AxisInfoAnalysis &axisInfo, Value pointers, Value mask) {
  if (auto argument = dyn_cast<BlockArgument>(pointers)) {
    bool isFunctions = argument.getOwner()->isEntryBlock() &&
                       isa<FunctionOpInterface>(argument.getOwner()->getParentOp()) &&
                       isa<tt::PointerType>(argument.getType());
    return isFunctions ? std::optional(AddressRange{argument, 0, false}) : std::nullopt;
  }
  Operation *op = pointers.getDefiningOp();
  if (isa<tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp>(op))
    return findAddressRange(axisInfo, op->getOperand(0));
  auto add = dyn_cast<tt::AddPtrOp>(op);
  std::optional<AddressRange> range = add ? findAddressRange(axisInfo, add.getPtr()) : std::nullopt;
  if (!range)
    return std::nullopt;
  IndexRange everywhere = IndexRanges(axisInfo).find(add.getOffset());
  IndexRange offsets = mask ? IndexRanges(axisInfo, mask).find(add.getOffset()) : everywhere;
  if (!isa<RankedTensorType>(add.getType())) {
    range->mayLieBefore |= !offsets.isNonNegative();
    return range;
  }
  if (!offsets.isNonNegative())
    return std::nullopt;
  range->needsMask |= !everywhere.isNonNegative();
  int64_t bytes = llvm::SaturatingMultiply<uint64_t>(uint64_t(offsets.greatest), getPointeeBytes(add.getType()));
  range->mostBytes =
      int64_t(std::min<uint64_t>(INT64_MAX, llvm::SaturatingAdd(uint64_t(range->mostBytes), uint64_t(bytes))));
  return range;
}

} // namespace triton::analysis
