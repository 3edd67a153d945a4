#include "analysis/Scratch.h"

#include "ir/gpu/Dialect.h"

using namespace mlir;

namespace triton::analysis {

/// Bytes of an element in shared memory: bits take a byte, pointers eight.
static std::size_t elementBytes(Type type) {
  return isa<tt::PointerType>(type) ? 8 : std::max(1u, type.getIntOrFloatBitWidth() / 8);
}

static std::size_t conversionBytes(ttg::ConvertLayoutOp op) {
  auto source = cast<RankedTensorType>(op.getSrc().getType()), target = cast<RankedTensorType>(op.getType());
  if (ttg::areLayoutsEquivalent(source.getShape(), source.getEncoding(), target.getEncoding()))
    return 0;
  return std::size_t(target.getNumElements()) * elementBytes(target.getElementType());
}

/// One element for each warp and each element of the results: what warps pass to one another.
static std::size_t reductionBytes(tt::ReduceOp op) {
  RankedTensorType type = op.getInputTypes().front();
  std::size_t bytes = 0;
  for (Type element : op.getElementTypes())
    bytes += llvm::alignTo(std::size_t(type.getNumElements() / type.getDimSize(op.getAxis())) *
                               ttg::getNumWarps(op) * elementBytes(element),
                           8);
  return bytes;
}

std::size_t getScratchBytes(Operation *op) {
  if (auto conversion = dyn_cast<ttg::ConvertLayoutOp>(op))
    return conversionBytes(conversion);
  if (auto reduction = dyn_cast<tt::ReduceOp>(op))
    return reductionBytes(reduction);
  if (auto scan = dyn_cast<tt::ScanOp>(op)) {
    std::size_t bytes = 0;
    for (RankedTensorType type : scan.getInputTypes())
      bytes += llvm::alignTo(std::size_t(type.getNumElements()) * elementBytes(type.getElementType()), 8);
    return bytes;
  }
  return 0;
}

} // namespace triton::analysis
