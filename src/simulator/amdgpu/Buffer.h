// Where an access through a buffer resource goes.
#pragma once

#include "simulator/core/Warp.h"

namespace triton::simulator::amdgpu {

struct BufferPlace {
  enum class Kind : uint8_t {
    Inside,
    SwitchedOff, ///< beyond the resource: a read gives zero, a write does nothing
    Missed,      ///< outside all arrays
  };
  uintptr_t address;
  const Allocation *array; ///< the one that contains the resource's base, if any
  Kind kind;
};

/// The inputs of the list are the two registers of a resource, the lane's offset and the warp's. `more` is added to the
/// lane's offset. `location` is that of the access.
BufferPlace findBufferPlace(Warp &warp, const OperandList &list, unsigned lane, uint32_t size, bool isStore,
                            uint32_t location, uint32_t more = 0);
void reportBufferMiss(Warp &warp, const BufferPlace &place, uint32_t size, bool isStore, unsigned lane,
                      uint32_t location);

} // namespace triton::simulator::amdgpu
