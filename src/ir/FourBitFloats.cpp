#include "ir/FourBitFloats.h"
#include "ir/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace triton::tt {

static Value splat(OpBuilder &builder, Location location, RankedTensorType tensor, int64_t number) {
  return arith::ConstantOp::create(
      builder, location, DenseElementsAttr::get(tensor, builder.getIntegerAttr(tensor.getElementType(), number)));
}

/// Converts codes 0 to 15. From 1.0, which is code 2, the fields only need another bias; the codes below are 0 and 0.5.
static Value decodeFourBits(OpBuilder &builder, Location location, Value code, FloatType type) {
  auto integers = cast<RankedTensorType>(code.getType());
  auto number = [&](int64_t value) { return splat(builder, location, integers, value); };
  int64_t mantissa = type.getFPMantissaWidth() - 1, bias = type.isF16() ? 15 : 127;
  int64_t oneHalf = (bias - 1) << mantissa;
  Value magnitude = arith::AndIOp::create(builder, location, code, number(7));
  Value moved = arith::ShLIOp::create(builder, location, magnitude, number(mantissa - 1));
  Value normal = arith::AddIOp::create(builder, location, moved, number(oneHalf));
  auto isBelow = [&](int64_t bound) {
    return arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ult, magnitude, number(bound));
  };
  Value result = arith::SelectOp::create(builder, location, isBelow(2), number(oneHalf), normal);
  result = arith::SelectOp::create(builder, location, isBelow(1), number(0), result);
  Value sign = arith::AndIOp::create(builder, location, code, number(8));
  sign = arith::ShLIOp::create(builder, location, sign, number(12));
  result = arith::OrIOp::create(builder, location, result, sign);
  return BitcastOp::create(builder, location, integers.clone(type), result);
}

std::pair<Value, Value> decodeFourBitPairs(OpBuilder &builder, Location location, Value bytes, FloatType type) {
  RankedTensorType wide = cast<RankedTensorType>(bytes.getType()).clone(builder.getI16Type());
  Value codes = arith::ExtUIOp::create(builder, location, wide, bytes);
  Value low = arith::AndIOp::create(builder, location, codes, splat(builder, location, wide, 15));
  Value high = arith::ShRUIOp::create(builder, location, codes, splat(builder, location, wide, 4));
  Value first = decodeFourBits(builder, location, low, type);
  return {first, decodeFourBits(builder, location, high, type)};
}

} // namespace triton::tt
