// Instructions that give a lane the value of another lane.
#pragma once

#include "simulator/core/LanePermutation.h"
#include "simulator/core/Warp.h"

#include <array>

namespace triton::simulator::amdgpu {

/// Calls `function`, a template over a type, for the unsigned integer of this size.
template <typename Function> void withElement(unsigned bytes, Function function) {
  switch (bytes) {
  case 1:
    return function.template operator()<uint8_t>();
  case 2:
    return function.template operator()<uint16_t>();
  case 4:
    return function.template operator()<uint32_t>();
  default:
    return function.template operator()<uint64_t>();
  }
}

// What a lane receives: the value of the lane with this number, or one of these.
constexpr int keepOld = -1, becomeZero = -2;
using LaneSources = std::array<int, mostLanes>;

template <typename SourceOf> LaneSources sourcesOf(const Warp &warp, SourceOf sourceOf) {
  LaneSources sources{};
  for (unsigned lane = 0; lane < warp.program.laneCount; ++lane)
    sources[lane] = sourceOf(lane);
  return sources;
}

/// Moves each component of a value, whose registers are the inputs from `firstValue` on, to the outputs. Those from
/// `firstOld` on are what lanes keep.
inline void moveLanes(Warp &warp, const OperandList &list, unsigned firstValue, unsigned firstOld,
                      const LaneSources &sources) {
  for (unsigned i = 0; i < list.outputs.size(); ++i)
    withElement(list.outputBytes[i], [&]<typename T>() {
      const T *values = warp.read<T>(list.inputs[firstValue + i]), *old = warp.read<T>(list.inputs[firstOld + i]);
      if constexpr (sizeof(T) == sizeof(uint32_t)) {
        uint32_t moved[mostLanes];
        permuteLanes(values, reinterpret_cast<const uint32_t *>(sources.data()), warp.program.laneCount, moved);
        warp.forEachLane<T>(list.outputs[i], [=, results = &moved[0], from = sources.data()](unsigned lane) {
          return from[lane] >= 0 ? results[lane] : from[lane] == keepOld ? old[lane] : T(0);
        });
      } else {
        warp.forEachLane<T>(list.outputs[i], [=, from = sources.data()](unsigned lane) {
          int source = from[lane];
          return source >= 0 ? values[source] : source == keepOld ? old[lane] : T(0);
        });
      }
    });
}

/// The value of an operand that is the same in all lanes.
inline uint32_t uniformOperand(const Warp &warp, RegisterOffset offset) {
  return warp.read<uint32_t>(offset)[warp.firstLane()];
}
inline bool uniformFlag(const Warp &warp, RegisterOffset offset) {
  return (warp.readMask(offset) >> warp.firstLane() & 1) != 0;
}

inline bool isActive(const Warp &warp, unsigned lane) { return (warp.active >> lane & 1) != 0; }

/// Reports an instruction that means something only if all lanes execute it.
void needAllLanes(Warp &warp, const DecodedInstruction &instruction);

} // namespace triton::simulator::amdgpu
