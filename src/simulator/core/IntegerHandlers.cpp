#include "simulator/core/Handlers.h"
#include "simulator/core/IntegerTypes.h"
#include "simulator/core/MemoryReports.h"
#include "simulator/core/Warp.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/bit.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace triton::simulator {

using llvm::Instruction;

template <typename T, typename Operation> static void binary(Warp &warp, const DecodedInstruction &instruction) {
  const T *a = warp.read<T>(instruction.operands[0]), *b = warp.read<T>(instruction.operands[1]);
  warp.forEachLane<T>(instruction.result, [=](unsigned lane) { return Operation::apply(a[lane], b[lane]); });
}

/// Division by zero does not trap: the quotient is all ones, the remainder the dividend. Whether they decide results is
/// seen when they are others.
template <typename T, typename Operation> static void divide(Warp &warp, const DecodedInstruction &instruction) {
  const T *a = warp.read<T>(instruction.operands[0]), *b = warp.read<T>(instruction.operands[1]);
  LaneMask byZero = warp.active & warp.lanesWhere([=](unsigned lane) { return b[lane] == 0; });
  if (byZero == 0) [[likely]]
    return warp.forEachLane<T>(instruction.result, [=](unsigned lane) { return Operation::apply(a[lane], b[lane]); });
  bool isOther = noteDivisionByZero(warp, unsigned(__builtin_ctzll(byZero)), instruction.location);
  warp.forEachLane<T>(instruction.result, [=](unsigned lane) {
    if (b[lane] != 0)
      return Operation::apply(a[lane], b[lane]);
    T usual = Operation::isRemainder ? a[lane] : T(-1);
    return isOther ? T(~usual / 3) : usual;
  });
}

template <typename Operation> static void binaryMask(Warp &warp, const DecodedInstruction &instruction) {
  warp.writeMask(instruction.result,
                 Operation::apply(warp.readMask(instruction.operands[0]), warp.readMask(instruction.operands[1])));
}

namespace {

/// Strict C++ does not know the signed type of 128 bits.
template <typename T> struct MakeSigned : std::make_signed<T> {};
template <> struct MakeSigned<unsigned __int128> {
  using type = __int128;
};

#define TRITON_OPERATION(name, expression)                                                                             \
  struct name {                                                                                                        \
    template <typename T> static T apply(T a, T b) {                                                                   \
      using Signed [[maybe_unused]] = MakeSigned<T>::type;                                                             \
      constexpr unsigned bits [[maybe_unused]] = sizeof(T) * 8;                                                        \
      return T(expression);                                                                                            \
    }                                                                                                                  \
  };
TRITON_OPERATION(Add, uint64_t(a) + b)
TRITON_OPERATION(Subtract, uint64_t(a) - b)
TRITON_OPERATION(Multiply, uint64_t(a) * b)
TRITON_OPERATION(And, a &b)
TRITON_OPERATION(Or, a | b)
TRITON_OPERATION(Xor, a ^ b)
// Shifts by the width or more give zero (or the sign), because the hardware clamps them.
TRITON_OPERATION(ShiftLeft, b < bits ? uint64_t(a) << b : 0)
TRITON_OPERATION(ShiftRight, b < bits ? a >> b : 0)
TRITON_OPERATION(ShiftRightSigned, Signed(a) >> (b < bits ? b : bits - 1))
// The divisor is not zero.
TRITON_OPERATION(DivideUnsigned, a / b)
TRITON_OPERATION(RemainderUnsigned, a % b)
TRITON_OPERATION(DivideSigned, b == T(-1) ? T(0) - a : T(Signed(a) / Signed(b)))
TRITON_OPERATION(RemainderSigned, b == T(-1) ? T(0) : T(Signed(a) % Signed(b)))
TRITON_OPERATION(MinimumUnsigned, a < b ? a : b)
TRITON_OPERATION(MaximumUnsigned, a > b ? a : b)
TRITON_OPERATION(MinimumSigned, Signed(a) < Signed(b) ? a : b)
TRITON_OPERATION(MaximumSigned, Signed(a) > Signed(b) ? a : b)
#undef TRITON_OPERATION

template <typename Operation> struct Quotient : Operation {
  static constexpr bool isRemainder = false;
};
template <typename Operation> struct Remainder : Operation {
  static constexpr bool isRemainder = true;
};

/// A sum or difference. If it would leave the range, the result is the end of the range.
template <bool isSigned, int sign> struct Saturated {
  template <typename T> static T apply(T a, T b) {
    using Number = std::conditional_t<isSigned, std::make_signed_t<T>, T>;
    __int128 exact = __int128(Number(a)) + sign * __int128(Number(b));
    return T(std::clamp<__int128>(exact, std::numeric_limits<Number>::min(), std::numeric_limits<Number>::max()));
  }
};
struct MultiplyHighUnsigned {
  template <typename T> static T apply(T a, T b) {
    return T((static_cast<unsigned __int128>(a) * b) >> (sizeof(T) * 8));
  }
};
struct MultiplyHighSigned {
  template <typename T> static T apply(T a, T b) {
    using Signed = std::make_signed_t<T>;
    return T((static_cast<__int128>(Signed(a)) * Signed(b)) >> (sizeof(T) * 8));
  }
};

} // namespace

