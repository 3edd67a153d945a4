// Which operations the CPU's lowering supports. This is decided for a whole kernel before any code is emitted, so that
// emitting code cannot fail.
#pragma once

#include "ir/Dialect.h"

namespace triton::cpu {

/// The longest vectors that stage ttcir may hold (rule ttcir-2): four of the widest native ones. An operation of one
/// narrow and one wide type may need as much at once.
inline constexpr int64_t maximumVectorBits = int64_t(4) * 512;

/// Whether an operand or result is a tensor.
bool hasTensors(mlir::Operation *op);

/// Reports that `op` has no lowering yet, in the user's words.
void reportUnsupported(mlir::Operation *op);

/// Reports the first operation of the kernel that has no lowering.
mlir::LogicalResult checkSupported(tt::FuncOp kernel);

} // namespace triton::cpu
