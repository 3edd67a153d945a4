// Matrix products whose operands lie in registers, with scales and without.
#pragma once

#include "gpu/ir/Dialect.h"

namespace triton::ttg {

/// Whether `op` is one: operands 0 and 1 are the factors, and operand 2 is the accumulator.
inline bool isRegisterProduct(mlir::Operation *op) { return mlir::isa<tt::DotOp, tt::DotScaledOp>(op); }

} // namespace triton::ttg
