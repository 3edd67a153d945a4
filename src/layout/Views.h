// Layouts as text, in the two forms that programs written for Triton print. Free of MLIR.
#pragma once

#include "layout/LinearLayout.h"

namespace triton::layout {

/// The tensor, element by element. Distributed (register, lane, warp, block): the threads that hold the element, as
/// `T3:1`, register 1 of thread 3, after `B0:` where there are several blocks. Shared (offset, block): its offset, as
/// the coordinates that the element of this number has in row-major order.
std::string tensorView(const LinearLayout &layout);

/// What each place holds: a line for each register of a warp, with the coordinates of its lanes, or for each offset.
std::string hardwareView(const LinearLayout &layout);

/// Whether the layout has the inputs of either kind and at least one output, and is small enough to be shown.
bool hasViews(const LinearLayout &layout);

} // namespace triton::layout
