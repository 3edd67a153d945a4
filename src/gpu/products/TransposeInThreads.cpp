// Lets threads load patches of operands that they transpose in registers, see Passes.td.
#include "base/OptionalPass.h"
#include "gpu/analysis/LayoutRewriting.h"
#include "gpu/analysis/TunedNumbers.h"
#include "gpu/ir/Dialect.h"
#include "gpu/ir/Products.h"
#include "gpu/products/Passes.h"
#include "gpu/target/TargetInfo.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUTRANSPOSEINTHREADS
#include "gpu/products/Passes.h.inc"

namespace {

RankedTensorType tensorTypeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// The load whose result is `operand` in another layout, and nothing else.
tt::LoadOp findLoad(Value operand) {
  while (auto conversion = operand.getDefiningOp<ConvertLayoutOp>())
    operand = conversion->hasOneUse() ? conversion.getSrc() : Value();
  auto load = operand ? operand.getDefiningOp<tt::LoadOp>() : tt::LoadOp();
  return load && load->hasOneUse() && isa<RankedTensorType>(load.getPtr().getType()) ? load : tt::LoadOp();
}

/// Patches with at most `kWidth` elements along K, whose rows are long enough; null where they would have one row.
/// Each row is a load and each column a store to shared memory. Of patches with as few of both, the one with fewer
/// loads is best, because loads have addresses of 64 bits.
BlockedEncodingAttr findPatches(tt::LoadOp load, RankedTensorType type, BlockedEncodingAttr rows, unsigned kDimension,
                                unsigned kWidth, unsigned accessBytes) {
  unsigned bytes = type.getElementTypeBitWidth() / 8;
  unsigned warps = getNumWarps(load), lanes = getThreadsPerWarp(load);
  auto perThread = unsigned(type.getNumElements() / (int64_t(warps) * lanes));
  unsigned mostAlong = std::min(kWidth, unsigned(type.getDimSize(kDimension)));
  unsigned widest = std::min(accessBytes / bytes, rows.getSizePerThread()[rows.getOrder().front()]);
  unsigned along = 0, across = 0;
  auto countAccesses = [&](unsigned width, unsigned height) { return perThread / width + perThread / height; };
  for (unsigned width = widest; width * bytes >= tuned::fewestBytesOfPatch; width /= 2) {
    unsigned height = std::min(mostAlong, perThread / width);
    if (height >= 2 && (along == 0 || countAccesses(width, height) < countAccesses(across, along))) {
      along = height;
      across = width;
    }
  }
  if (along == 0)
    return {};
  SmallVector<unsigned> patch(2, 1);
  patch[kDimension] = along;
  patch[1 - kDimension] = across;
  return BlockedEncodingAttr::get(type.getContext(), type.getShape(), patch, rows.getOrder(), warps, lanes);
}

/// `patches` with those lanes next to each other that together hold the elements of a vector. Their stores then reach
/// all banks at once.
Attribute joinVectors(RankedTensorType type, BlockedEncodingAttr patches, unsigned kDimension, unsigned vector) {
  auto along = int32_t(patches.getSizePerThread()[kDimension]);
  layout::LinearLayout layout = toLinearLayout(type.getShape(), patches);
  llvm::ArrayRef<layout::Basis> lanes = layout.findInput("lane")->bases;
  auto isPart = [&](const layout::Basis &basis) {
    return basis[kDimension] >= along && basis[kDimension] < int32_t(vector);
  };
  SmallVector<layout::Basis> ordered;
  llvm::copy_if(lanes, std::back_inserter(ordered), isPart);
  if (ordered.empty() || along << ordered.size() != int32_t(vector))
    return patches;
  llvm::copy_if(lanes, std::back_inserter(ordered), std::not_fn(isPart));
  layout::LinearLayout joined = layout.mapBases(
      [&](const layout::Input &input, unsigned bit) { return input.name == "lane" ? ordered[bit] : input.bases[bit]; });
  return LinearEncodingAttr::get(type.getContext(), joined);
}

struct TritonGPUTransposeInThreads : impl::TritonGPUTransposeInThreadsBase<TritonGPUTransposeInThreads>,
                                     base::OptionalPass {
  void runOnOperation() override {
    const gpu::TargetInfo *target = gpu::findTarget(getOperation());
    if (!target)
      return signalPassFailure();
    getOperation().walk([&](Operation *op) {
      if (isRegisterProduct(op))
        for (OpOperand &operand : op->getOpOperands().take_front(2))
          transpose(operand.get(), operand.getOperandNumber(), target->machine());
    });
  }

private:
  static void transpose(Value operand, unsigned number, const gpu::Machine &machine) {
    RankedTensorType type = tensorTypeOf(operand);
    auto encoding = dyn_cast<DotOperandEncodingAttr>(type.getEncoding());
    tt::LoadOp load = findLoad(operand);
    unsigned bits = type.getElementTypeBitWidth();
    if (!load || !encoding || encoding.getKWidth() == 0 || type.getRank() != 2 || bits > 16 ||
        machine.readsTransposed(bits))
      return;
    unsigned kDimension = number == 0 ? 1 : 0;
    auto rows = dyn_cast<BlockedEncodingAttr>(tensorTypeOf(load.getResult()).getEncoding());
    if (!rows || rows.getOrder().front() == kDimension)
      return;
    unsigned vector = std::min(encoding.getKWidth(), machine.accessBytes * 8 / bits);
    if (auto patches = findPatches(load, type, rows, kDimension, encoding.getKWidth(), machine.accessBytes))
      setEncodingAround(load, joinVectors(type, patches, kDimension, vector));
  }
};

} // namespace

} // namespace triton::ttg
