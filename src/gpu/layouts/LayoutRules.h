// How layouts follow from operations, in both directions.
#pragma once

#include "gpu/ir/Dialect.h"

namespace triton::ttg {

/// Whether `op` is pure and can compute in any layout, from operands in a layout that follows from it. It can then be
/// repeated for another layout.
bool computesInAnyLayout(mlir::Operation *op);

/// The layout of the results when the tensor operands have the layout `operand`; null when the operation does not
/// accept it.
mlir::Attribute inferResultLayout(mlir::Operation *op, mlir::Attribute operand);

/// The layout of tensor operands for which the results have a layout equivalent to `result`; null when there is none.
mlir::Attribute inferOperandLayout(mlir::Operation *op, mlir::Attribute result);

} // namespace triton::ttg