/// The only operations on registers of 128 bits, because all others are made of operations on halves.
template <typename Operation> static Handler findDivision(unsigned bytes) {
  return bytes == 16 ? Handler(&divide<unsigned __int128, Operation>) : TRITON_BY_SIZE(bytes, divide, Operation);
}

Handler findIntegerBinary(unsigned opcode, unsigned bytes) {
  if (bytes == 0) {
    switch (opcode) {
    case Instruction::And:
    case Instruction::Mul:
      return &binaryMask<And>;
    case Instruction::Or:
      return &binaryMask<Or>;
    case Instruction::Xor:
    case Instruction::Add:
    case Instruction::Sub:
      return &binaryMask<Xor>;
    default:
      return nullptr;
    }
  }
  switch (opcode) {
  case Instruction::Add:
    return TRITON_BY_SIZE(bytes, binary, Add);
  case Instruction::Sub:
    return TRITON_BY_SIZE(bytes, binary, Subtract);
  case Instruction::Mul:
    return TRITON_BY_SIZE(bytes, binary, Multiply);
  case Instruction::And:
    return TRITON_BY_SIZE(bytes, binary, And);
  case Instruction::Or:
    return TRITON_BY_SIZE(bytes, binary, Or);
  case Instruction::Xor:
    return TRITON_BY_SIZE(bytes, binary, Xor);
  case Instruction::Shl:
    return TRITON_BY_SIZE(bytes, binary, ShiftLeft);
  case Instruction::LShr:
    return TRITON_BY_SIZE(bytes, binary, ShiftRight);
  case Instruction::AShr:
    return TRITON_BY_SIZE(bytes, binary, ShiftRightSigned);
  case Instruction::UDiv:
    return findDivision<Quotient<DivideUnsigned>>(bytes);
  case Instruction::URem:
    return findDivision<Remainder<RemainderUnsigned>>(bytes);
  case Instruction::SDiv:
    return findDivision<Quotient<DivideSigned>>(bytes);
  case Instruction::SRem:
    return findDivision<Remainder<RemainderSigned>>(bytes);
  default:
    return nullptr;
  }
}

template <typename T, llvm::CmpInst::Predicate predicate> static bool compareValues(T a, T b) {
  using Signed = std::make_signed_t<T>;
  using Predicate = llvm::CmpInst::Predicate;
  if constexpr (predicate == Predicate::ICMP_EQ)
    return a == b;
  else if constexpr (predicate == Predicate::ICMP_NE)
    return a != b;
  else if constexpr (predicate == Predicate::ICMP_UGT)
    return a > b;
  else if constexpr (predicate == Predicate::ICMP_UGE)
    return a >= b;
  else if constexpr (predicate == Predicate::ICMP_ULT)
    return a < b;
  else if constexpr (predicate == Predicate::ICMP_ULE)
    return a <= b;
  else if constexpr (predicate == Predicate::ICMP_SGT)
    return Signed(a) > Signed(b);
  else if constexpr (predicate == Predicate::ICMP_SGE)
    return Signed(a) >= Signed(b);
  else if constexpr (predicate == Predicate::ICMP_SLT)
    return Signed(a) < Signed(b);
  else
    return Signed(a) <= Signed(b);
}

