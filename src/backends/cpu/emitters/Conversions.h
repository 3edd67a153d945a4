// Conversions between floating-point formats, on scalars and vectors of any length, correct on every processor.
//
// Formats that LLVM has no type for (all fp8) travel as i8. Use these instead of arith.extf and arith.truncf when one
// side is bf16 or fp8: LLVM would select instructions that flush bf16 subnormals, and has no fp8 at all. For the same
// reason bf16 and fp16 arithmetic belongs in f32, converted once before and once after.
#pragma once

#include "backends/cpu/emitters/TargetDescription.h"

#include "mlir/IR/Builders.h"

namespace triton::cpu {

enum class FloatFormat { E5M2, E5M2FNUZ, E4M3FN, E4M3FNUZ, E4M3B15, F16, BF16, F32, F64 };

enum class Rounding { NearestEven, TowardZero };

/// The format of an MLIR float type; asserts that there is one. MLIR lacks a type for E4M3B15, whose place
/// f8E4M3B11FNUZ takes.
FloatFormat formatOf(mlir::Type elementType);
/// The type in which values of `format` travel through ttcir: i8 for fp8.
mlir::Type storageType(mlir::MLIRContext *context, FloatFormat format);
/// storageType(formatOf(type)) for floats; other types unchanged.
mlir::Type storageType(mlir::Type elementType);

/// `value`: a scalar or vector of storageType(from). Returns the same shape of storageType(to). Overflow goes to
/// infinity where `to` has one (towards zero: to the largest finite value), else to its largest finite value; NaN stays
/// NaN (E4M3B15, which has none: the largest value). Widening ignores `rounding`.
mlir::Value emitConversion(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, FloatFormat from,
                           FloatFormat to, Rounding rounding, const TargetDescription &target);

} // namespace triton::cpu
