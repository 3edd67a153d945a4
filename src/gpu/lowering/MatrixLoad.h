// ldmatrix: loads of 8 x 8 matrices of 16 bits by a whole warp.
#pragma once

#include "gpu/lowering/LayoutEmission.h"

namespace triton::gpu {

/// Loads all registers by ldmatrix, plain or transposed. None when the elements do not lie as that instruction wants:
/// `offsets` maps (register, lane, warp) to elements from `base`.
std::optional<Registers> loadMatrices(Emitter &emitter, mlir::Value base, const LinearLayout &offsets,
                                      mlir::Type element);

} // namespace triton::gpu
