// The places of the elements of a tensor in a buffer.
#pragma once

#include "gpu/lowering/Emitter.h"

namespace triton::gpu {

/// (register, lane, warp) -> offset in elements, for a tensor of the buffer's shape.
LinearLayout bufferOffsets(Emitter &emitter, mlir::RankedTensorType tensor, ttg::MemDescType buffer);

} // namespace triton::gpu
