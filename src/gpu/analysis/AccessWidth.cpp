#include "gpu/analysis/AccessWidth.h"

#include "gpu/ir/Dialect.h"

using namespace mlir;

namespace triton::analysis {

/// Registers 0, 1, ..., in groups of the result, hold neighbours along `dimension` and start at multiples of it.
static unsigned getContiguousRegisters(RankedTensorType type, unsigned dimension) {
  layout::LinearLayout layout = ttg::toLinearLayout(type);
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
  // Every other basis must lead to the start of a group.
  for (const layout::Input &input : layout.inputs())
    for (auto [index, basis] : llvm::enumerate(input.bases))
      if ((input.name != "register" || index >= bits) && basis[dimension] != 0)
        bits = std::min<unsigned>(bits, llvm::countr_zero(unsigned(basis[dimension])));
  return 1u << bits;
}

/// The width of an access without a mask.
static unsigned getUnmaskedWidth(const AxisInfoAnalysis &axisInfo, Value pointers, unsigned accessBytes) {
  auto type = dyn_cast<RankedTensorType>(pointers.getType());
  if (!type || !type.getEncoding())
    return 1;
  AxisInfo info = axisInfo.getAxisInfo(pointers);
  int64_t bytes = getPointeeBytes(type), width = 1;
  for (auto [dimension, facts] : llvm::enumerate(info.axes)) {
    int64_t inMemory = std::min({facts.contiguity, facts.divisibility / bytes, accessBytes / bytes});
    width = std::max(width, std::min<int64_t>(inMemory, getContiguousRegisters(type, dimension)));
  }
  return unsigned(width);
}

/// How many neighbouring registers of a thread share one value of `mask`: such a group needs one predicate.
static unsigned getMaskAlignment(const AxisInfoAnalysis &axisInfo, Value mask) {
  auto type = dyn_cast<RankedTensorType>(mask.getType());
  if (!type || !type.getEncoding())
    return 1;
  int64_t alignment = 1;
  for (auto [dimension, facts] : llvm::enumerate(axisInfo.getAxisInfo(mask).axes))
    alignment = std::max(alignment, std::min<int64_t>(facts.constancy, getContiguousRegisters(type, dimension)));
  return unsigned(alignment);
}

unsigned getVectorWidth(const AxisInfoAnalysis &axisInfo, Value pointers, Value mask, unsigned accessBytes) {
  unsigned width = getUnmaskedWidth(axisInfo, pointers, accessBytes);
  return mask ? std::min(width, getMaskAlignment(axisInfo, mask)) : width;
}

} // namespace triton::analysis
