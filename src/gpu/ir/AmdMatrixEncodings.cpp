// The layouts of AMD's matrix units. The fragments are those of AMD's matrix instruction calculator; the ISA documents
// draw them (MFMA and WMMA, register usage).
#include "gpu/ir/EncodingText.h"
#include "gpu/ir/Scales.h"
#include "ir/EncodingInference.h"
#include "layout/Constructors.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace triton::ttg {

using layout::LinearLayout;

LinearLayout layoutOfTiles(unsigned rank, llvm::ArrayRef<int32_t> registerBases, llvm::ArrayRef<int32_t> warpBases) {
  SmallVector<int32_t> reached(rank);
  auto input = [&](llvm::StringRef name, llvm::ArrayRef<int32_t> flat) {
    layout::Input read{name.str(), {}};
    for (std::size_t i = 0; i < flat.size(); i += rank)
      read.bases.push_back(layout::Basis(flat.slice(i, rank)));
    for (auto [index, place] : llvm::enumerate(flat))
      reached[index % rank] |= place;
    return read;
  };
  layout::Input inputs[] = {input("register", registerBases), input("warp", warpBases)};
  SmallVector<layout::Output> outputs;
  for (auto [dimension, places] : llvm::enumerate(reached))
    outputs.push_back({layout::dimensionName(dimension), int32_t(llvm::PowerOf2Ceil(uint64_t(places) + 1))});
  return LinearLayout(inputs, outputs);
}

/// The tiles without their places along `inner`, which operands have whole. Warps along it hold copies.
static LinearLayout tilesOfOperand(const LinearLayout &tiles, unsigned inner) {
  SmallVector<layout::Input> inputs(tiles.inputs());
  SmallVector<layout::Output> outputs(tiles.outputs());
  for (auto [index, output] : llvm::enumerate(outputs)) {
    if (output.name != layout::dimensionName(inner))
      continue;
    output.size = 1;
    for (layout::Input &input : inputs)
      for (layout::Basis &basis : input.bases)
        basis[index] = 0;
  }
  return LinearLayout(inputs, outputs).removeZeroBases("register");
}

/// The dimensions of a result: neighbours of a thread lie along the first, neighbouring lanes along the second.
static std::pair<std::string, std::string> resultDimensions(std::size_t rank, bool isTransposed) {
  std::string rows = layout::dimensionName(rank - 2), columns = layout::dimensionName(rank - 1);
  return isTransposed ? std::pair(columns, rows) : std::pair(rows, columns);
}

static LinearLayout fitResult(const LinearLayout &tile, const LinearLayout &tiles, llvm::ArrayRef<int32_t> shape) {
  return layout::fitToShape(tile * tiles, shape, llvm::to_vector(llvm::reverse(llvm::seq<unsigned>(0, shape.size()))));
}

/// How the threads of a warp lie in a tile of an operand.
struct OperandLanes {
  int32_t outer;      ///< along the rows of A or the columns of B
  int32_t inner;      ///< those behind them, along K
  int32_t copies = 1; ///< those behind these, which hold the same
};

/// The registers of a thread have `depth` elements along K, or all where that is 0, before they go on to further tiles.
static LinearLayout operandLayout(llvm::ArrayRef<int32_t> shape, unsigned operand, unsigned kWidth, OperandLanes lanes,
                                  int32_t depth, const LinearLayout &tiles) {
  unsigned rank = shape.size();
  bool isA = operand == 0;
  unsigned outer = isA ? rank - 2 : rank - 1, inner = isA ? rank - 1 : rank - 2;
  std::string outerName = layout::dimensionName(outer), innerName = layout::dimensionName(inner);
  int32_t repeats = (depth == 0 ? shape[inner] : depth) / (int32_t(kWidth) * lanes.inner);
  LinearLayout tile = LinearLayout::identity(int32_t(kWidth), "register", innerName) *
                      LinearLayout::identity(lanes.outer, "lane", outerName) *
                      LinearLayout::identity(lanes.inner, "lane", innerName) *
                      LinearLayout::zeros(lanes.copies, "lane", innerName) *
                      LinearLayout::identity(std::max(repeats, 1), "register", innerName);
  SmallVector<unsigned> order{inner, outer};
  for (unsigned batch = rank - 2; batch-- > 0;)
    order.push_back(batch);
  return layout::fitToShape(tile * tilesOfOperand(tiles, inner), shape, order);
}

//===--- MFMA ---------------------------------------------------------------------------------------------------===//

unsigned AmdMfmaEncodingAttr::getRank() const { return getWarpsPerCTA().size(); }

