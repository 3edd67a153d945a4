// How many elements one access of global memory may move.
#pragma once

#include "backends/nvidia/lowering/Emitter.h"

namespace triton::nvidia {

/// Consecutive registers that one access through `pointers` under `mask`, which may be null, moves together: neighbours
/// in memory, aligned and equally masked, at most 16 bytes. 1 for scalars.
inline unsigned getVectorWidth(Emitter &emitter, mlir::Value pointers, mlir::Value mask) {
  if (!llvm::isa<mlir::RankedTensorType>(pointers.getType()))
    return 1;
  unsigned width = emitter.axisInfo().getVectorWidth(pointers);
  return mask ? std::min(width, emitter.axisInfo().getMaskAlignment(mask)) : width;
}

} // namespace triton::nvidia