template <typename T, llvm::CmpInst::Predicate predicate>
static void compare(Warp &warp, const DecodedInstruction &instruction) {
  const T *a = warp.read<T>(instruction.operands[0]), *b = warp.read<T>(instruction.operands[1]);
  warp.writeMask(instruction.result,
                 warp.lanesWhere([=](unsigned lane) { return compareValues<T, predicate>(a[lane], b[lane]); }));
}

template <bool equal> static void compareMask(Warp &warp, const DecodedInstruction &instruction) {
  LaneMask differ = warp.readMask(instruction.operands[0]) ^ warp.readMask(instruction.operands[1]);
  warp.writeMask(instruction.result, equal ? ~differ : differ);
}

Handler findIntegerCompare(llvm::CmpInst::Predicate predicate, unsigned bytes) {
  using Predicate = llvm::CmpInst::Predicate;
  if (bytes == 0)
    return predicate == Predicate::ICMP_EQ   ? &compareMask<true>
           : predicate == Predicate::ICMP_NE ? &compareMask<false>
                                             : Handler(nullptr);
  switch (predicate) {
#define TRITON_PREDICATE(name)                                                                                         \
  case Predicate::name:                                                                                                \
    return TRITON_BY_SIZE(bytes, compare, Predicate::name);
    TRITON_PREDICATE(ICMP_EQ)
    TRITON_PREDICATE(ICMP_NE)
    TRITON_PREDICATE(ICMP_UGT)
    TRITON_PREDICATE(ICMP_UGE)
    TRITON_PREDICATE(ICMP_ULT)
    TRITON_PREDICATE(ICMP_ULE)
    TRITON_PREDICATE(ICMP_SGT)
    TRITON_PREDICATE(ICMP_SGE)
    TRITON_PREDICATE(ICMP_SLT)
    TRITON_PREDICATE(ICMP_SLE)
#undef TRITON_PREDICATE
  default:
    return nullptr;
  }
}

template <typename T, unsigned opcode> static void overflow(Warp &warp, const DecodedInstruction &instruction) {
  const T *a = warp.read<T>(instruction.operands[0]), *b = warp.read<T>(instruction.operands[1]);
  warp.writeMask(instruction.result, warp.lanesWhere([=](unsigned lane) {
    T result;
    return opcode == llvm::Instruction::Add   ? __builtin_add_overflow(a[lane], b[lane], &result)
           : opcode == llvm::Instruction::Sub ? __builtin_sub_overflow(a[lane], b[lane], &result)
                                              : __builtin_mul_overflow(a[lane], b[lane], &result);
  }));
}

Handler findIntegerOverflow(unsigned opcode, bool isSigned, unsigned bytes) {
  return findByInteger(bytes, isSigned, [opcode]<typename T>() -> Handler {
    switch (opcode) {
    case llvm::Instruction::Add:
      return &overflow<T, llvm::Instruction::Add>;
    case llvm::Instruction::Sub:
      return &overflow<T, llvm::Instruction::Sub>;
    case llvm::Instruction::Mul:
      return &overflow<T, llvm::Instruction::Mul>;
    default:
      return nullptr;
    }
  });
}

