// The layouts of NVIDIA's matrix units. The fragments are those of the PTX ISA, matrix fragments for mma.sync and
// wgmma.
#include "gpu/ir/Dialect.h"
#include "layout/Constructors.h"

using namespace mlir;

namespace triton::ttg {

using layout::LinearLayout;

unsigned NvidiaMmaEncodingAttr::getRank() const { return getWarpsPerCTA().size(); }

/// The warps of a matrix encoding. The warps of mma.sync are numbered along the last dimension first. Those of wgmma,
/// whose groups share rows, are numbered along the first dimension first. Warps along `skipped` hold copies.
static LinearLayout matrixWarps(NvidiaMmaEncodingAttr encoding, std::optional<unsigned> skipped) {
  LinearLayout warps;
  auto dimensions = llvm::to_vector(llvm::seq<unsigned>(0, encoding.getWarpsPerCTA().size()));
  if (encoding.getVersionMajor() == 2)
    std::reverse(dimensions.begin(), dimensions.end());
  for (unsigned dimension : dimensions) {
    auto count = int32_t(encoding.getWarpsPerCTA()[dimension]);
    std::string name = layout::dimensionName(dimension);
    warps = warps * (skipped == dimension ? LinearLayout::zeros(count, "warp", name)
                                          : LinearLayout::identity(count, "warp", name));
  }
  return warps;
}

/// A tile of mma.sync: a register group has `kWidth` consecutive inner elements. Four lanes lie along the inner and
/// eight along the outer dimension. Then `outerGroups` register groups follow along the outer and `innerGroups` along
/// the inner dimension.
static LinearLayout fragment(llvm::StringRef inner, llvm::StringRef outer, int32_t kWidth, int32_t outerGroups,
                             int32_t innerGroups) {
  return LinearLayout::identity(kWidth, "register", inner) * LinearLayout::identity(4, "lane", inner) *
         LinearLayout::identity(8, "lane", outer) * LinearLayout::identity(outerGroups, "register", outer) *
         LinearLayout::identity(innerGroups, "register", inner);
}

LinearLayout NvidiaMmaEncodingAttr::getAccumulatorLayout(llvm::ArrayRef<int32_t> shape) const {
  unsigned rank = shape.size();
  std::string rows = layout::dimensionName(rank - 2), columns = layout::dimensionName(rank - 1);
  LinearLayout tile = fragment(columns, rows, 2, 2, 1);
  if (getVersionMajor() == 3)
    tile = tile * LinearLayout::identity(int32_t(getInstrShape()[1] / 8), "register", columns);
  tile = tile * matrixWarps(*this, std::nullopt);
  return layout::fitToShape(tile, shape, llvm::to_vector(llvm::reverse(llvm::seq<unsigned>(0, rank))));
}

LinearLayout NvidiaMmaEncodingAttr::getOperandLayout(llvm::ArrayRef<int32_t> shape, unsigned operand,
                                                     unsigned kWidth) const {
  unsigned rank = shape.size();
  bool isA = operand == 0;
  unsigned outer = isA ? rank - 2 : rank - 1, inner = isA ? rank - 1 : rank - 2;
  LinearLayout tile =
      fragment(layout::dimensionName(inner), layout::dimensionName(outer), int32_t(kWidth), isA ? 2 : 1, 2);
  // Warps along the other operand's outer dimension, which is this operand's inner index, hold copies.
  LinearLayout warps = matrixWarps(*this, inner);
  SmallVector<unsigned> order{inner, outer};
  for (unsigned batch = rank - 2; batch-- > 0;)
    order.push_back(batch);
  return layout::fitToShape(tile * warps, shape, order);
}

} // namespace triton::ttg
