#include "simulator/core/Handlers.h"
#include "simulator/core/LaneRuns.h"
#include "simulator/core/Launch.h"
#include "simulator/core/MemoryReports.h"
#include "simulator/core/Warp.h"

#include "llvm/ADT/bit.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <type_traits>
#include <utility>

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

/// Whether a lane stores what these bytes, of all that it stores at this place, have already.
template <unsigned elementBytes>
static bool keepsBytes(Warp &warp, RegisterOffset firstRegister, unsigned count, unsigned lane, uintptr_t address,
                       std::size_t begin, std::size_t end) {
  llvm::SmallVector<std::byte, 16> own(count * std::max(elementBytes, 1u));
  transfer<elementBytes, true>(warp, firstRegister, count, lane, own.data());
  return std::memcmp(own.data() + begin, reinterpret_cast<const std::byte *>(address) + begin, end - begin) == 0;
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

template <unsigned bytes>
using UnsignedOfSize =
    std::conditional_t<bytes == 1, uint8_t,
                       std::conditional_t<bytes == 2, uint16_t, std::conditional_t<bytes == 4, uint32_t, uint64_t>>>;

template <typename T, unsigned size, std::size_t... i>
TRITON_ALWAYS_INLINE static inline void alternate(const Vector<T, size> &even, const Vector<T, size> &odd,
                                                  Vector<T, 2 * size> &both, std::index_sequence<i...>) {
  both = __builtin_shufflevector(even, odd, int(i / 2 + i % 2 * size)...);
}
template <typename T, unsigned size, std::size_t... i>
TRITON_ALWAYS_INLINE static inline void takeApart(const Vector<T, 2 * size> &both, Vector<T, size> &even,
                                                  Vector<T, size> &odd, std::index_sequence<i...>) {
  even = __builtin_shufflevector(both, both, int(2 * i)...);
  odd = __builtin_shufflevector(both, both, int(2 * i + 1)...);
}

/// Moves the elements of `lanes` lanes between registers, which lie `stride` elements apart, and a vector with all
/// elements of the first lane, then all of the second, and so on.
template <typename T, unsigned lanes, unsigned count, bool store>
TRITON_ALWAYS_INLINE static inline void moveElements(T *values, std::size_t stride,
                                                     Vector<T, lanes * count> &elements) {
  if constexpr (count == 1) {
    if constexpr (store)
      loadVector(elements, values);
    else
      storeVector(elements, values);
  } else {
    constexpr unsigned half = lanes * count / 2;
    Vector<T, half> even, odd;
    if constexpr (!store)
      takeApart<T, half>(elements, even, odd, std::make_index_sequence<half>());
    moveElements<T, lanes, count / 2, store>(values, 2 * stride, even);
    moveElements<T, lanes, count / 2, store>(values + stride, 2 * stride, odd);
    if constexpr (store)
      alternate<T, half>(even, odd, elements, std::make_index_sequence<2 * half>());
  }
}

/// Moves the elements of all lanes between consecutive registers and the range of bytes that the lanes access in their
/// order. Each lane has `count` elements.
template <typename T, unsigned count, bool store>
static void moveRow(Warp &warp, RegisterOffset firstRegister, std::byte *memory) {
  constexpr unsigned lanes = 16; // at a time, so that vectors stay in registers
  auto *values = const_cast<T *>(warp.read<T>(firstRegister));
  const std::size_t stride = warp.program.registerSize(sizeof(T)) / sizeof(T);
  const unsigned laneCount = warp.program.laneCount;
  runWithVectors([=]() TRITON_ALWAYS_INLINE {
    for (unsigned first = 0; first < laneCount; first += lanes) {
      std::byte *place = memory + first * count * sizeof(T);
      Vector<T, lanes * count> elements;
      if constexpr (!store)
        loadVector(elements, place);
      moveElements<T, lanes, count, store>(values + first, stride, elements);
      if constexpr (store)
        storeVector(elements, place);
    }
  });
}

/// Returns whether it knows the number of elements.
template <unsigned elementBytes, bool store>
static bool moveRow(Warp &warp, RegisterOffset firstRegister, unsigned count, std::byte *memory) {
  if constexpr (elementBytes != 0) {
    using T = UnsignedOfSize<elementBytes>;
    switch (count) {
    case 1:
      return moveRow<T, 1, store>(warp, firstRegister, memory), true;
    case 2:
      return moveRow<T, 2, store>(warp, firstRegister, memory), true;
    case 4:
      return moveRow<T, 4, store>(warp, firstRegister, memory), true;
    case 8:
      return moveRow<T, 8, store>(warp, firstRegister, memory), true;
    }
  }
  return false;
}

/// Gives all active lanes the elements of one place.
template <unsigned elementBytes>
static void spreadElements(Warp &warp, RegisterOffset firstRegister, unsigned count, const std::byte *memory) {
  using T = UnsignedOfSize<elementBytes>;
  for (unsigned i = 0; i < count; ++i) {
    T element;
    std::memcpy(&element, memory + i * sizeof(T), sizeof(T));
    warp.forEachLane<T>(firstRegister + i * RegisterOffset(warp.program.registerSize(sizeof(T))),
                        [=](unsigned) { return element; });
  }
}

namespace {
/// What the lanes of a load or store access: each the same number of bytes at its address.
struct LaneAccess {
  const uint64_t *pointers;
  RegisterOffset values; ///< the first register
  unsigned count;        ///< of elements
  std::size_t alignment;
  AccessKind kind;
  const DecodedInstruction &instruction;
  llvm::ArrayRef<RegisterOffset> initial = {}; ///< what lanes receive that read nothing; empty: what they have
};
} // namespace

/// Gives the active lanes what they receive unless they read something.
template <unsigned elementBytes> static void initialize(Warp &warp, const LaneAccess &access) {
  auto stride = RegisterOffset(warp.program.registerSize(elementBytes));
  for (unsigned i = 0; i < access.initial.size(); ++i) {
    RegisterOffset target = access.values + i * stride;
    if constexpr (elementBytes == 0) {
      warp.writeMask(target, warp.readMask(access.initial[i]));
    } else {
      using T = UnsignedOfSize<elementBytes>;
      const T *values = warp.read<T>(access.initial[i]);
      warp.forEachLane<T>(target, [=](unsigned lane) { return values[lane]; });
    }
  }
}

template <unsigned elementBytes, bool shared, bool store>
static void accessLanes(Warp &warp, const LaneAccess &access, LaneMask lanes) {
  const uint32_t location = access.instruction.location;
  const std::size_t size = access.count * std::max(elementBytes, 1u);
  auto keeps = [&](unsigned lane, std::size_t begin, std::size_t end) {
    return keepsBytes<elementBytes>(warp, access.values, access.count, lane, access.pointers[lane], begin, end);
  };
  const RecordedLanes together =
      shared ? recordSharedTogether(warp, access.pointers, lanes, size, access.alignment, access.kind)
             : recordGlobalTogether(warp, access.pointers, lanes, size, access.alignment, access.kind, location, keeps);
  if (together.isRow && together.racing == 0 &&
      moveRow<elementBytes, store>(warp, access.values, access.count,
                                   reinterpret_cast<std::byte *>(warp.hostAddress<shared>(access.pointers[0]))))
    return;
  if constexpr (!store && elementBytes != 0)
    if (together.isOnePlace && together.racing == 0 && lanes == warp.active) {
      auto address = warp.hostAddress<shared>(access.pointers[warp.firstLane()]);
      return spreadElements<elementBytes>(warp, access.values, access.count,
                                          reinterpret_cast<const std::byte *>(address));
    }
  initialize<elementBytes>(warp, access);
  StoredElements<elementBytes> stored;
  const bool mayConflict = store && !shared && (together.mayOverlap || together.lanes != lanes);
  for (LaneMask rest = lanes; rest; rest &= rest - 1) {
    auto lane = unsigned(llvm::countr_zero(rest));
    LaneMask bit = LaneMask(1) << lane;
    uintptr_t address = warp.hostAddress<shared>(access.pointers[lane]);
    auto *memory = reinterpret_cast<std::byte *>(address);
    if ((together.lanes & bit) == 0)
      memory = warp.access(address, size, access.alignment, access.kind, lane, location,
                           [&](std::size_t begin, std::size_t end) { return store && keeps(lane, begin, end); });
    else if (together.racing & bit) [[unlikely]]
      warp.reportGlobal(together.outcomes[lane], *findArray(warp, address, size), address, size, access.kind, lane,
                        location);
    if (!memory)
      continue;
    if (store && !shared && warp.state.cluster.watchesWrites) [[unlikely]]
      storeWatched<elementBytes>(warp, access.values, access.count, lane, memory);
    else
      transfer<elementBytes, store>(warp, access.values, access.count, lane, memory);
    if (access.kind.isStrong) [[unlikely]]
      warp.synchronize(address, access.instruction.order, !store, store);
    else if (mayConflict)
      stored.add(access.values, access.count, lane, memory);
  }
  stored.check(warp, location);
}

/// Loads and stores. They do not use `detail`; the immediate is alignment | count << 32.
template <unsigned elementBytes, bool shared, bool store>
static void accessMemory(Warp &warp, const DecodedInstruction &instruction) {
  LaneAccess access{warp.read<uint64_t>(instruction.operands[0]),
                    store ? instruction.operands[1] : instruction.result,
                    unsigned(uint64_t(instruction.immediate) >> 32),
                    uint32_t(instruction.immediate),
                    {store, instruction.order.isStrong, instruction.order.scope},
                    instruction};
  accessLanes<elementBytes, shared, store>(warp, access, warp.active);
}

/// Masked accesses: each element has its own mask, and only enabled elements are accessed.
template <unsigned elementBytes, bool shared, bool store>
static void accessMasked(Warp &warp, const DecodedInstruction &instruction) {
  const uint64_t *pointers = warp.read<uint64_t>(instruction.operands[0]);
  RegisterOffset values = store ? instruction.operands[1] : instruction.result;
  const auto count = unsigned(uint64_t(instruction.immediate) >> 32);
  llvm::ArrayRef<RegisterOffset> inputs = static_cast<const OperandList *>(instruction.detail)->inputs;
  llvm::ArrayRef<RegisterOffset> masks = inputs.take_front(count);
  std::size_t alignment = uint32_t(instruction.immediate), element = std::max(elementBytes, 1u);
  const AccessKind kind{store, instruction.order.isStrong, instruction.order.scope};
  const LaneAccess access{pointers, values, count, alignment, kind, instruction, inputs.drop_front(count)};
  LaneMask all = warp.active, any = 0;
  for (RegisterOffset mask : masks) {
    all &= warp.readMask(mask);
    any |= warp.readMask(mask);
  }
  if (all == (any & warp.active))
    return accessLanes<elementBytes, shared, store>(warp, access, all);
  initialize<elementBytes>(warp, access);
  StoredElements<elementBytes> stored;
  warp.forActiveLanes([&](unsigned lane) {
    uintptr_t address = warp.hostAddress<shared>(pointers[lane]);
    auto move = [&](RegisterOffset first, unsigned elements, uintptr_t place, std::size_t aligned) {
      auto keeps = [&](std::size_t begin, std::size_t end) {
        return store && keepsBytes<elementBytes>(warp, first, elements, lane, place, begin, end);
      };
      std::byte *memory = warp.access(place, elements * element, aligned, kind, lane, instruction.location, keeps);
      if (!memory)
        return;
      if (store && !shared && warp.state.cluster.watchesWrites)
        storeWatched<elementBytes>(warp, first, elements, lane, memory);
      else
        transfer<elementBytes, store>(warp, first, elements, lane, memory);
      if (store && !shared)
        stored.add(first, elements, lane, memory);
    };
    bool all = llvm::all_of(masks, [&](RegisterOffset mask) { return (warp.readMask(mask) >> lane) & 1; });
    if (all)
      return move(values, count, address, alignment);
    for (unsigned i = 0; i < count; ++i)
      if ((warp.readMask(masks[i]) >> lane) & 1)
        move(values + i * RegisterOffset(warp.program.registerSize(elementBytes)), 1, address + i * element,
             std::min(alignment, element));
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
      instruction.result, [=](unsigned lane) { return toGeneric ? pointers[lane] + window : pointers[lane] - window; });
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
  warp.waitForCopies(unsigned(instruction.immediate), instruction.location);
}

Handler asynchronousCopy() { return &copyAsynchronously; }
Handler commitCopyGroup() { return &commitCopies; }
Handler waitCopyGroup() { return &waitCopies; }

} // namespace triton::simulator
