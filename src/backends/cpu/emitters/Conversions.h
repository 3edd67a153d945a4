// Conversions between floating-point formats, on scalars and vectors of any length, correct on every processor.
//
// Floats of 8 and 16 bits travel as integers, and arithmetic on them belongs in f32, converted once before and once
// after. LLVM has no type for fp8. What it does with bf16 and fp16 depends on the processor: where masked or atomic
// accesses of them are not instructions, it converts to f32 and back, by functions that no library defines or by
// instructions that flush bf16 subnormals. Use these conversions instead of arith.extf and arith.truncf.
#pragma once

#include "backends/cpu/emitters/TargetDescription.h"

#include "mlir/IR/Builders.h"

namespace triton::cpu {

enum class FloatFormat { E5M2, E5M2FNUZ, E4M3FN, E4M3FNUZ, E4M3B15, F16, BF16, F32, F64 };

enum class Rounding { NearestEven, TowardZero };

/// The format of an MLIR float type; asserts that it exists. MLIR lacks a type for E4M3B15, so f8E4M3B11FNUZ represents
/// it.
FloatFormat formatOf(mlir::Type elementType);
/// Whether the type is a float of less than 32 bits, whose values are passed as integers.
bool isNarrowFloat(mlir::Type elementType);
/// The type in which ttcir passes values of `format`: an integer for formats of 8 and 16 bits.
mlir::Type storageType(mlir::MLIRContext *context, FloatFormat format);
/// storageType(formatOf(type)) for floats; other types unchanged.
mlir::Type storageType(mlir::Type elementType);

/// `value` is a scalar or vector of storageType(from). Returns the same shape of storageType(to). Overflow gives
/// infinity if `to` has one (towards zero: the largest finite value), otherwise the largest finite value. NaN stays
/// NaN, except in E4M3B15, which has none: there it becomes the largest value. Widening ignores `rounding`.
mlir::Value emitConversion(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, FloatFormat from,
                           FloatFormat to, Rounding rounding, const TargetDescription &target);

} // namespace triton::cpu
