// Transfer rules of the axis analysis: facts of an operation's result from those of its operands.
#pragma once

#include "analysis/AxisInfo.h"

namespace triton::analysis {

/// Facts of the only result of `op`; those of every operand are known.
AxisInfo inferAxisInfo(mlir::Operation *op, llvm::ArrayRef<const AxisInfo *> operands);

/// The largest power of two that divides `value`; for 0, the largest that the analysis counts with.
int64_t powerOfTwoPart(int64_t value);

} // namespace triton::analysis
