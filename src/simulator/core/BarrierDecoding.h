// Instructions on barriers in shared memory, for the instruction sets that have them.
#pragma once

#include "simulator/core/Decoder.h"

namespace triton::simulator {

/// The operands are those of `MemoryBarrierOperation`: the address, a value, and the lanes that execute it.
inline void emitBarrierOperation(Decoder &decoder, MemoryBarrierOperation operation,
                                 std::optional<RegisterOffset> result, RegisterOffset address, RegisterOffset value,
                                 RegisterOffset lanes) {
  operation.hasResult = result.has_value();
  auto detail = std::make_shared<MemoryBarrierOperation>(operation);
  decoder.emit(memoryBarrierHandler(operation.kind), result.value_or(0), {address, value, lanes}).detail = detail.get();
  decoder.program.details.push_back(std::move(detail));
  decoder.program.hasPartialBarriers = true;
}

} // namespace triton::simulator
