// Where a thread finds itself in the launch, beyond what the core knows.
#include "simulator/amdgpu/Handlers.h"
#include "simulator/core/Launch.h"
#include "simulator/core/Warp.h"

#include <cstring>

namespace triton::simulator::amdgpu {

/// The block of version 5 of the code object. What the simulator does not have is zero: it has no buffer for printing,
/// no heap and no queue.
std::vector<std::byte> makeHiddenArguments(const LaunchConfiguration &configuration) {
  std::vector<std::byte> block(256);
  auto put = [&](std::size_t offset, auto value) { std::memcpy(block.data() + offset, &value, sizeof(value)); };
  for (unsigned axis = 0; axis < 3; ++axis) {
    put(4 * axis, uint32_t(configuration.grid[axis]));
    put(12 + 2 * axis, uint16_t(axis == 0 ? configuration.threads : 1));
  }
  put(64, uint16_t(3)); // the axes of the grid
  put(120, uint32_t(configuration.dynamicSharedBytes));
  return block;
}

static void addressHidden(Warp &warp, const DecodedInstruction &instruction) {
  auto address = reinterpret_cast<uint64_t>(warp.state.launch.hiddenArguments.data());
  warp.forEachLane<uint64_t>(instruction.result, [=](unsigned) { return address; });
}

/// The immediate of s.getreg: bits 5:0 are the register, 10:6 the first bit of the field, 15:11 its width minus one.
static void readField(Warp &warp, const DecodedInstruction &instruction, uint32_t value) {
  unsigned first = instruction.immediate >> 6 & 31, width = (instruction.immediate >> 11 & 31) + 1;
  uint32_t field = uint32_t((uint64_t(value) >> first) & ((uint64_t(1) << width) - 1));
  warp.forEachLane<uint32_t>(instruction.result, [=](unsigned) { return field; });
}

/// HW_ID: the wave's slot in bits 3:0, the SIMD in 5:4, the compute unit in 11:8, the shader engine in 15:13.
static void readHardwareId(Warp &warp, const DecodedInstruction &instruction) {
  auto unit = uint32_t(warp.state.linearId % multiprocessors);
  readField(warp, instruction,
            (warp.index / 4 & 15) | (warp.index % 4) << 4 | (unit & 15) << 8 | (unit >> 4 & 7) << 13);
}

/// HW_ID1 of the later generations: the work-group processor in bits 13:10, the shader engine in 20:18.
static void readHardwareId1(Warp &warp, const DecodedInstruction &instruction) {
  auto unit = uint32_t(warp.state.linearId % multiprocessors);
  readField(warp, instruction, (unit & 15) << 10 | (unit >> 4 & 7) << 18);
}

/// XCC_ID: programs are dealt to the eight dies in turn.
static void readDie(Warp &warp, const DecodedInstruction &instruction) {
  readField(warp, instruction, uint32_t(warp.state.linearId % 8));
}

Handler hiddenArgumentsHandler() { return &addressHidden; }
Handler findHardwareRegister(unsigned number) {
  return number == 4 ? &readHardwareId : number == 20 ? &readDie : number == 23 ? &readHardwareId1 : Handler(nullptr);
}

} // namespace triton::simulator::amdgpu
