// The layouts of AMD's matrix units. The fragments are those of AMD's matrix instruction calculator; the ISA documents
// draw them (MFMA and WMMA, register usage).
#include "gpu/ir/Dialect.h"
#include "gpu/ir/Scales.h"
#include "ir/EncodingInference.h"
#include "layout/Constructors.h"

using namespace mlir;

namespace triton::ttg {

using layout::LinearLayout;

/// Warps lie along the last dimension first. Those along `skipped` hold copies.
static LinearLayout matrixWarps(llvm::ArrayRef<unsigned> warpsPerCTA, std::optional<unsigned> skipped) {
  LinearLayout warps;
  for (unsigned dimension = warpsPerCTA.size(); dimension-- > 0;) {
    auto count = int32_t(warpsPerCTA[dimension]);
    std::string name = layout::dimensionName(dimension);
    warps = warps * (skipped == dimension ? LinearLayout::zeros(count, "warp", name)
                                          : LinearLayout::identity(count, "warp", name));
  }
  return warps;
}

/// The dimensions of a result: neighbours of a thread lie along the first, neighbouring lanes along the second.
static std::pair<std::string, std::string> resultDimensions(std::size_t rank, bool isTransposed) {
  std::string rows = layout::dimensionName(rank - 2), columns = layout::dimensionName(rank - 1);
  return isTransposed ? std::pair(columns, rows) : std::pair(rows, columns);
}

static LinearLayout fitResult(const LinearLayout &tile, llvm::ArrayRef<unsigned> warpsPerCTA,
                              llvm::ArrayRef<int32_t> shape) {
  return layout::fitToShape(tile * matrixWarps(warpsPerCTA, std::nullopt), shape,
                            llvm::to_vector(llvm::reverse(llvm::seq<unsigned>(0, shape.size()))));
}

/// An operand of which `lanes` lanes lie along the rows of A or the columns of B. Lanes beyond them follow along K, or
/// hold copies.
static LinearLayout operandLayout(llvm::ArrayRef<int32_t> shape, unsigned operand, unsigned kWidth, int32_t lanes,
                                  int32_t lanesOfDepth, int32_t copies, llvm::ArrayRef<unsigned> warpsPerCTA) {
  unsigned rank = shape.size();
  bool isA = operand == 0;
  unsigned outer = isA ? rank - 2 : rank - 1, inner = isA ? rank - 1 : rank - 2;
  std::string outerName = layout::dimensionName(outer), innerName = layout::dimensionName(inner);
  LinearLayout tile = LinearLayout::identity(int32_t(kWidth), "register", innerName) *
                      LinearLayout::identity(lanes, "lane", outerName) *
                      LinearLayout::identity(lanesOfDepth, "lane", innerName) *
                      LinearLayout::zeros(copies, "lane", innerName);
  SmallVector<unsigned> order{inner, outer};
  for (unsigned batch = rank - 2; batch-- > 0;)
    order.push_back(batch);
  return layout::fitToShape(tile * matrixWarps(warpsPerCTA, inner), shape, order);
}

//===--- MFMA ---------------------------------------------------------------------------------------------------===//

unsigned AmdMfmaEncodingAttr::getRank() const { return getWarpsPerCTA().size(); }

LinearLayout AmdMfmaEncodingAttr::getAccumulatorLayout(llvm::ArrayRef<int32_t> shape) const {
  auto [along, across] = resultDimensions(shape.size(), getIsTransposed());
  auto extent = int32_t(getInstrShape()[0]);
  constexpr int32_t lanes = 64, neighbours = 4;
  int32_t groups = lanes / extent;
  if (getElementBitWidth() == 64)
    return fitResult(LinearLayout::identity(extent, "lane", across) * LinearLayout::identity(groups, "lane", along) *
                         LinearLayout::identity(extent / groups, "register", along),
                     getWarpsPerCTA(), shape);
  LinearLayout tile = LinearLayout::identity(neighbours, "register", along) *
                      LinearLayout::identity(extent, "lane", across) * LinearLayout::identity(groups, "lane", along) *
                      LinearLayout::identity(extent / (neighbours * groups), "register", along);
  return fitResult(tile, getWarpsPerCTA(), shape);
}

LinearLayout AmdMfmaEncodingAttr::getOperandLayout(llvm::ArrayRef<int32_t> shape, unsigned operand,
                                                   unsigned kWidth) const {
  auto extent = int32_t(getInstrShape()[0]);
  return operandLayout(shape, operand, kWidth, extent, 64 / extent, /*copies=*/1, getWarpsPerCTA());
}

//===--- WMMA ---------------------------------------------------------------------------------------------------===//

unsigned AmdWmmaEncodingAttr::getRank() const { return getWarpsPerCTA().size(); }

LinearLayout AmdWmmaEncodingAttr::getAccumulatorLayout(llvm::ArrayRef<int32_t> shape) const {
  auto [along, across] = resultDimensions(shape.size(), getIsTransposed());
  LinearLayout lanes = LinearLayout::identity(16, "lane", across), halves = LinearLayout::identity(2, "lane", along),
               registers = LinearLayout::identity(8, "register", along);
  // Of gfx11, the halves of a warp have every second element; of gfx12, eight neighbours.
  LinearLayout tile = getVersion() == 1 ? lanes * halves * registers : registers * lanes * halves;
  return fitResult(tile, getWarpsPerCTA(), shape);
}

/// On gfx11, both halves of a warp hold all of an operand.
LinearLayout AmdWmmaEncodingAttr::getOperandLayout(llvm::ArrayRef<int32_t> shape, unsigned operand,
                                                   unsigned kWidth) const {
  bool isCopied = getVersion() == 1;
  return operandLayout(shape, operand, kWidth, 16, isCopied ? 1 : 2, isCopied ? 2 : 1, getWarpsPerCTA());
}

//===--- Scales -------------------------------------------------------------------------------------------------===//

/// Scales lie as an operand would with one element for a group along K, so that a thread has those of a row, or of a
/// column, that its lane gives to the unit. On gfx1250, a lane gives the four of its row, and both halves of a warp
/// hold the same, as those of gfx11 hold operands.
static DotOperandEncodingAttr scaleOperand(Attribute result, unsigned operand) {
  auto wmma = dyn_cast<AmdWmmaEncodingAttr>(result);
  if (!wmma)
    return DotOperandEncodingAttr::get(result.getContext(), operand, result, /*kWidth=*/1);
  constexpr unsigned copyingVersion = 1, scalesOfLane = 4;
  auto copied = AmdWmmaEncodingAttr::get(wmma.getContext(), copyingVersion, wmma.getIsTransposed(),
                                         wmma.getWarpsPerCTA(), wmma.getInstrShape());
  return DotOperandEncodingAttr::get(wmma.getContext(), operand, copied, scalesOfLane);
}

Attribute getScaleEncoding(llvm::ArrayRef<int64_t> shape, Attribute result, unsigned operand) {
  DotOperandEncodingAttr encoding = scaleOperand(result, operand);
  if (operand == 0)
    return LinearEncodingAttr::get(result.getContext(), toLinearLayout(shape, encoding));
  int64_t turned[] = {shape[1], shape[0]}; // The groups of both operands are the last dimension of their scales.
  auto *inference = encoding.getDialect().getRegisteredInterface<tt::EncodingInferenceInterface>();
  return inference->transpose(turned, encoding, {1, 0});
}

} // namespace triton::ttg
