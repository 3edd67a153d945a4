// Conversions between floating-point formats. fp8 is passed as i8.
#pragma once

#include "gpu/lowering/Emitter.h"

namespace triton::gpu {

/// Converts `values` of type `from` to `to`, both MLIR float types. Rounds to nearest, ties to even, or toward zero.
/// Overflow gives infinity if the format has one (toward zero: its largest value), otherwise its largest value. NaN
/// stays NaN. If instructions of NVIDIA convert to E5M2, overflow and infinity give its largest value.
Registers convertFloats(Emitter &emitter, mlir::ValueRange values, mlir::FloatType from, mlir::FloatType to,
                        bool towardZero = false);
/// Converts one value. Converting several together may take fewer instructions.
mlir::Value convertFloat(Emitter &emitter, mlir::Value value, mlir::FloatType from, mlir::FloatType to,
                         bool towardZero = false);

} // namespace triton::gpu
