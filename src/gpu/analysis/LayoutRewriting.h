// Shared by the passes that change layouts.
#pragma once

#include "gpu/ir/Dialect.h"

namespace triton::ttg {

/// The tensor type with another encoding.
mlir::RankedTensorType withEncoding(mlir::RankedTensorType type, mlir::Attribute encoding);

/// `value` in the layout `encoding`, through a conversion unless it already has that layout.
mlir::Value convertTo(mlir::OpBuilder &builder, mlir::Value value, mlir::Attribute encoding);

/// Gives all tensor operands and results of `op` the layout `encoding`, with conversions around it.
void setEncodingAround(mlir::Operation *op, mlir::Attribute encoding);

} // namespace triton::ttg
