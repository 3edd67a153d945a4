// exp and exp2 as code without branches. Unlike a library call, it keeps the caller's registers and is not slow for
// -inf, which masked softmax and attention pass to it.
#pragma once

#include "backends/cpu/emitters/TargetDescription.h"

#include "mlir/IR/Builders.h"

namespace triton::cpu {

enum class ExponentialBase { E, Two };

/// `value` is f32 or f64, a scalar or a vector of a native length. The error is at most 1 ulp (1.2 without fused
/// multiply-add). Subnormal results, overflow, infinities and NaN are correct.
mlir::Value emitExponential(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, ExponentialBase base,
                            const TargetDescription &target);

} // namespace triton::cpu
