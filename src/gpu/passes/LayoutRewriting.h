// What passes that change layouts share.
#pragma once

#include "gpu/ir/Dialect.h"

namespace triton::ttg {

/// The tensor type with another encoding.
mlir::RankedTensorType withEncoding(mlir::RankedTensorType type, mlir::Attribute encoding);

/// `value` in the layout `encoding`, through a conversion unless it has it already.
mlir::Value convertTo(mlir::OpBuilder &builder, mlir::Value value, mlir::Attribute encoding);

/// Makes `op` take and give tensors in the layout `encoding`, all of them, with conversions around it.
void setEncodingAround(mlir::Operation *op, mlir::Attribute encoding);

} // namespace triton::ttg
