// What operations that widen the elements of products with scales compute, in operations that the other passes know.
#pragma once

#include "gpu/ir/Dialect.h"

namespace triton::ttg {

mlir::Value createWidened(mlir::OpBuilder &builder, Fp4ToFpOp op);
mlir::Value createWidened(mlir::OpBuilder &builder, Fp8ToFpOp op);

} // namespace triton::ttg
