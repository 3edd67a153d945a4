// Layouts as text and as pictures, and what shared memory makes of an access. Free of MLIR.
#pragma once

#include "layout/LinearLayout.h"

namespace triton::layout {

/// A layout to draw: distributed (register, lane, warp, block) or shared (offset, block), over at least one dimension.
struct Drawing {
  LinearLayout layout;
  std::string title;
  unsigned elementBits = 32; ///< banks of shared memory depend on it
};

/// The most elements of a picture: larger ones cannot be read.
constexpr uint64_t largestDrawing = 16384;
uint64_t countElements(const LinearLayout &layout);

/// A table, rows along the dimension before the last and columns along the last one; a single dimension is cut into
/// rows of 32. Distributed: warp:lane:register of the smallest holder, then `+n` where n more hold the element. Shared:
/// the offset in elements and the bank. With several blocks, that of the holder stands before.
std::string drawText(const Drawing &drawing);

/// A picture of the same. Distributed: a colour for each warp, lighter for higher lanes. Shared: a colour for each
/// bank; the cells for which `marked` is true get a frame.
std::string drawSvg(const Drawing &drawing, llvm::function_ref<bool(const Point &)> marked = nullptr);

/// How the threads of a warp reach a tensor in shared memory.
struct SharedAccess {
  unsigned vectorBytes = 0;    ///< of one access of a lane, at most 16
  unsigned vectorsPerLane = 0; ///< accesses of a lane, copies included
  unsigned lanes = 0;          ///< that one wavefront of 128 bytes serves
  unsigned degree = 0;         ///< wavefronts that it takes instead of one; 1: no bank conflict
  std::vector<Point> elements; ///< that the first of them moves
};

/// 32 banks of 4 bytes. The degree is 2^(rank of the words - rank of the banks) over the lanes of one wavefront, which
/// is exact for every linear layout. Both layouts have the same outputs.
SharedAccess analyzeSharedAccess(const LinearLayout &distributed, const LinearLayout &shared, unsigned elementBits);

} // namespace triton::layout
