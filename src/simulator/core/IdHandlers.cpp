// What a thread asks about its place in the launch: 32-bit numbers.
#include "simulator/core/Handlers.h"
#include "simulator/core/Launch.h"
#include "simulator/core/Warp.h"

namespace triton::simulator {

/// The same number for all lanes.
template <uint32_t (*value)(const Warp &)> static void uniform(Warp &warp, const DecodedInstruction &instruction) {
  uint32_t number = value(warp);
  warp.forEachLane<uint32_t>(instruction.result, [&](unsigned) { return number; });
}

template <unsigned axis> static uint32_t programId(const Warp &warp) { return warp.state.id[axis]; }
template <unsigned axis> static uint32_t programCount(const Warp &warp) {
  return warp.state.launch.configuration.grid[axis];
}
static uint32_t threadCount(const Warp &warp) { return warp.state.launch.configuration.threads; }
static uint32_t warpId(const Warp &warp) { return warp.index; }

static void threadId(Warp &warp, const DecodedInstruction &instruction) {
  uint32_t first = warp.index * warp.program.laneCount;
  warp.forEachLane<uint32_t>(instruction.result, [&](unsigned lane) { return first + lane; });
}

static void laneId(Warp &warp, const DecodedInstruction &instruction) {
  warp.forEachLane<uint32_t>(instruction.result, [](unsigned lane) { return lane; });
}

Handler programIdHandler(unsigned axis) {
  return axis == 0 ? &uniform<programId<0>> : axis == 1 ? &uniform<programId<1>> : &uniform<programId<2>>;
}
Handler programCountHandler(unsigned axis) {
  return axis == 0 ? &uniform<programCount<0>> : axis == 1 ? &uniform<programCount<1>> : &uniform<programCount<2>>;
}
Handler threadIdHandler() { return &threadId; }
Handler threadCountHandler() { return &uniform<threadCount>; }
Handler laneIdHandler() { return &laneId; }
Handler warpIdHandler() { return &uniform<warpId>; }

} // namespace triton::simulator
