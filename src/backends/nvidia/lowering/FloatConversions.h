// Conversions between floating-point formats, on one element. fp8 travels as i8.
#pragma once

#include "backends/nvidia/lowering/Emitter.h"

namespace triton::nvidia {

/// `value` of type `from` as `to`, both MLIR float types. Rounds to nearest, ties to even, or toward zero. Overflow
/// goes to infinity where the format has one (toward zero: its largest value), else to its largest value; NaN stays
/// NaN.
mlir::Value convertFloat(Emitter &emitter, mlir::Value value, mlir::FloatType from, mlir::FloatType to,
                         bool towardZero = false);

} // namespace triton::nvidia
