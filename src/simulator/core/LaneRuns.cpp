#include "simulator/core/LaneRuns.h"

#include "simulator/core/Launch.h"

#include "llvm/ADT/bit.h"

#include <algorithm>
#include <cstring>

namespace triton::simulator {

namespace {
/// Lanes that access neighbouring places, each the same number of bytes.
struct LaneRun {
  uintptr_t begin, end;
  LaneMask lanes;
  const uint64_t *addresses; ///< of all lanes
  std::size_t size;          ///< of each access
};
} // namespace

/// Whether lane `i` accesses what follows the access of lane `i - 1`, for all lanes of a group.
static bool areNeighbours(const uint64_t *addresses, std::size_t size) {
  uint64_t difference = 0;
  for (unsigned i = 0; i < laneGroup; ++i)
    difference |= addresses[i] - (addresses[0] + i * size);
  return difference == 0;
}

/// The first lanes whose accesses are to neighbouring places. Some of them may access a place of others of them.
static LaneRun findRun(const uint64_t *addresses, LaneMask lanes, std::size_t size) {
  constexpr LaneMask group = (LaneMask(1) << laneGroup) - 1;
  uint64_t begin = addresses[llvm::countr_zero(lanes)];
  LaneRun run{begin, begin, 0, addresses, size};
  while (LaneMask rest = lanes & ~run.lanes) {
    auto lane = unsigned(llvm::countr_zero(rest));
    bool isNext = addresses[lane] == run.end;
    if (lane % laneGroup == 0 && (rest >> lane & group) == group) {
      if (isNext && areNeighbours(addresses + lane, size)) {
        run.end += laneGroup * size;
        run.lanes |= group << lane;
        continue;
      }
      if (addresses[lane] == begin && areNeighbours(addresses + lane, 0)) {
        run.end = std::max(run.end, begin + size);
        run.lanes |= group << lane;
        continue;
      }
    }
    if (isNext)
      run.end += size;
    else if (addresses[lane] - begin >= run.end - begin || (addresses[lane] - begin) % size != 0)
      break;
    run.lanes |= LaneMask(1) << lane;
  }
  return run;
}

const Allocation *findArray(Warp &warp, uintptr_t address, std::size_t size) {
  const Allocation *array = warp.recentArray;
  if (array && isInside(address, size, array->begin, array->size))
    return array;
  array = warp.state.launch.memory.find(address, size);
  if (array)
    warp.recentArray = array;
  return array;
}

/// Whether one of these bytes may be a part of a word that stands at multiples of its size: one that is equal counts
/// for accesses of a byte each, a pair at an even address for larger ones. What is found need not be a whole access.
static bool mayHold(const std::byte *bytes, std::size_t length, uint32_t word, std::size_t accessed) {
  const auto phase = reinterpret_cast<uintptr_t>(bytes) % sizeof(word);
  const bool areBytes = accessed == 1 || phase % 2 != 0;
  const uint64_t twice = uint64_t(word) << 32 | word, pattern = twice >> (8 * phase);
  const uint64_t ones = areBytes ? 0x0101010101010101 : 0x0001000100010001, tops = ones << (areBytes ? 7 : 15);
  const uint64_t wanted = uint64_t(uint32_t(pattern)) << 32 | uint32_t(pattern);
  // Where a byte or a pair is equal, the difference is zero, and only there a one is borrowed from its top bit, at
  // least in the lowest such place.
  auto foundIn = [=](uint64_t eight) TRITON_ALWAYS_INLINE {
    uint64_t difference = eight ^ wanted;
    return (difference - ones) & ~difference & tops;
  };
  uint64_t found = 0, last = 0;
  std::size_t whole = length / sizeof(last) * sizeof(last);
  for (std::size_t i = 0; i < whole; i += sizeof(last)) {
    uint64_t eight;
    std::memcpy(&eight, bytes + i, sizeof(eight));
    found |= foundIn(eight);
  }
  if (whole == length)
    return found != 0;
  last = ~wanted; // nothing of it is equal
  std::memcpy(&last, bytes + whole, length - whole);
  return (found | foundIn(last)) != 0;
}

/// Records the accesses of a run if all of them are allowed.
static bool recordRun(Warp &warp, RecordedLanes &recorded, const LaneRun &run, AccessKind kind, uint32_t location,
                      LaneKeeps keeps) {
  const std::size_t length = run.end - run.begin;
  if (!warp.state.launch.reachable[location].allows(run.begin, length, kind.writes))
    return false;
  const Allocation *array = findArray(warp, run.begin, length);
  if (!array || !array->live)
    return false;
  const uint32_t unwritten = warp.state.launch.configuration.unwritten;
  if (unwritten != 0 && !kind.writes &&
      mayHold(reinterpret_cast<const std::byte *>(run.begin), length, unwritten, run.size))
    return false;
  auto found = [&](std::size_t begin, std::size_t end, GlobalMemory::Outcome outcome, bool areWrites) {
    for (LaneMask rest = run.lanes; rest; rest &= rest - 1) {
      auto lane = unsigned(llvm::countr_zero(rest));
      std::size_t place = run.addresses[lane] - array->begin;
      if (place >= end || place + run.size <= begin ||
          (areWrites && keeps(lane, std::max(begin, place) - place, std::min(end - place, run.size))))
        continue;
      LaneMask bit = LaneMask(1) << lane;
      recorded.outcomes[lane] = recorded.racing & bit ? std::max(recorded.outcomes[lane], outcome) : outcome;
      recorded.racing |= bit;
    }
  };
  warp.state.launch.memory.recordAccess(*array, run.begin, length, kind, warp.clock, found);
  recorded.lanes |= run.lanes;
  return true;
}

RecordedLanes recordGlobalTogether(Warp &warp, const uint64_t *addresses, LaneMask lanes, std::size_t size,
                                   std::size_t alignment, AccessKind kind, uint32_t location, LaneKeeps keeps) {
  RecordedLanes recorded;
  bool isWatched = warp.counter || warp.state.launch.watch || (kind.writes && warp.state.cluster.watchesWrites);
  if (isWatched || kind.isStrong || isPlain())
    return recorded;
  uintptr_t end = 0; // of what the lanes before access
  for (LaneMask rest = lanes; rest;) {
    LaneRun run = findRun(addresses, rest, size);
    rest &= ~run.lanes;
    bool isAligned = run.begin % alignment == 0 && (size % alignment == 0 || run.end - run.begin == size);
    if (!isAligned || !recordRun(warp, recorded, run, kind, location, keeps))
      continue;
    bool isRow = run.end - run.begin == size * unsigned(llvm::popcount(run.lanes));
    recorded.isRow = isRow && run.lanes == warp.program.allLanes();
    recorded.isOnePlace = run.lanes == lanes && run.end - run.begin == size;
    recorded.mayOverlap |= run.begin < end || !isRow;
    end = run.end;
    warp.lastAccess = location;
    warp.lastAddress = addresses[mostLanes - 1 - unsigned(llvm::countl_zero(run.lanes))];
  }
  warp.state.cluster.progress += kind.writes ? unsigned(llvm::popcount(recorded.lanes)) : 0;
  return recorded;
}

RecordedLanes recordSharedTogether(Warp &warp, const uint64_t *offsets, LaneMask lanes, std::size_t size,
                                   std::size_t alignment, AccessKind kind) {
  RecordedLanes recorded;
  if (warp.counter || kind.isStrong || isPlain() || size % alignment != 0)
    return recorded;
  for (LaneMask rest = lanes; rest;) {
    LaneRun run = findRun(offsets, rest, size);
    rest &= ~run.lanes;
    if (run.begin % alignment != 0 || run.end > warp.state.shared.size() || run.end < run.begin ||
        !warp.state.shared.recordIfFine(run.begin, run.end - run.begin, kind, warp.clock))
      continue;
    recorded.lanes |= run.lanes;
    recorded.isRow = run.lanes == warp.program.allLanes() && run.end - run.begin == size * warp.program.laneCount;
    recorded.isOnePlace = run.lanes == lanes && run.end - run.begin == size;
  }
  warp.state.cluster.sharedWrites += kind.writes ? unsigned(llvm::popcount(recorded.lanes)) : 0;
  return recorded;
}

} // namespace triton::simulator
