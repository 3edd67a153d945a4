// Atomic read-modify-write operations, and fences.
#include "simulator/core/FloatFormats.h"
#include "simulator/core/IntegerTypes.h"
#include "simulator/core/Warp.h"

#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>

namespace triton::simulator {

/// For each active lane, replaces the old value in memory by `update(lane, old)`, if that exists. The result is the old
/// value. Programs of one launch run on several host threads only when the kernel has no strong accesses of global
/// memory (Launch.h), so read-modify-write needs no atomicity on the host.
template <typename T, bool shared, typename Update>
static void updateEachLane(Warp &warp, const DecodedInstruction &instruction, Update update) {
  const uint64_t *pointers = warp.read<uint64_t>(instruction.operands[0]);
  T *results = warp.write<T>(instruction.result);
  AccessKind kind = atomicAccess;
  kind.scope = instruction.order.scope;
  warp.forActiveLanes([&](unsigned lane) {
    uintptr_t address = warp.hostAddress<shared>(pointers[lane]);
    std::byte *memory = warp.access(address, sizeof(T), sizeof(T), kind, lane, instruction.location);
    if (!memory)
      return;
    T old;
    std::memcpy(&old, memory, sizeof(T));
    std::optional<T> updated = update(lane, old);
    if (updated) {
      const auto *bytes = reinterpret_cast<const std::byte *>(&*updated);
      warp.state.cluster.progress += !shared && !std::equal(bytes, bytes + sizeof(T), memory);
      std::memcpy(memory, bytes, sizeof(T));
    }
    results[lane] = old;
    if constexpr (!shared)
      warp.synchronize(address, instruction.order, /*reads=*/true, /*writes=*/updated.has_value());
  });
}

template <typename T, bool shared, typename Operation>
static void atomicUpdate(Warp &warp, const DecodedInstruction &instruction) {
  const T *values = warp.read<T>(instruction.operands[1]);
  updateEachLane<T, shared>(
      warp, instruction, [&](unsigned lane, T old) { return std::optional(T(Operation::apply(old, values[lane]))); });
}

namespace {
#define TRITON_OPERATION(name, expression)                                                                             \
  struct name {                                                                                                        \
    template <typename T> static T apply([[maybe_unused]] T a, T b) {                                                  \
      using Signed [[maybe_unused]] = std::make_signed_t<T>;                                                           \
      return T(expression);                                                                                            \
    }                                                                                                                  \
  };
TRITON_OPERATION(Exchange, b)
TRITON_OPERATION(Add, a + b)
TRITON_OPERATION(Subtract, a - b)
TRITON_OPERATION(And, a &b)
TRITON_OPERATION(Nand, ~(a &b))
TRITON_OPERATION(Or, a | b)
TRITON_OPERATION(Xor, a ^ b)
TRITON_OPERATION(Maximum, a > b ? a : b)
TRITON_OPERATION(Minimum, a < b ? a : b)
TRITON_OPERATION(MaximumSigned, Signed(a) > Signed(b) ? a : b)
TRITON_OPERATION(MinimumSigned, Signed(a) < Signed(b) ? a : b)
TRITON_OPERATION(IncrementWrap, a >= b ? T(0) : a + 1)
TRITON_OPERATION(DecrementWrap, a == 0 || a > b ? b : a - 1)
#undef TRITON_OPERATION

/// Operations on floats. The hardware's f32 sum flushes subnormal inputs and results in global memory, but not in
/// shared memory (measured). An operation without an instruction is a loop around a compare-and-exchange.
template <typename Format, typename Operation, bool flushes> struct FloatOperation {
  using Storage = Format::Storage;
  static Storage apply(Storage a, Storage b) {
    auto x = Format::load(a), y = Format::load(b);
    return Format::store(flushes ? flush(Operation::apply(flush(x), flush(y))) : Operation::apply(x, y));
  }
};
struct FloatAdd {
  template <typename Value> static Value apply(Value a, Value b) { return a + b; }
};
/// The unit that adds f64 in global memory returns NaNs unchanged.
struct GlobalDoubleAdd {
  static double apply(double a, double b) { return b != b ? b : a != a ? a : a + b; }
};
struct FloatSubtract {
  template <typename Value> static Value apply(Value a, Value b) { return a - b; }
};
/// If one operand is NaN, the result is the other one.
struct FloatMaximum {
  template <typename Value> static Value apply(Value a, Value b) { return std::fmax(a, b); }
};
struct FloatMinimum {
  template <typename Value> static Value apply(Value a, Value b) { return std::fmin(a, b); }
};
} // namespace

template <bool shared, typename Operation> static Handler findIntegerAtomic(unsigned bytes) {
  return TRITON_BY_SIZE(bytes, atomicUpdate, shared, Operation);
}

template <bool shared, typename Operation, bool flushes = false> static Handler findFloatAtomic(FloatFormat format) {
  switch (format) {
  case FloatFormat::Half:
    return &atomicUpdate<uint16_t, shared, FloatOperation<HalfFormat, Operation, false>>;
  case FloatFormat::BFloat:
    return &atomicUpdate<uint16_t, shared, FloatOperation<BFloatFormat, Operation, false>>;
  case FloatFormat::Single:
    return &atomicUpdate<float, shared, FloatOperation<SingleFormat, Operation, flushes>>;
  case FloatFormat::Double:
    if constexpr (!shared && std::is_same_v<Operation, FloatAdd>)
      return &atomicUpdate<double, false, GlobalDoubleAdd>;
    return &atomicUpdate<double, shared, FloatOperation<DoubleFormat, Operation, false>>;
  }
  llvm_unreachable("all formats are listed");
}

template <bool shared>
static Handler findAtomicIn(llvm::AtomicRMWInst::BinOp operation, unsigned bytes, std::optional<FloatFormat> format) {
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
  case BinOp::Nand:
    return findIntegerAtomic<shared, Nand>(bytes);
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
    return findFloatAtomic<shared, FloatAdd, !shared>(*format);
  case BinOp::FSub:
    return findFloatAtomic<shared, FloatSubtract>(*format);
  case BinOp::FMax:
    return findFloatAtomic<shared, FloatMaximum>(*format);
  case BinOp::FMin:
    return findFloatAtomic<shared, FloatMinimum>(*format);
  default:
    return nullptr;
  }
}

Handler findAtomic(llvm::AtomicRMWInst::BinOp operation, unsigned bytes, std::optional<FloatFormat> format,
                   bool shared) {
  return shared ? findAtomicIn<true>(operation, bytes, format) : findAtomicIn<false>(operation, bytes, format);
}

/// The immediate is the mask register of the second result, which says whether the exchange happened.
template <typename T, bool shared> static void compareExchange(Warp &warp, const DecodedInstruction &instruction) {
  const T *expected = warp.read<T>(instruction.operands[1]), *desired = warp.read<T>(instruction.operands[2]);
  LaneMask success = 0;
  updateEachLane<T, shared>(warp, instruction, [&](unsigned lane, T old) {
    if (old != expected[lane])
      return std::optional<T>();
    success |= LaneMask(1) << lane;
    return std::optional(desired[lane]);
  });
  warp.writeMask(RegisterOffset(instruction.immediate), success);
}

Handler findCompareExchange(unsigned bytes, bool shared) {
  return shared ? TRITON_BY_SIZE(bytes, compareExchange, true) : TRITON_BY_SIZE(bytes, compareExchange, false);
}

static void fence(Warp &warp, const DecodedInstruction &instruction) {
  warp.synchronization.fence(warp.clock, instruction.order);
}

Handler fenceHandler() { return &fence; }

} // namespace triton::simulator
