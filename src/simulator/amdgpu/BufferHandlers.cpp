// Accesses through buffer resources.
#include "simulator/amdgpu/Buffer.h"
#include "simulator/amdgpu/Handlers.h"
#include "simulator/amdgpu/LaneMoves.h"
#include "simulator/core/LaneRuns.h"
#include "simulator/core/Launch.h"
#include "simulator/core/MemoryReports.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

namespace triton::simulator::amdgpu {

void reportBufferMiss(Warp &warp, const BufferPlace &place, uint32_t size, bool isStore, unsigned lane,
                      uint32_t location) {
  if (warp.state.launch.reachable[location].meant())
    return reportMiss(warp, place.address, size, {.writes = isStore}, lane, location);
  AccessKind kind{.writes = isStore};
  const Allocation *array = place.array;
  std::string text = array ? llvm::formatv("{0} of {1} bytes at byte {2} of `{3}`, which has {4} bytes", verb(kind),
                                           size, int64_t(place.address - array->begin), array->name, array->size)
                                 .str()
                           : llvm::formatv("{0} of {1} bytes through a buffer that is in none of the kernel's arrays",
                                           verb(kind), size)
                                 .str();
  warp.markOnMap(FindingKind::OutOfBounds, array, place.address, size, isStore, location);
  warp.report(FindingKind::OutOfBounds, location, lane, std::move(text));
}

constexpr uint32_t off = uint32_t(1) << 31; // the offset by which a lane is switched off

BufferPlace findBufferPlace(Warp &warp, const OperandList &list, unsigned lane, uint32_t size, bool isStore,
                            uint32_t location, uint32_t more) {
  uint64_t base = warp.read<uint64_t>(list.inputs[0])[lane], words = warp.read<uint64_t>(list.inputs[1])[lane];
  uint32_t offset = warp.read<uint32_t>(list.inputs[2])[lane] + more,
           uniform = warp.read<uint32_t>(list.inputs[3])[lane];
  BufferPlace place{uintptr_t(base + offset + uniform), nullptr, BufferPlace::Kind::Inside};
  if (offset & off) {
    place.kind = BufferPlace::Kind::SwitchedOff;
    return place;
  }
  // The parameter from which the base was computed says which array is meant. Where it is not known, the base need not
  // be in that array: what all lanes add may be part of it, such as the start of a block that begins before the array,
  // and another array may be there.
  const GlobalMemory &memory = warp.state.launch.memory;
  place.array = memory.find(base, 1);
  const ReachableMemory &reachable = warp.state.launch.reachable[location];
  bool isAllowed = !reachable.meant() || reachable.allows(place.address, size, isStore);
  if (!isAllowed || !memory.find(place.address, size))
    place.kind = BufferPlace::Kind::Missed;
  else if (uint64_t(offset) + size > uint32_t(words))
    place.kind = BufferPlace::Kind::SwitchedOff;
  return place;
}

/// Whether all lanes have the value of the first one.
template <typename T> static bool isUniform(const Warp &warp, const T *values) {
  return warp.lanesWhere([=](unsigned lane) { return values[lane] != values[0]; }) == 0;
}

/// Finds the places of all lanes at once, if each lane is switched off by its offset or accesses memory that it may
/// access. Otherwise returns false.
static bool findPlacesTogether(Warp &warp, const OperandList &list, uint32_t size, bool isStore, uint32_t location) {
  const auto *bases = warp.read<uint64_t>(list.inputs[0]), *words = warp.read<uint64_t>(list.inputs[1]);
  const auto *offsets = warp.read<uint32_t>(list.inputs[2]), *uniforms = warp.read<uint32_t>(list.inputs[3]);
  if (warp.active != warp.program.allLanes() || !isUniform(warp, bases) || !isUniform(warp, words) ||
      !isUniform(warp, uniforms))
    return false;
  LaneMask lanes = warp.lanesWhere([=](unsigned lane) { return (offsets[lane] & off) == 0; });
  uint32_t least = off, most = 0; // of the offsets of these lanes
  for (unsigned lane = 0; lane < warp.program.laneCount; ++lane) {
    least = std::min(least, offsets[lane]);
    most = std::max(most, offsets[lane] & off ? 0 : offsets[lane]);
  }
  if (lanes != 0) {
    uintptr_t begin = bases[0] + least + uniforms[0];
    std::size_t length = most - least + std::size_t(size);
    if (!warp.state.launch.reachable[location].allows(begin, length, isStore) || !findArray(warp, begin, length) ||
        uint64_t(most) + size > uint32_t(words[0]))
      return false;
  }
  warp.forEachLane<uint64_t>(list.outputs[0], [=](unsigned lane) { return bases[0] + offsets[lane] + uniforms[0]; });
  warp.writeMask(list.outputs[1], lanes);
  return true;
}

/// The immediate is the size of the access times 2, plus 1 if it writes. The outputs are the addresses and the lanes
/// that access memory.
static void findPlaces(Warp &warp, const DecodedInstruction &instruction) {
  const auto &list = *static_cast<const OperandList *>(instruction.detail);
  auto size = uint32_t(instruction.immediate >> 1);
  bool isStore = instruction.immediate & 1;
  if (findPlacesTogether(warp, list, size, isStore, instruction.location))
    return;
  auto *addresses = warp.write<uint64_t>(list.outputs[0]);
  LaneMask lanes = 0;
  warp.forActiveLanes([&](unsigned lane) {
    BufferPlace place = findBufferPlace(warp, list, lane, size, isStore, instruction.location);
    addresses[lane] = place.address;
    if (place.kind == BufferPlace::Kind::Inside)
      lanes |= LaneMask(1) << lane;
    else if (place.kind == BufferPlace::Kind::Missed)
      reportBufferMiss(warp, place, size, isStore, lane, instruction.location);
  });
  warp.writeMask(list.outputs[1], lanes);
}

/// Executes the instruction in `detail` in the lanes of the mask.
static void executeRestricted(Warp &warp, const DecodedInstruction &instruction) {
  const auto &access = *static_cast<const DecodedInstruction *>(instruction.detail);
  LaneMask all = warp.active;
  warp.active = all & warp.readMask(instruction.operands[0]);
  access.execute(warp, access);
  warp.active = all;
}

Handler bufferPlacesHandler() { return &findPlaces; }
Handler restrictedHandler() { return &executeRestricted; }

} // namespace triton::simulator::amdgpu
