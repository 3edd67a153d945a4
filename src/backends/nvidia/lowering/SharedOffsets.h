// Where the elements of a tensor lie in a buffer.
#pragma once

#include "backends/nvidia/lowering/Emitter.h"

namespace triton::nvidia {

/// (register, lane, warp) -> offset in elements, for a tensor of the buffer's shape.
LinearLayout bufferOffsets(Emitter &emitter, mlir::RankedTensorType tensor, ttg::MemDescType buffer);

} // namespace triton::nvidia
