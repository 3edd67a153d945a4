#include "gpu/analysis/LayoutRewriting.h"

using namespace mlir;

namespace triton::ttg {

RankedTensorType withEncoding(RankedTensorType type, Attribute encoding) {
  return RankedTensorType::get(type.getShape(), type.getElementType(), encoding);
}

Value convertTo(OpBuilder &builder, Value value, Attribute encoding) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getEncoding() == encoding)
    return value;
  return ConvertLayoutOp::create(builder, value.getLoc(), withEncoding(type, encoding), value);
}

void setEncodingAround(Operation *op, Attribute encoding) {
  OpBuilder builder(op);
  for (OpOperand &operand : op->getOpOperands())
    if (isa<RankedTensorType>(operand.get().getType()))
      operand.set(convertTo(builder, operand.get(), encoding));
  builder.setInsertionPointAfter(op);
  for (Value result : op->getResults()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type || type.getEncoding() == encoding)
      continue;
    result.setType(withEncoding(type, encoding));
    Value converted = convertTo(builder, result, type.getEncoding());
    result.replaceAllUsesExcept(converted, converted.getDefiningOp());
  }
}

} // namespace triton::ttg