namespace {
struct PopulationCount {
  template <typename T> static T apply(T a) { return T(llvm::popcount(a)); }
};
struct LeadingZeros {
  template <typename T> static T apply(T a) { return T(llvm::countl_zero(a)); }
};
struct TrailingZeros {
  template <typename T> static T apply(T a) { return T(llvm::countr_zero(a)); }
};
struct Absolute {
  template <typename T> static T apply(T a) { return std::make_signed_t<T>(a) < 0 ? T(T(0) - a) : a; }
};
struct ReverseBits {
  template <typename T> static T apply(T a) { return llvm::reverseBits(a); }
};
struct ReverseBytes {
  template <typename T> static T apply(T a) { return llvm::byteswap(a); }
};
/// The number of the highest set bit, or the length of the left shift that moves this bit to the top. All ones if no
/// bit is set.
struct HighestBit {
  template <typename T> static T apply(T a) { return T(llvm::bit_width(a) - 1); }
};
struct ShiftOfHighestBit {
  template <typename T> static T apply(T a) { return a ? T(llvm::countl_zero(a)) : T(-1); }
};
/// |a - b| + c.
template <bool isSigned> struct AbsoluteDifference {
  template <typename T> static T apply(T a, T b, T c) {
    bool isGreater = isSigned ? std::make_signed_t<T>(a) > std::make_signed_t<T>(b) : a > b;
    return T((isGreater ? a - b : b - a) + c);
  }
};
/// fns of PTX: from bit `base` on, the `offset`th set bit of a word, downwards if the number is negative.
struct NthSetBit {
  template <typename T> static T apply(T word, T base, T offset) {
    constexpr T bits = sizeof(T) * 8;
    auto number = std::make_signed_t<T>(offset);
    if (number == 0)
      return base < bits && (word >> base) & 1 ? base : T(-1);
    for (T place = base; place < bits; place = number > 0 ? place + 1 : place - 1)
      if ((word >> place) & 1 && (number += number > 0 ? -1 : 1) == 0)
        return place;
    return T(-1);
  }
};
struct FunnelLeft {
  template <typename T> static T apply(T high, T low, T amount) {
    unsigned bits = sizeof(T) * 8, shift = unsigned(amount % bits);
    return shift == 0 ? high : T((high << shift) | (low >> (bits - shift)));
  }
};
struct FunnelRight {
  template <typename T> static T apply(T high, T low, T amount) {
    unsigned bits = sizeof(T) * 8, shift = unsigned(amount % bits);
    return shift == 0 ? low : T((low >> shift) | (high << (bits - shift)));
  }
};
} // namespace

template <typename T, typename Operation> static void unary(Warp &warp, const DecodedInstruction &instruction) {
  const T *a = warp.read<T>(instruction.operands[0]);
  warp.forEachLane<T>(instruction.result, [=](unsigned lane) { return Operation::apply(a[lane]); });
}

template <typename T, typename Operation> static void ternary(Warp &warp, const DecodedInstruction &instruction) {
  const T *a = warp.read<T>(instruction.operands[0]), *b = warp.read<T>(instruction.operands[1]),
          *c = warp.read<T>(instruction.operands[2]);
  warp.forEachLane<T>(instruction.result, [=](unsigned lane) { return Operation::apply(a[lane], b[lane], c[lane]); });
}

/// Of one bit, which is -1 where it is signed and set.
static Handler findBitIntrinsic(llvm::StringRef name) {
  return llvm::StringSwitch<Handler>(name)
      .Cases({"abs", "bitreverse", "ctpop"}, findCopy(0))
      .Cases({"smin", "umax", "uadd.sat", "sadd.sat"}, findIntegerBinary(llvm::Instruction::Or, 0))
      .Cases({"smax", "umin"}, findIntegerBinary(llvm::Instruction::And, 0))
      .Default(nullptr);
}

Handler findIntegerIntrinsic(llvm::StringRef name, unsigned bytes) {
  if (bytes == 0)
    return findBitIntrinsic(name);
  return llvm::StringSwitch<Handler>(name)
      .Case("ctpop", TRITON_BY_SIZE(bytes, unary, PopulationCount))
      .Case("ctlz", TRITON_BY_SIZE(bytes, unary, LeadingZeros))
      .Case("cttz", TRITON_BY_SIZE(bytes, unary, TrailingZeros))
      .Case("abs", TRITON_BY_SIZE(bytes, unary, Absolute))
      .Case("bitreverse", TRITON_BY_SIZE(bytes, unary, ReverseBits))
      .Case("bswap", bytes == 1 ? nullptr : TRITON_BY_SIZE(bytes, unary, ReverseBytes))
      .Case("smin", TRITON_BY_SIZE(bytes, binary, MinimumSigned))
      .Case("smax", TRITON_BY_SIZE(bytes, binary, MaximumSigned))
      .Case("uadd.sat", TRITON_BY_SIZE(bytes, binary, Saturated<false, 1>))
      .Case("usub.sat", TRITON_BY_SIZE(bytes, binary, Saturated<false, -1>))
      .Case("sadd.sat", TRITON_BY_SIZE(bytes, binary, Saturated<true, 1>))
      .Case("ssub.sat", TRITON_BY_SIZE(bytes, binary, Saturated<true, -1>))
      .Case("umin", TRITON_BY_SIZE(bytes, binary, MinimumUnsigned))
      .Case("umax", TRITON_BY_SIZE(bytes, binary, MaximumUnsigned))
      .Case("bfind", TRITON_BY_SIZE(bytes, unary, HighestBit))
      .Case("bfind.shiftamt", TRITON_BY_SIZE(bytes, unary, ShiftOfHighestBit))
      .Case("sad.s", TRITON_BY_SIZE(bytes, ternary, AbsoluteDifference<true>))
      .Case("sad.u", TRITON_BY_SIZE(bytes, ternary, AbsoluteDifference<false>))
      .Case("fns", bytes == 4 ? ternary<uint32_t, NthSetBit> : nullptr)
      .Case("fshl", TRITON_BY_SIZE(bytes, ternary, FunnelLeft))
      .Case("fshr", TRITON_BY_SIZE(bytes, ternary, FunnelRight))
      .Case("mulhi.u", TRITON_BY_SIZE(bytes, binary, MultiplyHighUnsigned))
      .Case("mulhi.s", TRITON_BY_SIZE(bytes, binary, MultiplyHighSigned))
      .Default(nullptr);
}

