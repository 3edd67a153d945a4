// Tensors whose elements all have the same value.
#include "ir/UniformValues.h"

#include "ir/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace triton::tt {

SplatElementsAttr getConstantSplat(Value value) {
  SplatElementsAttr constant;
  matchPattern(value, m_Constant(&constant));
  return constant;
}

bool isUniform(Value value) { return value.getDefiningOp<SplatOp>() || getConstantSplat(value); }

Value getUniformScalar(OpBuilder &builder, Value uniform) {
  if (auto splat = uniform.getDefiningOp<SplatOp>())
    return splat.getSrc();
  auto value = cast<TypedAttr>(getConstantSplat(uniform).getSplatValue<Attribute>());
  return arith::ConstantOp::create(builder, uniform.getLoc(), value);
}

} // namespace triton::tt
