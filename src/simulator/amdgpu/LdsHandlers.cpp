// Copies that go from global memory to LDS without a register, and reads of LDS that transpose.
#include "simulator/amdgpu/Buffer.h"
#include "simulator/amdgpu/Handlers.h"
#include "simulator/amdgpu/LaneMoves.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace triton::simulator::amdgpu {

/// Lane l writes at the destination, which is the same in all lanes, plus l times the size of what a lane copies. The
/// hardware cannot write less than four bytes. Each instruction is a group of its own, for which s.waitcnt waits.
template <typename SourceOf>
static void copyToLds(Warp &warp, const DecodedInstruction &instruction, RegisterOffset destination, uint32_t size,
                      uint32_t offset, SourceOf sourceOf) {
  uint64_t first = warp.read<uint64_t>(destination)[warp.firstLane()] + offset;
  uint32_t bytes = std::max(size, 4u);
  constexpr uint8_t alignment = 4;
  warp.forActiveLanes([&](unsigned lane) {
    auto [source, sourceBytes] = sourceOf(lane);
    warp.enqueueCopy({warp.hostAddress<true>(first + lane * bytes), source, bytes, sourceBytes, alignment,
                      uint8_t(lane), instruction.location});
  });
  warp.commitCopies();
}

/// global.load.lds(source, destination, size, offset, cache bits). The offset applies to both addresses.
static void copyGlobalToLds(Warp &warp, const DecodedInstruction &instruction) {
  const auto &list = *static_cast<const OperandList *>(instruction.detail);
  const auto *sources = warp.read<uint64_t>(list.inputs[0]);
  uint32_t size = uniformOperand(warp, list.inputs[2]), offset = uniformOperand(warp, list.inputs[3]);
  copyToLds(warp, instruction, list.inputs[1], size, offset,
            [&](unsigned lane) { return std::pair(uintptr_t(sources[lane] + int32_t(offset)), size); });
}

/// raw.ptr.buffer.load.lds: the inputs are the two registers of the resource, the offsets of the lane and of the warp,
/// the destination, the size and the offset that applies to both addresses. A lane beyond the buffer writes zeros.
static void copyBufferToLds(Warp &warp, const DecodedInstruction &instruction) {
  const auto &list = *static_cast<const OperandList *>(instruction.detail);
  uint32_t size = uniformOperand(warp, list.inputs[5]), offset = uniformOperand(warp, list.inputs[6]);
  copyToLds(warp, instruction, list.inputs[4], size, offset, [&](unsigned lane) {
    BufferPlace place = findBufferPlace(warp, list, lane, size, /*isStore=*/false, instruction.location, offset);
    if (place.kind == BufferPlace::Kind::Missed)
      reportBufferMiss(warp, place, size, /*isStore=*/false, lane, instruction.location);
    return std::pair(place.address, place.kind == BufferPlace::Kind::Inside ? size : 0u);
  });
}

/// Each lane of a group reads `bytes` bytes at its own address, which are n elements of type Element. Element r of lane
/// i of the group is element i % n of what lane i / n + group / n * r read.
template <typename Element, unsigned bytes, unsigned group>
static void readTransposed(Warp &warp, const DecodedInstruction &instruction) {
  needAllLanes(warp, instruction);
  const auto &list = *static_cast<const OperandList *>(instruction.detail);
  const auto *pointers = warp.read<uint64_t>(list.inputs[0]);
  constexpr unsigned elements = bytes / sizeof(Element);
  using Row = std::array<Element, elements>;
  std::array<Row, mostLanes> rows{}, results{};
  warp.forActiveLanes([&](unsigned lane) {
    uintptr_t address = warp.hostAddress<true>(pointers[lane]);
    if (const std::byte *memory = warp.access(address, bytes, bytes, readAccess, lane, instruction.location))
      std::memcpy(&rows[lane], memory, bytes);
  });
  for (unsigned lane = 0; lane < warp.program.laneCount; ++lane)
    for (unsigned r = 0; r < elements; ++r) {
      unsigned place = lane % group, source = lane / group * group + place / elements + group / elements * r;
      results[lane][r] = rows[source][place % elements];
    }
  for (auto [part, output] : llvm::enumerate(list.outputs))
    withElement(list.outputBytes[part], [&]<typename T>() {
      const auto *bytesOfPart = reinterpret_cast<const std::byte *>(results.data()) + part * sizeof(T);
      warp.forEachLane<T>(output, [=](unsigned lane) {
        T value;
        std::memcpy(&value, bytesOfPart + lane * sizeof(Row), sizeof(T));
        return value;
      });
    });
}

Handler globalToLds() { return &copyGlobalToLds; }
Handler bufferToLds() { return &copyBufferToLds; }
Handler transposingRead(unsigned bits) {
  return bits == 16 ? &readTransposed<uint16_t, 8, 16> : bits == 8 ? &readTransposed<uint8_t, 8, 16> : Handler(nullptr);
}
Handler wideTransposingRead() { return &readTransposed<uint16_t, 16, 8>; }

} // namespace triton::simulator::amdgpu