template <typename From, typename To> static void convert(Warp &warp, const DecodedInstruction &instruction) {
  const From *a = warp.read<From>(instruction.operands[0]);
  using Result = std::make_unsigned_t<To>;
  warp.forEachLane<Result>(instruction.result, [=](unsigned lane) { return Result(To(a[lane])); });
}

template <typename To, bool isSigned> static void extendMask(Warp &warp, const DecodedInstruction &instruction) {
  warp.forEachLane<To>(instruction.result, warp.readMask(instruction.operands[0]),
                       [=](unsigned, bool bit) { return isSigned ? To(To(0) - To(bit)) : To(bit); });
}

template <typename From> static void truncateToMask(Warp &warp, const DecodedInstruction &instruction) {
  const From *a = warp.read<From>(instruction.operands[0]);
  warp.writeMask(instruction.result, warp.lanesWhere([=](unsigned lane) { return a[lane] & 1; }));
}

template <typename To, typename Source> static void convertFrom(Warp &warp, const DecodedInstruction &instruction) {
  convert<Source, std::conditional_t<std::is_signed_v<Source>, std::make_signed_t<To>, To>>(warp, instruction);
}

Handler findIntegerCast(unsigned opcode, unsigned fromBytes, unsigned toBytes) {
  bool isSigned = opcode == Instruction::SExt;
  if (fromBytes == 0)
    return isSigned ? TRITON_BY_SIZE(toBytes, extendMask, true) : TRITON_BY_SIZE(toBytes, extendMask, false);
  if (toBytes == 0)
    return TRITON_BY_SIZE(fromBytes, truncateToMask);
  return findByInteger(fromBytes, isSigned,
                       [&]<typename Source>() -> Handler { return TRITON_BY_SIZE(toBytes, convertFrom, Source); });
}

template <typename T> static void select(Warp &warp, const DecodedInstruction &instruction) {
  const T *a = warp.read<T>(instruction.operands[1]), *b = warp.read<T>(instruction.operands[2]);
  warp.forEachLane<T>(instruction.result, warp.readMask(instruction.operands[0]),
                      [=](unsigned lane, bool condition) { return condition ? a[lane] : b[lane]; });
}

static void selectMask(Warp &warp, const DecodedInstruction &instruction) {
  LaneMask condition = warp.readMask(instruction.operands[0]);
  warp.writeMask(instruction.result, (condition & warp.readMask(instruction.operands[1])) |
                                         (~condition & warp.readMask(instruction.operands[2])));
}

Handler findSelect(unsigned bytes) { return bytes == 0 ? &selectMask : TRITON_BY_SIZE(bytes, select); }

template <typename T> static void copy(Warp &warp, const DecodedInstruction &instruction) {
  const T *a = warp.read<T>(instruction.operands[0]);
  warp.forEachLane<T>(instruction.result, [=](unsigned lane) { return a[lane]; });
}

static void copyMask(Warp &warp, const DecodedInstruction &instruction) {
  warp.writeMask(instruction.result, warp.readMask(instruction.operands[0]));
}

