#include "gpu/analysis/AccessWidth.h"

#include "gpu/ir/Dialect.h"

using namespace mlir;

namespace triton::analysis {

/// The number of consecutive registers 0, 1, ... that hold neighbours along `dimension` and start at multiples of that
/// number.
static unsigned getContiguousRegisters(const layout::LinearLayout &layout, unsigned dimension) {
  llvm::ArrayRef<layout::Basis> registers = layout.findInput("register")->bases;
  unsigned bits = 0;
  auto isUnit = [&](const layout::Basis &basis, unsigned bit) {
    for (auto [axis, component] : llvm::enumerate(basis))
      if (component != (axis == dimension ? int32_t(1) << bit : 0))
        return false;
    return true;
  };
  while (bits < registers.size() && isUnit(registers[bits], bits))
    ++bits;
  // Every other basis must lead to the start of such a group.
  for (const layout::Input &input : layout.inputs())
    for (auto [index, basis] : llvm::enumerate(input.bases))
      if ((input.name != "register" || index >= bits) && basis[dimension] != 0)
        bits = std::min<unsigned>(bits, llvm::countr_zero(unsigned(basis[dimension])));
  return 1u << bits;
}

namespace {
struct UnmaskedWidth : AccessWidth {
  unsigned dimension = 0; ///< along which the elements lie
};
} // namespace

static UnmaskedWidth findUnmaskedWidth(const AxisInfoAnalysis &axisInfo, Value pointers, unsigned accessBytes,
                                       const layout::LinearLayout &layout) {
  AxisInfo info = axisInfo.getAxisInfo(pointers);
  int64_t bytes = getPointeeBytes(pointers.getType()), most = accessBytes / bytes, longestRun = 0;
  UnmaskedWidth best;
  for (auto [dimension, facts] : llvm::enumerate(info.axes)) {
    int64_t aligned = facts.divisibility / bytes, held = getContiguousRegisters(layout, dimension);
    int64_t width = std::max<int64_t>(1, std::min({facts.contiguity, aligned, held, most}));
    if (width < int64_t(best.elements) || (width == int64_t(best.elements) && facts.contiguity <= longestRun))
      continue;
    longestRun = facts.contiguity;
    best.dimension = unsigned(dimension);
    best.elements = unsigned(width);
    // Layouts follow what is known of the addresses: of equal limits, these are the reason.
    best.limit = width >= most               ? WidthLimit::None
                 : width == facts.contiguity ? WidthLimit::Contiguity
                 : width >= aligned          ? WidthLimit::Alignment
                                             : WidthLimit::Layout;
  }
  return best;
}

/// The number of neighbouring registers of a thread that share one value of `mask`. Such a group needs one predicate.
static unsigned getMaskAlignment(const AxisInfoAnalysis &axisInfo, Value mask, const layout::LinearLayout &layout) {
  int64_t alignment = 1;
  for (auto [dimension, facts] : llvm::enumerate(axisInfo.getAxisInfo(mask).axes))
    alignment = std::max(alignment, std::min<int64_t>(facts.constancy, getContiguousRegisters(layout, dimension)));
  return unsigned(alignment);
}

AccessWidth findAccessWidth(const AxisInfoAnalysis &axisInfo, Value pointers, Value mask, unsigned accessBytes) {
  auto type = dyn_cast<RankedTensorType>(pointers.getType());
  if (!type || !type.getEncoding())
    return {};
  return findAccessWidth(axisInfo, pointers, mask, accessBytes, ttg::toLinearLayout(type));
}

AccessWidth findAccessWidth(const AxisInfoAnalysis &axisInfo, Value pointers, Value mask, unsigned accessBytes,
                            const layout::LinearLayout &layout) {
  UnmaskedWidth width = findUnmaskedWidth(axisInfo, pointers, accessBytes, layout);
  if (!mask || !isa<RankedTensorType>(mask.getType()))
    return width;
  if (unsigned alike = getMaskAlignment(axisInfo, mask, layout); alike < width.elements)
    return {alike, WidthLimit::Mask};
  // Where masks differ between neighbours, layouts do not give them to one thread.
  int64_t alike = axisInfo.getAxisInfo(mask).axes[width.dimension].constancy;
  if (width.limit == WidthLimit::Layout && alike <= int64_t(width.elements))
    width.limit = WidthLimit::Mask;
  return width;
}

unsigned getAtomicBytes(tt::AtomicOpInterface atomic, const gpu::Machine &machine) {
  unsigned single = getPointeeBytes(atomic.getPtr().getType());
  auto update = dyn_cast<tt::AtomicRMWOp>(atomic.getOperation());
  if (!update || update.getAtomicRmwOp() != tt::RMWOp::FAdd || !update.getResult().use_empty())
    return single;
  Type element = getElementTypeOrSelf(update.getVal().getType());
  bool hasPairs = (element.isF16() && machine.addsHalves) || (element.isBF16() && machine.addsBFloats);
  if (machine.addedBytes != 0 && (hasPairs || element.isF32()))
    return machine.addedBytes;
  return hasPairs ? 2 * single : single;
}

} // namespace triton::analysis
