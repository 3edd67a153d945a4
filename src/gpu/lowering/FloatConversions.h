// Conversions between floating-point formats. fp8 travels as i8.
#pragma once

#include "gpu/lowering/Emitter.h"

namespace triton::gpu {

/// `values` of type `from` as `to`, both MLIR float types. Rounds to nearest, ties to even, or toward zero. Overflow
/// goes to infinity where the format has one (toward zero: its largest value), else to its largest value; NaN stays
/// NaN. Where instructions convert to E5M2, what overflows, and infinity, becomes its largest value.
Registers convertFloats(Emitter &emitter, mlir::ValueRange values, mlir::FloatType from, mlir::FloatType to,
                        bool towardZero = false);
/// One value. Several together may take fewer instructions.
mlir::Value convertFloat(Emitter &emitter, mlir::Value value, mlir::FloatType from, mlir::FloatType to,
                         bool towardZero = false);

} // namespace triton::gpu
