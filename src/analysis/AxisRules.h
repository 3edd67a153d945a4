// Transfer rules of the axis analysis: the facts of an operation's result follow from those of its operands.
#pragma once

#include "analysis/AxisInfo.h"

namespace triton::analysis {

/// The facts of the only result of `op`; those of all operands are known.
AxisInfo inferAxisInfo(mlir::Operation *op, llvm::ArrayRef<const AxisInfo *> operands);

/// The largest power of two that divides `value`; for 0, the largest that the analysis uses.
int64_t powerOfTwoPart(int64_t value);

} // namespace triton::analysis
