#include "simulator/core/Handlers.h"
#include "simulator/core/Launch.h"
#include "simulator/core/MemoryReports.h"
#include "simulator/core/Warp.h"

#include <algorithm>
#include <cstring>
#include <mutex>

namespace triton::simulator {

/// Moves `count` elements between a lane's part of consecutive registers and memory.
template <unsigned elementBytes, bool store>
static void transfer(Warp &warp, RegisterOffset firstRegister, unsigned count, unsigned lane, std::byte *memory) {
  auto stride = RegisterOffset(warp.program.registerSize(elementBytes));
  for (unsigned i = 0; i < count; ++i) {
    RegisterOffset offset = firstRegister + i * stride;
    if constexpr (elementBytes == 0) {
      if constexpr (store) {
        memory[i] = std::byte((warp.readMask(offset) >> lane) & 1);
      } else {
        LaneMask *mask = warp.write<LaneMask>(offset), bit = LaneMask(1) << lane;
        *mask = memory[i] != std::byte(0) ? *mask | bit : *mask & ~bit;
      }
    } else {
      std::byte *value = const_cast<std::byte *>(warp.read<std::byte>(offset)) + lane * elementBytes;
      if constexpr (store)
        std::memcpy(memory + i * elementBytes, value, elementBytes);
      else
        std::memcpy(value, memory + i * elementBytes, elementBytes);
    }
  }
}

/// A store that counts as progress if it changes memory.
template <unsigned elementBytes>
static void storeWatched(Warp &warp, RegisterOffset firstRegister, unsigned count, unsigned lane, std::byte *memory) {
  llvm::SmallVector<std::byte, 16> before(memory, memory + count * std::max(elementBytes, 1u));
  transfer<elementBytes, true>(warp, firstRegister, count, lane, memory);
  warp.state.cluster.progress += !std::equal(before.begin(), before.end(), memory);
}

namespace {
/// What the lanes of one store write to global memory. When all have written, each value must still be there.
template <unsigned elementBytes> class StoredElements {
public:
  void add(RegisterOffset first, unsigned count, unsigned lane, const std::byte *memory) {
    runs.push_back({first, count, lane, memory});
  }

  void check(Warp &warp, uint32_t location) const {
    constexpr unsigned bytes = std::max(elementBytes, 1u);
    auto stride = RegisterOffset(warp.program.registerSize(elementBytes));
    for (const Run &run : runs) {
      for (unsigned i = 0; i < run.count; ++i) {
        std::byte own[bytes];
        transfer<elementBytes, true>(warp, run.first + i * stride, 1, run.lane, own);
        const std::byte *stored = run.memory + i * bytes;
        if (std::memcmp(own, stored, bytes) != 0) [[unlikely]]
          return reportConflict(warp, reinterpret_cast<uintptr_t>(stored), {own, bytes}, run.lane, location);
      }
    }
  }

private:
  struct Run {
    RegisterOffset first;
    unsigned count, lane;
    const std::byte *memory;
  };
  llvm::SmallVector<Run, mostLanes> runs;
};
} // namespace

/// Records ordinary accesses of all lanes to the program's shared memory, those of neighbouring lanes to neighbouring
/// places at once. Returns how many lanes that was possible for, lowest first: the next one may have to be reported.
static unsigned recordTogether(Warp &warp, const uint64_t *pointers, std::size_t size, std::size_t alignment,
                               AccessKind kind) {
  const unsigned lanes = warp.program.laneCount;
  SharedMemory &memory = warp.state.shared;
  if (warp.counter || kind.isStrong || warp.active != warp.program.allLanes() || size % alignment != 0)
    return 0;
  unsigned recorded = 0;
  for (unsigned lane = 0; lane < lanes;) {
    uint64_t begin = pointers[lane], end = begin + size;
    for (++lane; lane < lanes && (pointers[lane] == end || pointers[lane] == pointers[lane - 1]); ++lane)
      end = pointers[lane] + size;
    if (begin % alignment != 0 || end > memory.size() || end < begin ||
        !memory.recordIfFine(begin, end - begin, kind, warp.clock))
      break;
    recorded = lane;
  }
  warp.state.cluster.sharedWrites += kind.writes ? recorded : 0;
  return recorded;
}

/// Loads and stores. They do not use `detail`; the immediate is alignment | count << 32.
template <unsigned elementBytes, bool shared, bool store>
static void accessMemory(Warp &warp, const DecodedInstruction &instruction) {
  const uint64_t *pointers = warp.read<uint64_t>(instruction.operands[0]);
  RegisterOffset values = store ? instruction.operands[1] : instruction.result;
  unsigned count = unsigned(uint64_t(instruction.immediate) >> 32);
  std::size_t alignment = uint32_t(instruction.immediate);
  std::size_t size = count * std::max(elementBytes, 1u);
  const AccessKind kind{store, instruction.order.isStrong, instruction.order.scope};
  StoredElements<elementBytes> stored;
  const unsigned together = shared ? recordTogether(warp, pointers, size, alignment, kind) : 0;
  warp.forActiveLanes([&](unsigned lane) {
    uintptr_t address = warp.hostAddress<shared>(pointers[lane]);
    std::byte *memory = lane < together ? reinterpret_cast<std::byte *>(address)
                                        : warp.access(address, size, alignment, kind, lane, instruction.location);
    if (!memory)
      return;
    if (store && !shared && warp.state.cluster.watchesWrites) [[unlikely]]
      storeWatched<elementBytes>(warp, values, count, lane, memory);
    else
      transfer<elementBytes, store>(warp, values, count, lane, memory);
    if (kind.isStrong) [[unlikely]]
      warp.synchronize(address, instruction.order, !store, store);
    else if constexpr (store && !shared)
      stored.add(values, count, lane, memory);
  });
  stored.check(warp, instruction.location);
}

/// Masked accesses: each element has its own mask, and only enabled elements are accessed. The masks are the inputs of
/// the OperandList in `detail`. Disabled elements of a load keep the pass-through, which the decoder put there.
template <unsigned elementBytes, bool shared, bool store>
static void accessMasked(Warp &warp, const DecodedInstruction &instruction) {
  const uint64_t *pointers = warp.read<uint64_t>(instruction.operands[0]);
  RegisterOffset values = store ? instruction.operands[1] : instruction.result;
  const auto &masks = static_cast<const OperandList *>(instruction.detail)->inputs;
  unsigned count = unsigned(masks.size());
  std::size_t alignment = uint32_t(instruction.immediate), element = std::max(elementBytes, 1u);
  constexpr AccessKind kind = store ? writeAccess : readAccess;
  StoredElements<elementBytes> stored;
  warp.forActiveLanes([&](unsigned lane) {
    uintptr_t address = warp.hostAddress<shared>(pointers[lane]);
    auto move = [&](RegisterOffset first, unsigned elements, std::byte *memory) {
      if (memory && store && !shared && warp.state.cluster.watchesWrites)
        storeWatched<elementBytes>(warp, first, elements, lane, memory);
      else if (memory)
        transfer<elementBytes, store>(warp, first, elements, lane, memory);
      if (memory && store && !shared)
        stored.add(first, elements, lane, memory);
    };
    bool all = llvm::all_of(masks, [&](RegisterOffset mask) { return (warp.readMask(mask) >> lane) & 1; });
    if (all) {
      move(values, count, warp.access(address, count * element, alignment, kind, lane, instruction.location));
      return;
    }
    for (unsigned i = 0; i < count; ++i) {
      if (!((warp.readMask(masks[i]) >> lane) & 1))
        continue;
      move(values + i * RegisterOffset(warp.program.registerSize(elementBytes)), 1,
           warp.access(address + i * element, element, std::min(alignment, element), kind, lane, instruction.location));
    }
  });
  stored.check(warp, instruction.location);
}

template <bool shared, bool store, bool masked> static Handler findAccess(unsigned elementBytes) {
  switch (elementBytes) {
#define TRITON_CASE(bytes)                                                                                             \
  case bytes:                                                                                                          \
    return masked ? &accessMasked<bytes, shared, store> : &accessMemory<bytes, shared, store>;
    TRITON_CASE(0)
    TRITON_CASE(1)
    TRITON_CASE(2)
    TRITON_CASE(4)
    TRITON_CASE(8)
#undef TRITON_CASE
  default:
    return nullptr;
  }
}

template <bool store> static Handler findAccess(const AccessShape &shape) {
  if (shape.shared)
    return shape.masked ? findAccess<true, store, true>(shape.elementBytes)
                        : findAccess<true, store, false>(shape.elementBytes);
  return shape.masked ? findAccess<false, store, true>(shape.elementBytes)
                      : findAccess<false, store, false>(shape.elementBytes);
}

Handler findLoad(const AccessShape &shape) { return findAccess<false>(shape); }
Handler findStore(const AccessShape &shape) { return findAccess<true>(shape); }

template <bool toGeneric> static void convertShared(Warp &warp, const DecodedInstruction &instruction) {
  const auto *pointers = warp.read<uint64_t>(instruction.operands[0]);
  auto window = reinterpret_cast<uint64_t>(warp.state.shared.data());
  warp.forEachLane<uint64_t>(
      instruction.result, [&](unsigned lane) { return toGeneric ? pointers[lane] + window : pointers[lane] - window; });
}

Handler sharedToGeneric() { return &convertShared<true>; }
Handler genericToShared() { return &convertShared<false>; }

template <bool fromShared> static void addressOfRank(Warp &warp, const DecodedInstruction &instruction) {
  const auto *pointers = warp.read<uint64_t>(instruction.operands[0]);
  const auto *ranks = warp.read<uint32_t>(instruction.operands[1]);
  const auto &programs = warp.state.cluster.programs;
  auto own = fromShared ? 0 : reinterpret_cast<uint64_t>(warp.state.shared.data());
  warp.forEachLane<uint64_t>(instruction.result, [&](unsigned lane) {
    // For a rank that the cluster does not have, the address is in no memory.
    return ranks[lane] < programs.size() ? programs[ranks[lane]]->shared.hostAddress(pointers[lane] - own) : 0;
  });
}

Handler sharedOfRank(bool fromShared) { return fromShared ? &addressOfRank<true> : &addressOfRank<false>; }

static void addressLocal(Warp &warp, const DecodedInstruction &instruction) {
  auto base = reinterpret_cast<uint64_t>(warp.local);
  warp.forEachLane<uint64_t>(instruction.result, [&](unsigned lane) {
    return base + lane * warp.program.localBytes + uint64_t(instruction.immediate);
  });
}

Handler localAddress() { return &addressLocal; }

static void copyAsynchronously(Warp &warp, const DecodedInstruction &instruction) {
  const auto *destinations = warp.read<uint64_t>(instruction.operands[0]),
             *sources = warp.read<uint64_t>(instruction.operands[1]);
  const auto *sourceBytes = instruction.detail ? warp.read<uint32_t>(instruction.operands[2]) : nullptr;
  auto bytes = uint32_t(instruction.immediate);
  warp.forActiveLanes([&](unsigned lane) {
    warp.enqueueCopy({warp.hostAddress<true>(destinations[lane]), uintptr_t(sources[lane]), bytes,
                      sourceBytes ? std::min(sourceBytes[lane], bytes) : bytes, uint8_t(bytes), uint8_t(lane),
                      instruction.location});
  });
}

static void commitCopies(Warp &warp, const DecodedInstruction &) { warp.commitCopies(); }

static void waitCopies(Warp &warp, const DecodedInstruction &instruction) {
  warp.waitForCopies(unsigned(instruction.immediate));
}

Handler asynchronousCopy() { return &copyAsynchronously; }
Handler commitCopyGroup() { return &commitCopies; }
Handler waitCopyGroup() { return &waitCopies; }

} // namespace triton::simulator
