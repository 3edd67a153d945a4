// Accesses of several lanes that are recorded together, because they are to neighbouring places.
#pragma once

#include "simulator/core/Warp.h"

#include <array>

namespace triton::simulator {

/// What lanes of a warp access that was recorded together.
struct RecordedLanes {
  LaneMask lanes = 0;
  LaneMask racing = 0;     ///< those of them whose accesses must be reported
  bool mayOverlap = false; ///< two of them may access the same bytes
  bool isRow = false;      ///< all lanes of the warp access one range of bytes, in their order
  bool isOnePlace = false; ///< all lanes access the same bytes
  std::array<GlobalMemory::Outcome, mostLanes> outcomes; ///< of the lanes that race
};

/// Whether a lane stores what these bytes of its access have already.
using LaneKeeps = llvm::function_ref<bool(unsigned lane, std::size_t begin, std::size_t end)>;
/// Records ordinary accesses of lanes to global memory, each of `size` bytes at its address: those of neighbouring
/// lanes to neighbouring places at once. Leaves out what must be reported for another reason than a race, and all
/// accesses if somebody wants to know each of them.
RecordedLanes recordGlobalTogether(Warp &warp, const uint64_t *addresses, LaneMask lanes, std::size_t size,
                                   std::size_t alignment, AccessKind kind, uint32_t location, LaneKeeps keeps);
/// The same for the program's shared memory. Leaves out what must be reported.
RecordedLanes recordSharedTogether(Warp &warp, const uint64_t *offsets, LaneMask lanes, std::size_t size,
                                   std::size_t alignment, AccessKind kind);
/// The array that contains these bytes, or null.
const Allocation *findArray(Warp &warp, uintptr_t address, std::size_t size);

} // namespace triton::simulator
