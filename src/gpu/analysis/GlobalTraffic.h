// How the accesses of a warp meet global memory.
#pragma once

#include "gpu/analysis/AccessWidth.h"
#include "gpu/target/TargetInfo.h"

namespace triton::analysis {

/// What a request, one instruction of one warp, moves. Elements that are not known to lie side by side are taken to lie
/// apart.
struct GlobalTraffic {
  AccessWidth width;
  unsigned elementBytes = 0;
  unsigned requests = 0;     ///< of all warps of a program
  unsigned sectors = 0;      ///< of memory that a request touches, at most
  unsigned leastSectors = 0; ///< that would hold its elements

  unsigned bytesOfThread() const { return width.elements * elementBytes; }
  /// The part of the sectors' bytes that the request asks for.
  double usedPart() const { return double(leastSectors) / sectors; }
};

/// Of an access through `pointers`, a tensor with a layout, under `mask`, which may be null.
GlobalTraffic findGlobalTraffic(const AxisInfoAnalysis &axisInfo, mlir::Value pointers, mlir::Value mask,
                                const gpu::Machine &machine);

} // namespace triton::analysis
