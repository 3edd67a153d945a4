// Layouts as text, in the two forms that programs for Triton print. Free of MLIR.
#pragma once

#include "layout/LinearLayout.h"

namespace triton::layout {

/// The tensor, element by element. Distributed (register, lane, warp, block): the threads that hold the element, such
/// as `T3:1` for register 1 of thread 3, after `B0:` if there are several blocks. Shared (offset, block): the element's
/// offset, as the coordinates that the element with this number has in row-major order.
std::string tensorView(const LinearLayout &layout);

/// The contents of each place: one line for each register of a warp, with the coordinates of its lanes, or for each
/// offset.
std::string hardwareView(const LinearLayout &layout);

/// Whether the layout has the inputs of one of the two kinds and at least one output, and is small enough to be shown.
bool hasViews(const LinearLayout &layout);

} // namespace triton::layout
