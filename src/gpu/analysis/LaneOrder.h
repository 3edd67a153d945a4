// Asynchronous copies that write shared memory in the order of a warp's lanes (Machine::copiesInLaneOrder).
#pragma once

#include "analysis/AxisInfo.h"
#include "gpu/ir/Dialect.h"

namespace triton::analysis {

/// (register, lane, warp) -> offset in elements, for a tensor of the buffer's shape.
layout::LinearLayout findBufferOffsets(mlir::RankedTensorType tensor, ttg::MemDescType buffer);

/// Whether groups of `width` registers lie behind one another in the order of a warp's lanes, with none of the buffer's
/// `paddings` between them. `offsets` is from findBufferOffsets.
bool followsLanes(const layout::LinearLayout &offsets, unsigned width, llvm::ArrayRef<int32_t> paddings = {});

/// The layout of a tensor of this type in which it lies in `buffer` in that order; null where the buffer is smaller
/// than what a warp copies at once.
mlir::Attribute getLaneOrder(ttg::MemDescType buffer, unsigned width, unsigned lanes, unsigned warps);

/// The instructions by which each warp copies `copy` on a machine that copies in the order of lanes; 0 where they could
/// be fewer, or the copy goes through registers.
unsigned countLaneCopies(ttg::AsyncCopyGlobalToLocalOp copy, const AxisInfoAnalysis &axisInfo);

/// The fewest instructions of a group of copies that may be in flight at `wait`: one of its loop where tokens name
/// them, else any of the function.
unsigned countLaneCopiesOfGroups(ttg::AsyncWaitOp wait, const AxisInfoAnalysis &axisInfo);

} // namespace triton::analysis
