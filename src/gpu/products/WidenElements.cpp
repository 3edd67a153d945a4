#include "gpu/products/WidenElements.h"
#include "ir/EncodingInference.h"
#include "ir/FourBitFloats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace triton::ttg {

/// The elements of two tensors in turn along `axis`, in the layout of `type`.
static Value interleave(OpBuilder &builder, Location location, Value first, Value second, unsigned axis,
                        RankedTensorType type) {
  Value pairs = tt::JoinOp::create(builder, location, first, second);
  unsigned rank = type.getRank();
  if (axis + 1 != rank) {
    SmallVector<int32_t> order = llvm::to_vector(llvm::seq<int32_t>(0, int32_t(rank)));
    order.insert(order.begin() + axis + 1, int32_t(rank));
    pairs = tt::TransOp::create(builder, location, pairs, order);
  }
  auto paired = cast<RankedTensorType>(pairs.getType());
  RankedTensorType flat =
      tt::inferTensorType(paired, type.getShape(), [&](const tt::EncodingInferenceInterface &infer) {
        return infer.reshape(paired.getShape(), paired.getEncoding(), type.getShape());
      });
  Value elements = tt::ReshapeOp::create(builder, location, flat, pairs, /*allow_reorder=*/false,
                                         /*efficient_layout=*/false);
  return ConvertLayoutOp::create(builder, location, type, elements);
}

/// `elements` times `scales` in f32, which holds both exactly, rounded to `type`.
static Value scaleElements(OpBuilder &builder, Location location, Value elements, Value scales, RankedTensorType type) {
  RankedTensorType wide = type.clone(builder.getF32Type());
  auto widen = [&](Value value) -> Value {
    auto from = cast<RankedTensorType>(value.getType());
    if (from.getElementTypeBitWidth() == 8)
      return tt::FpToFpOp::create(builder, location, from.clone(builder.getF32Type()), value, tt::RoundingModeAttr());
    return arith::ExtFOp::create(builder, location, from.clone(builder.getF32Type()), value);
  };
  auto place = [&](Value value) -> Value {
    return value.getType() == wide ? value : ConvertLayoutOp::create(builder, location, wide, value);
  };
  Value product = arith::MulFOp::create(builder, location, place(widen(elements)), place(widen(scales)));
  return arith::TruncFOp::create(builder, location, type, product);
}

Value createWidened(OpBuilder &builder, Fp4ToFpOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  auto element = cast<FloatType>(type.getElementType());
  auto [low, high] = tt::decodeFourBitPairs(builder, op.getLoc(), op.getSrc(), element);
  Value elements = interleave(builder, op.getLoc(), low, high, op.getAxis(), type);
  return op.getScale() ? scaleElements(builder, op.getLoc(), elements, op.getScale(), type) : elements;
}

Value createWidened(OpBuilder &builder, Fp8ToFpOp op) {
  return scaleElements(builder, op.getLoc(), op.getSrc(), op.getScale(), cast<RankedTensorType>(op.getType()));
}

} // namespace triton::ttg
