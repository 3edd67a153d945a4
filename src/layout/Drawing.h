// Layouts as text and as pictures, and how shared memory serves an access. Free of MLIR.
#pragma once

#include "layout/LinearLayout.h"

namespace triton::layout {

/// A layout to draw: distributed (register, lane, warp, block) or shared (offset, block), over at least one dimension.
struct Drawing {
  LinearLayout layout;
  std::string title;
  unsigned elementBits = 32; ///< the banks of shared memory depend on it
};

/// The largest number of elements in a picture. Larger pictures cannot be read.
constexpr uint64_t largestDrawing = 16384;
uint64_t countElements(const LinearLayout &layout);

/// A table with rows along the second to last dimension and columns along the last; a single dimension is cut into rows
/// of 32. Distributed: warp:lane:register of the smallest holder, then `+n` if n more hold the element. Shared: the
/// offset in elements and the bank. If there are several blocks, the holder's block comes first.
std::string drawText(const Drawing &drawing);

/// The same as a picture. Distributed: each warp has a color, which is lighter for higher lanes. Shared: each bank has
/// a color. The cells for which `marked` is true get a frame.
std::string drawSvg(const Drawing &drawing, llvm::function_ref<bool(const Point &)> marked = nullptr);

/// How the threads of a warp access a tensor in shared memory.
struct SharedAccess {
  unsigned vectorBytes = 0;    ///< of one access of a lane, at most 16
  unsigned vectorsPerLane = 0; ///< accesses of a lane, copies included
  unsigned lanes = 0;          ///< that one wavefront of 128 bytes serves
  unsigned degree = 0;         ///< wavefronts that are needed instead of one; 1: no bank conflict
  std::vector<Point> elements; ///< that the first of them moves
};

/// Shared memory has 32 banks of 4 bytes. The degree is 2^(rank of the words - rank of the banks) over the lanes of one
/// wavefront, which is exact for every linear layout. Both layouts have the same outputs.
SharedAccess analyzeSharedAccess(const LinearLayout &distributed, const LinearLayout &shared, unsigned elementBits);

} // namespace triton::layout
