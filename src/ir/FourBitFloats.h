// Codes of the format e2m1, two in a byte, as operations on integers: few targets convert them otherwise.
#pragma once

#include "mlir/IR/Builders.h"

namespace triton::tt {

/// The elements in the low and in the high four bits of each byte, in `type`, fp16 or bf16. The layout is that of
/// `bytes`.
std::pair<mlir::Value, mlir::Value> decodeFourBitPairs(mlir::OpBuilder &builder, mlir::Location location,
                                                       mlir::Value bytes, mlir::FloatType type);

/// The same for targets that take PTX: four bytes at a time, in a fifth of the instructions.
std::pair<mlir::Value, mlir::Value> decodeFourBitPairsByPtx(mlir::OpBuilder &builder, mlir::Location location,
                                                            mlir::Value bytes, mlir::FloatType type);

} // namespace triton::tt
