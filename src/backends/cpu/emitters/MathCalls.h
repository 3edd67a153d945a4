// Calls of the math library on scalars and vectors of any length.
#pragma once

#include "backends/cpu/emitters/MathLibrary.h"
#include "backends/cpu/emitters/TargetDescription.h"

#include "mlir/IR/Builders.h"

namespace triton::cpu {

/// Calls `function` on operands of one type, f32 or f64, scalar or vector. Native vectors are computed by libmvec, or
/// lane by lane by libm if this system's libmvec lacks the function. The insertion point must be inside a module.
mlir::Value emitMathCall(mlir::OpBuilder &builder, mlir::Location loc, const MathFunction &function,
                         mlir::ValueRange operands, const TargetDescription &target);

/// Calls the C function `symbol`, which has no side effects, for each lane of `operands`, which are scalars or vectors
/// of one length. `result` is its result type. The insertion point must be inside a module.
mlir::Value emitCallByLane(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef symbol,
                           mlir::ValueRange operands, mlir::Type result);

} // namespace triton::cpu
