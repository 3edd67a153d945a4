// exp and exp2 as straight code. Unlike a library call it keeps the caller's registers, and does not slow down at the
// -inf that masked softmax and attention feed it.
#pragma once

#include "backends/cpu/emitters/TargetDescription.h"

#include "mlir/IR/Builders.h"

namespace triton::cpu {

enum class ExponentialBase { E, Two };

/// `value`: f32 or f64, scalar or vector of a native length. At most 1 ulp off (1.2 without fused multiply-add);
/// subnormal results, overflow, infinities and NaN are right.
mlir::Value emitExponential(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, ExponentialBase base,
                            const TargetDescription &target);

} // namespace triton::cpu