Handler findCopy(unsigned bytes) { return bytes == 0 ? &copyMask : TRITON_BY_SIZE(bytes, copy); }

/// Regroups registers of one size to registers of another.
template <typename From, typename To> static void regroupAll(Warp &warp, const OperandList &list) {
  constexpr unsigned fromBits = 8 * sizeof(From), toBits = 8 * sizeof(To);
  for (unsigned i = 0; i < list.outputs.size(); ++i) {
    if constexpr (sizeof(From) > sizeof(To)) {
      constexpr unsigned parts = fromBits / toBits;
      const From *whole = warp.read<From>(list.inputs[i / parts]);
      unsigned shift = i % parts * toBits;
      warp.forEachLane<To>(list.outputs[i], [=](unsigned lane) { return To(whole[lane] >> shift); });
    } else {
      constexpr unsigned parts = toBits / fromBits;
      for (unsigned part = 0; part < parts; ++part) {
        const From *values = warp.read<From>(list.inputs[i * parts + part]);
        const To *before = warp.read<To>(list.outputs[i]);
        warp.forEachLane<To>(list.outputs[i], [=](unsigned lane) {
          return To((part == 0 ? To(0) : before[lane]) | To(To(values[lane]) << part * fromBits));
        });
      }
    }
  }
}

/// Returns whether it knows these sizes.
static bool regroupEqualSizes(Warp &warp, const OperandList &list) {
  if (!llvm::all_equal(list.inputBytes) || !llvm::all_equal(list.outputBytes) ||
      list.inputBytes.size() * list.inputBytes.front() != list.outputBytes.size() * list.outputBytes.front())
    return false;
  switch (list.inputBytes.front() << 8 | list.outputBytes.front()) {
  case 0x201:
    return regroupAll<uint16_t, uint8_t>(warp, list), true;
  case 0x401:
    return regroupAll<uint32_t, uint8_t>(warp, list), true;
  case 0x402:
    return regroupAll<uint32_t, uint16_t>(warp, list), true;
  case 0x802:
    return regroupAll<uint64_t, uint16_t>(warp, list), true;
  case 0x804:
    return regroupAll<uint64_t, uint32_t>(warp, list), true;
  case 0x102:
    return regroupAll<uint8_t, uint16_t>(warp, list), true;
  case 0x104:
    return regroupAll<uint8_t, uint32_t>(warp, list), true;
  case 0x204:
    return regroupAll<uint16_t, uint32_t>(warp, list), true;
  case 0x208:
    return regroupAll<uint16_t, uint64_t>(warp, list), true;
  case 0x408:
    return regroupAll<uint32_t, uint64_t>(warp, list), true;
  default:
    return false;
  }
}

/// For each lane, concatenates the bits of the inputs, lowest first, and divides them among the outputs. One-bit
/// elements take one bit.
static void regroup(Warp &warp, const DecodedInstruction &instruction) {
  const auto &list = *static_cast<const OperandList *>(instruction.detail);
  if (regroupEqualSizes(warp, list))
    return;
  warp.forActiveLanes([&](unsigned lane) {
    uint8_t bits[64 * 8] = {};
    unsigned position = 0;
    for (auto [offset, bytes] : llvm::zip_equal(list.inputs, list.inputBytes)) {
      if (bytes == 0) {
        bits[position / 8] |= ((warp.readMask(offset) >> lane) & 1) << (position % 8);
        ++position;
        continue;
      }
      std::memcpy(bits + position / 8, warp.read<std::byte>(offset) + lane * bytes, bytes);
      position += bytes * 8;
    }
    position = 0;
    for (auto [offset, bytes] : llvm::zip_equal(list.outputs, list.outputBytes)) {
      if (bytes == 0) {
        LaneMask *mask = warp.write<LaneMask>(offset);
        LaneMask bit = (bits[position / 8] >> (position % 8)) & 1;
        *mask = (*mask & ~(LaneMask(1) << lane)) | (bit << lane);
        ++position;
        continue;
      }
      std::memcpy(warp.write<std::byte>(offset) + lane * bytes, bits + position / 8, bytes);
      position += bytes * 8;
    }
  });
}

Handler regroupBytes() { return &regroup; }

} // namespace triton::simulator
