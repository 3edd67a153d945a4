// How layouts follow operations, in both directions.
#pragma once

#include "gpu/ir/Dialect.h"

namespace triton::ttg {

/// Whether `op` is pure and may compute in any layout, from operands in a layout that follows: it can be repeated for
/// another layout.
bool computesInAnyLayout(mlir::Operation *op);

/// The layout of the results when the tensor operands have the layout `operand`; null when the operation cannot take
/// it.
mlir::Attribute inferResultLayout(mlir::Operation *op, mlir::Attribute operand);

/// The layout in which tensor operands give results in a layout equivalent to `result`; null when there is none.
mlir::Attribute inferOperandLayout(mlir::Operation *op, mlir::Attribute result);

} // namespace triton::ttg
