// The places of the elements of a tensor or a view in a buffer.
#pragma once

#include "gpu/lowering/Emitter.h"

namespace triton::gpu {

/// (register, lane, warp) -> offset in elements, for a tensor of the buffer's shape.
LinearLayout bufferOffsets(Emitter &emitter, mlir::RankedTensorType tensor, ttg::MemDescType buffer);

/// Where the first element of `view` is, also if the view is a part that cuts the pattern of its buffer.
mlir::Value addressOfFirst(Emitter &emitter, mlir::TypedValue<ttg::MemDescType> view);

} // namespace triton::gpu
