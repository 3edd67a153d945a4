// Codes of the format e2m1, two in a byte, as operations on integers: no target converts them otherwise.
#pragma once

#include "mlir/IR/Builders.h"

namespace triton::tt {

/// The elements in the low and in the high four bits of each byte, in `type`, fp16 or bf16. The layout is that of
/// `bytes`.
std::pair<mlir::Value, mlir::Value> decodeFourBitPairs(mlir::OpBuilder &builder, mlir::Location location,
                                                       mlir::Value bytes, mlir::FloatType type);

} // namespace triton::tt
