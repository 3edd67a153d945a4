// Calls of the math library on scalars and vectors of any length.
#pragma once

#include "backends/cpu/emitters/MathLibrary.h"
#include "backends/cpu/emitters/TargetDescription.h"

#include "mlir/IR/Builders.h"

namespace triton::cpu {

/// Calls `function` on operands of one type, f32 or f64, scalar or vector: native vectors through libmvec, lane by lane
/// through libm where this system's libmvec lacks the function. The builder must stand inside a module.
mlir::Value emitMathCall(mlir::OpBuilder &builder, mlir::Location loc, const MathFunction &function,
                         mlir::ValueRange operands, const TargetDescription &target);

} // namespace triton::cpu
