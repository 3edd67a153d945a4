#pragma once

#include "mlir/IR/Attributes.h"

namespace triton::ttg {

/// The layout of the scales of an operand, [rows, groups along K], as AMD's matrix units take them, whose accumulators
/// have the encoding `result`. The rows of the scales of operand 1 are its columns.
mlir::Attribute getScaleEncoding(llvm::ArrayRef<int64_t> shape, mlir::Attribute result, unsigned operand);

} // namespace triton::ttg
