// mma.sync.
#pragma once

#include "backends/nvidia/lowering/Emitter.h"

namespace triton::nvidia {

/// A product whose accumulator has the fragments of mma.sync, and whose operands have those of its operands.
mlir::LogicalResult lowerMatrixMultiply(tt::DotOp op, Emitter &emitter);

} // namespace triton::nvidia
