// mma.sync.
#pragma once

#include "gpu/lowering/Emitter.h"

namespace triton::gpu {

/// A product whose accumulator has the fragments of mma.sync, and whose operands have those of its operands.
mlir::LogicalResult lowerMatrixMultiply(tt::DotOp op, Emitter &emitter);

} // namespace triton::gpu
