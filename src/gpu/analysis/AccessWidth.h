// How many elements one access of global memory may move.
#pragma once

#include "analysis/AxisInfo.h"

namespace triton::analysis {

/// Consecutive registers that one access through `pointers` under `mask`, which may be null, moves together: neighbours
/// in memory and in the registers of a thread, aligned and equally masked, at most `accessBytes` of them. 1 for what is
/// no tensor with a layout.
unsigned getVectorWidth(const AxisInfoAnalysis &axisInfo, mlir::Value pointers, mlir::Value mask, unsigned accessBytes);

} // namespace triton::analysis
