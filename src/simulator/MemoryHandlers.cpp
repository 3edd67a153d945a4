#include "simulator/Handlers.h"
#include "simulator/Launch.h"
#include "simulator/Numerics.h"
#include "simulator/Warp.h"

#include <algorithm>
#include <cstring>
#include <mutex>

namespace triton::simulator {

/// Host address of what a lane's pointer register holds.
template <bool shared> static uintptr_t hostAddress(Warp &warp, uint64_t pointer) {
  return shared ? reinterpret_cast<uintptr_t>(warp.state.shared.data()) + pointer : uintptr_t(pointer);
}

/// Distance in bytes between the registers of consecutive elements.
static constexpr unsigned registerStride(unsigned elementBytes) {
  unsigned bytes = elementBytes == 0 ? sizeof(LaneMask) : elementBytes * laneCount;
  return (bytes + registerAlignment - 1) / registerAlignment * registerAlignment;
}

/// Moves `count` elements between a lane's part of consecutive registers and memory.
template <unsigned elementBytes, bool store>
static void transfer(Warp &warp, RegisterOffset firstRegister, unsigned count, unsigned lane, std::byte *memory) {
  for (unsigned i = 0; i < count; ++i) {
    RegisterOffset offset = firstRegister + i * registerStride(elementBytes);
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

/// Loads and stores. The element count comes from the handler's `detail`-free encoding: immediate = alignment | count
/// << 32.
template <unsigned elementBytes, bool shared, bool store>
static void accessMemory(Warp &warp, const DecodedInstruction &instruction) {
  const uint64_t *pointers = warp.read<uint64_t>(instruction.operands[0]);
  RegisterOffset values = store ? instruction.operands[1] : instruction.result;
  unsigned count = unsigned(uint64_t(instruction.immediate) >> 32);
  std::size_t alignment = uint32_t(instruction.immediate);
  std::size_t size = count * std::max(elementBytes, 1u);
  constexpr AccessKind kind = store ? AccessKind::Write : AccessKind::Read;
  warp.forActiveLanes([&](unsigned lane) {
    uintptr_t address = hostAddress<shared>(warp, pointers[lane]);
    if (std::byte *memory = warp.access(address, size, alignment, kind, lane, instruction.location))
      transfer<elementBytes, store>(warp, values, count, lane, memory);
  });
}

/// Masked forms: each element has its own mask; only enabled elements are accessed. The masks are consecutive registers
/// from operands[2]; disabled elements of a load keep what the decoder put there before (the pass-through).
template <unsigned elementBytes, bool shared, bool store>
static void accessMasked(Warp &warp, const DecodedInstruction &instruction) {
  const uint64_t *pointers = warp.read<uint64_t>(instruction.operands[0]);
  RegisterOffset values = store ? instruction.operands[1] : instruction.result;
  const auto &masks = static_cast<const OperandList *>(instruction.detail)->inputs;
  unsigned count = unsigned(masks.size());
  std::size_t alignment = uint32_t(instruction.immediate), element = std::max(elementBytes, 1u);
  constexpr AccessKind kind = store ? AccessKind::Write : AccessKind::Read;
  warp.forActiveLanes([&](unsigned lane) {
    uintptr_t address = hostAddress<shared>(warp, pointers[lane]);
    bool all = llvm::all_of(masks, [&](RegisterOffset mask) { return (warp.readMask(mask) >> lane) & 1; });
    if (all) {
      if (std::byte *memory = warp.access(address, count * element, alignment, kind, lane, instruction.location))
        transfer<elementBytes, store>(warp, values, count, lane, memory);
      return;
    }
    for (unsigned i = 0; i < count; ++i) {
      if (!((warp.readMask(masks[i]) >> lane) & 1))
        continue;
      std::byte *memory =
          warp.access(address + i * element, element, std::min(alignment, element), kind, lane, instruction.location);
      if (memory)
        transfer<elementBytes, store>(warp, values + i * registerStride(elementBytes), 1, lane, memory);
    }
  });
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

/// Programs of one launch may run on several host threads only when the kernel has no global atomics (Launch.h), so
/// read-modify-write needs no host atomicity.
template <typename T, bool shared, typename Operation>
static void atomicUpdate(Warp &warp, const DecodedInstruction &instruction) {
  const uint64_t *pointers = warp.read<uint64_t>(instruction.operands[0]);
  const T *values = warp.read<T>(instruction.operands[1]);
  T *results = warp.write<T>(instruction.result);
  warp.forActiveLanes([&](unsigned lane) {
    uintptr_t address = hostAddress<shared>(warp, pointers[lane]);
    std::byte *memory = warp.access(address, sizeof(T), sizeof(T), AccessKind::Atomic, lane, instruction.location);
    if (!memory)
      return;
    T old;
    std::memcpy(&old, memory, sizeof(T));
    T updated = Operation::apply(old, values[lane]);
    std::memcpy(memory, &updated, sizeof(T));
    results[lane] = old;
  });
}

namespace {
#define TRITON_OPERATION(name, expression)                                                                             \
  struct name {                                                                                                        \
    template <typename T> static T apply(T a, T b) {                                                                   \
      using Signed [[maybe_unused]] = std::make_signed_t<T>;                                                           \
      return T(expression);                                                                                            \
    }                                                                                                                  \
  };
TRITON_OPERATION(Exchange, b)
TRITON_OPERATION(Add, a + b)
TRITON_OPERATION(Subtract, a - b)
TRITON_OPERATION(And, a &b)
TRITON_OPERATION(Or, a | b)
TRITON_OPERATION(Xor, a ^ b)
TRITON_OPERATION(Maximum, a > b ? a : b)
TRITON_OPERATION(Minimum, a < b ? a : b)
TRITON_OPERATION(MaximumSigned, Signed(a) > Signed(b) ? a : b)
TRITON_OPERATION(MinimumSigned, Signed(a) < Signed(b) ? a : b)
TRITON_OPERATION(IncrementWrap, a >= b ? T(0) : a + 1)
TRITON_OPERATION(DecrementWrap, a == 0 || a > b ? b : a - 1)
#undef TRITON_OPERATION

/// Addition of floats by their bits. f32 sums on global memory flush subnormal inputs and results, on shared memory
/// they do not (measured).
template <bool flushes> struct AddSingle {
  static uint32_t apply(uint32_t a, uint32_t b) {
    auto flush = [](float value) {
      return flushes && std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value;
    };
    return bitCast<uint32_t>(canonical(flush(flush(bitCast<float>(a)) + flush(bitCast<float>(b)))));
  }
};
struct AddDouble {
  static uint64_t apply(uint64_t a, uint64_t b) { return bitCast<uint64_t>(bitCast<double>(a) + bitCast<double>(b)); }
};
struct AddHalf {
  static uint16_t apply(uint16_t a, uint16_t b) { return halfFromFloat(floatFromHalf(a) + floatFromHalf(b)); }
};
} // namespace

template <bool shared, typename Operation> static Handler findIntegerAtomic(unsigned bytes) {
  return bytes == 4   ? &atomicUpdate<uint32_t, shared, Operation>
         : bytes == 8 ? &atomicUpdate<uint64_t, shared, Operation>
         : bytes == 2 ? &atomicUpdate<uint16_t, shared, Operation>
                      : Handler(nullptr);
}

template <bool shared> static Handler findAtomicIn(llvm::AtomicRMWInst::BinOp operation, unsigned bytes, bool isFloat) {
  using BinOp = llvm::AtomicRMWInst::BinOp;
  switch (operation) {
  case BinOp::Xchg:
    return findIntegerAtomic<shared, Exchange>(bytes);
  case BinOp::Add:
    return findIntegerAtomic<shared, Add>(bytes);
  case BinOp::Sub:
    return findIntegerAtomic<shared, Subtract>(bytes);
  case BinOp::And:
    return findIntegerAtomic<shared, And>(bytes);
  case BinOp::Or:
    return findIntegerAtomic<shared, Or>(bytes);
  case BinOp::Xor:
    return findIntegerAtomic<shared, Xor>(bytes);
  case BinOp::UMax:
    return findIntegerAtomic<shared, Maximum>(bytes);
  case BinOp::UMin:
    return findIntegerAtomic<shared, Minimum>(bytes);
  case BinOp::Max:
    return findIntegerAtomic<shared, MaximumSigned>(bytes);
  case BinOp::Min:
    return findIntegerAtomic<shared, MinimumSigned>(bytes);
  case BinOp::UIncWrap:
    return findIntegerAtomic<shared, IncrementWrap>(bytes);
  case BinOp::UDecWrap:
    return findIntegerAtomic<shared, DecrementWrap>(bytes);
  case BinOp::FAdd:
    return bytes == 4   ? &atomicUpdate<uint32_t, shared, AddSingle<!shared>>
           : bytes == 8 ? &atomicUpdate<uint64_t, shared, AddDouble>
           : bytes == 2 ? &atomicUpdate<uint16_t, shared, AddHalf>
                        : Handler(nullptr);
  default:
    return nullptr;
  }
}

Handler findAtomic(llvm::AtomicRMWInst::BinOp operation, unsigned bytes, bool isFloat, bool shared) {
  return shared ? findAtomicIn<true>(operation, bytes, isFloat) : findAtomicIn<false>(operation, bytes, isFloat);
}

/// The second result, whether the exchange happened, is the mask register in the immediate.
template <typename T, bool shared> static void compareExchange(Warp &warp, const DecodedInstruction &instruction) {
  const uint64_t *pointers = warp.read<uint64_t>(instruction.operands[0]);
  const T *expected = warp.read<T>(instruction.operands[1]), *desired = warp.read<T>(instruction.operands[2]);
  T *results = warp.write<T>(instruction.result);
  LaneMask success = 0;
  warp.forActiveLanes([&](unsigned lane) {
    uintptr_t address = hostAddress<shared>(warp, pointers[lane]);
    std::byte *memory = warp.access(address, sizeof(T), sizeof(T), AccessKind::Atomic, lane, instruction.location);
    if (!memory)
      return;
    T old;
    std::memcpy(&old, memory, sizeof(T));
    if (old == expected[lane]) {
      std::memcpy(memory, &desired[lane], sizeof(T));
      success |= LaneMask(1) << lane;
    }
    results[lane] = old;
  });
  warp.writeMask(RegisterOffset(instruction.immediate), success);
}

Handler findCompareExchange(unsigned bytes, bool shared) {
  switch (bytes) {
  case 2:
    return shared ? &compareExchange<uint16_t, true> : &compareExchange<uint16_t, false>;
  case 4:
    return shared ? &compareExchange<uint32_t, true> : &compareExchange<uint32_t, false>;
  case 8:
    return shared ? &compareExchange<uint64_t, true> : &compareExchange<uint64_t, false>;
  default:
    return nullptr;
  }
}

template <bool toGeneric> static void convertShared(Warp &warp, const DecodedInstruction &instruction) {
  const auto *pointers = warp.read<uint64_t>(instruction.operands[0]);
  auto window = reinterpret_cast<uint64_t>(warp.state.shared.data());
  warp.forEachLane<uint64_t>(
      instruction.result, [&](unsigned lane) { return toGeneric ? pointers[lane] + window : pointers[lane] - window; });
}

Handler sharedToGeneric() { return &convertShared<true>; }
Handler genericToShared() { return &convertShared<false>; }

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
    warp.enqueueCopy({hostAddress<true>(warp, destinations[lane]), uintptr_t(sources[lane]), bytes,
                      sourceBytes ? std::min(sourceBytes[lane], bytes) : bytes, uint8_t(lane), instruction.location});
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
