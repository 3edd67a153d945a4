// Matrix products, with scales and without.
#pragma once

#include "gpu/ir/Dialect.h"

namespace triton::ttg {

/// Whether `op` is one whose operands lie in registers: operands 0 and 1 are the factors, and operand 2 is the
/// accumulator.
inline bool isRegisterProduct(mlir::Operation *op) { return mlir::isa<tt::DotOp, tt::DotScaledOp>(op); }

/// Whether `op` is one, wherever its operands lie.
inline bool isProduct(mlir::Operation *op) { return mlir::isa<WarpGroupDotOp>(op) || isRegisterProduct(op); }

} // namespace triton::ttg