/// A warp has neighbouring tiles. The registers of a thread go on along the last dimension first.
static LinearLayout tilesOf(AmdMfmaEncodingAttr encoding, llvm::ArrayRef<int32_t> shape) {
  LinearLayout all;
  for (unsigned dimension = shape.size(); dimension-- > 0;) {
    std::string name = layout::dimensionName(dimension);
    auto warps = int32_t(encoding.getWarpsPerCTA()[dimension]),
         own = encoding.getTilesPerWarp().empty() ? 1 : int32_t(encoding.getTilesPerWarp()[dimension]),
         extent = dimension + 2 < shape.size() ? 1 : int32_t(encoding.getInstrShape()[0]);
    all = all * LinearLayout::identity(own, "register", name) * LinearLayout::identity(warps, "warp", name) *
          LinearLayout::identity(std::max(shape[dimension] / (extent * own * warps), 1), "register", name);
  }
  return all;
}

LinearLayout AmdMfmaEncodingAttr::getAccumulatorLayout(llvm::ArrayRef<int32_t> shape) const {
  auto [along, across] = resultDimensions(shape.size(), getIsTransposed());
  auto extent = int32_t(getInstrShape()[0]);
  constexpr int32_t lanes = 64, slots = 4;
  int32_t groups = lanes / extent;
  if (getElementBitWidth() == 64)
    return fitResult(LinearLayout::identity(extent, "lane", across) * LinearLayout::identity(groups, "lane", along) *
                         LinearLayout::identity(extent / groups, "register", along),
                     tilesOf(*this, shape), shape);
  LinearLayout tile = LinearLayout::identity(slots, "register", along) *
                      LinearLayout::identity(extent, "lane", across) * LinearLayout::identity(groups, "lane", along) *
                      LinearLayout::identity(extent / (slots * groups), "register", along);
  return fitResult(tile, tilesOf(*this, shape), shape);
}

LinearLayout AmdMfmaEncodingAttr::getOperandLayout(llvm::ArrayRef<int32_t> shape, unsigned operand,
                                                   unsigned kWidth) const {
  auto extent = int32_t(getInstrShape()[0]);
  return operandLayout(shape, operand, kWidth, {extent, 64 / extent}, /*depth=*/0, tilesOf(*this, shape));
}

//===--- WMMA ---------------------------------------------------------------------------------------------------===//

SmallVector<int32_t> AmdWmmaEncodingAttr::basesOfWarps(llvm::ArrayRef<unsigned> warpsPerCTA) {
  SmallVector<int32_t> bases;
  for (unsigned dimension = warpsPerCTA.size(); dimension-- > 0;)
    for (unsigned place = 1; place < warpsPerCTA[dimension]; place *= 2) {
      bases.append(warpsPerCTA.size(), 0);
      bases[bases.size() - warpsPerCTA.size() + dimension] = int32_t(place);
    }
  return bases;
}

AmdWmmaEncodingAttr AmdWmmaEncodingAttr::withInstruction(unsigned version, unsigned depth) const {
  unsigned shape[] = {getInstrShape()[0], getInstrShape()[1], depth};
  return get(getContext(), version, getIsTransposed(), getRank(), getRegisterBases(), getWarpBases(), shape,
             getBlockBases());
}

static LinearLayout tilesOf(AmdWmmaEncodingAttr encoding) {
  return layoutOfTiles(encoding.getRank(), encoding.getRegisterBases(), encoding.getWarpBases());
}

LinearLayout AmdWmmaEncodingAttr::getAccumulatorLayout(llvm::ArrayRef<int32_t> shape) const {
  auto [along, across] = resultDimensions(shape.size(), getIsTransposed());
  LinearLayout lanes = LinearLayout::identity(16, "lane", across), halves = LinearLayout::identity(2, "lane", along),
               registers = LinearLayout::identity(8, "register", along);
  // Of gfx11, the halves of a warp have every second element; of gfx12, eight neighbours.
  LinearLayout tile = getVersion() == 1 ? lanes * halves * registers : registers * lanes * halves;
  return fitResult(tile, tilesOf(*this), shape);
}

/// On gfx11, both halves of a warp hold all of an operand.
LinearLayout AmdWmmaEncodingAttr::getOperandLayout(llvm::ArrayRef<int32_t> shape, unsigned operand,
                                                   unsigned kWidth) const {
  bool isCopied = getVersion() == 1;
  OperandLanes lanes{16, isCopied ? 1 : 2, isCopied ? 2 : 1};
  return operandLayout(shape, operand, kWidth, lanes, int32_t(getInstrShape()[2]), tilesOf(*this));
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
  return DotOperandEncodingAttr::get(wmma.getContext(), operand, wmma.withInstruction(copyingVersion, scalesOfLane),
                                     scalesOfLane);
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
