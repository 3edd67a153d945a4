// erf as code without branches, which keeps the caller's registers, as a library call does not.
#pragma once

#include "backends/cpu/emitters/TargetDescription.h"

#include "mlir/IR/Builders.h"

namespace triton::cpu {

/// erf of 16 floats by AVX-512; a null Value for other types and processors. The error is at most 2.3 ulp. Subnormal
/// values, infinities and NaN are correct.
mlir::Value emitErrorFunction(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                              const TargetDescription &target);

} // namespace triton::cpu
