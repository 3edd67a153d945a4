// Conversions between floating-point formats, and conversions from and to integers.
#include "simulator/core/FloatFormats.h"
#include "simulator/core/IntegerTypes.h"
#include "simulator/core/Warp.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>
#include <limits>
#include <type_traits>

namespace triton::simulator {

template <typename From, typename To> static void convert(Warp &warp, const DecodedInstruction &instruction) {
  const auto *a = warp.read<typename From::Storage>(instruction.operands[0]);
  warp.forEachLane<typename To::Storage>(instruction.result,
                                         [=](unsigned lane) { return To::store(From::load(a[lane])); });
}

template <typename From> static Handler findCastFrom(FloatFormat to) {
  switch (to) {
  case FloatFormat::Half:
    return &convert<From, HalfFormat>;
  case FloatFormat::BFloat:
    return &convert<From, BFloatFormat>;
  case FloatFormat::Single:
    return &convert<From, SingleFormat>;
  case FloatFormat::Double:
    return &convert<From, DoubleFormat>;
  }
  llvm_unreachable("all formats are listed");
}

/// bf16 to f32 keeps a NaN's payload, unlike arithmetic.
static void widenBFloat(Warp &warp, const DecodedInstruction &instruction) {
  const auto *a = warp.read<uint16_t>(instruction.operands[0]);
  warp.forEachLane<float>(instruction.result, [=](unsigned lane) { return floatFromBFloat(a[lane]); });
}

/// The conversion of f64 to f32 and f16 keeps as much of a NaN's payload as fits the result.
static void narrowToSingle(Warp &warp, const DecodedInstruction &instruction) {
  const auto *a = warp.read<double>(instruction.operands[0]);
  warp.forEachLane<float>(instruction.result, [=](unsigned lane) {
    uint64_t bits = bitCast<uint64_t>(a[lane]);
    if (a[lane] == a[lane])
      return float(a[lane]);
    return bitCast<float>(uint32_t(bits >> 63 << 31 | 0x7fc00000 | (bits >> 29 & 0x3fffff)));
  });
}

static void narrowToHalf(Warp &warp, const DecodedInstruction &instruction) {
  const auto *a = warp.read<double>(instruction.operands[0]);
  warp.forEachLane<uint16_t>(instruction.result, [=](unsigned lane) {
    uint64_t bits = bitCast<uint64_t>(a[lane]);
    if (a[lane] == a[lane])
      return HalfFormat::store(a[lane]);
    return uint16_t(bits >> 63 << 15 | 0x7e00 | (bits >> 42 & 0x1ff));
  });
}

Handler findFloatCast(FloatFormat from, FloatFormat to) {
  if (from == FloatFormat::Double && to == FloatFormat::Single)
    return &narrowToSingle;
  if (from == FloatFormat::Double && to == FloatFormat::Half)
    return &narrowToHalf;
  switch (from) {
  case FloatFormat::Half:
    return findCastFrom<HalfFormat>(to);
  case FloatFormat::BFloat:
    return to == FloatFormat::Single ? &widenBFloat : findCastFrom<BFloatFormat>(to);
  case FloatFormat::Single:
    return findCastFrom<SingleFormat>(to);
  case FloatFormat::Double:
    return findCastFrom<DoubleFormat>(to);
  }
  llvm_unreachable("all formats are listed");
}

/// Truncates and saturates. If both formats have at most 32 bits, NaN gives zero, otherwise the top bit.
template <typename Format, typename Integer> static Integer toInteger(typename Format::Value value) {
  if (value != value)
    return sizeof(Integer) <= 4 && sizeof(typename Format::Storage) <= 4
               ? Integer(0)
               : Integer(uint64_t(1) << (sizeof(Integer) * 8 - 1));
  double truncated = std::trunc(double(value));
  double lowest = double(std::numeric_limits<Integer>::min());
  double beyond = std::ldexp(1.0, int(sizeof(Integer) * 8) - std::numeric_limits<Integer>::is_signed);
  if (truncated < lowest)
    return std::numeric_limits<Integer>::min();
  if (truncated >= beyond)
    return std::numeric_limits<Integer>::max();
  return Integer(truncated);
}

template <typename Format, typename Integer>
static void floatToInteger(Warp &warp, const DecodedInstruction &instruction) {
  const auto *a = warp.read<typename Format::Storage>(instruction.operands[0]);
  warp.forEachLane<Integer>(instruction.result,
                            [=](unsigned lane) { return toInteger<Format, Integer>(Format::load(a[lane])); });
}

Handler findFloatToInteger(FloatFormat from, unsigned toBytes, bool isSigned) {
  return findByInteger(toBytes, isSigned,
                       [&]<typename Integer>() -> Handler { return TRITON_BY_FORMAT(from, floatToInteger, Integer); });
}

/// An integer as f64, with the last bit set when low bits were cut off, so that rounding the result to 16 bits is
/// correct.
template <typename Integer> static double toDoubleOdd(Integer value) {
  constexpr Integer low = Integer((uint64_t(1) << 11) - 1);
  if constexpr (sizeof(Integer) == 8)
    if (value > Integer(1) << 53 || (std::is_signed_v<Integer> && value < -(int64_t(1) << 53)))
      value = Integer((value & ~low) | ((value & low) != 0 ? Integer(1) << 11 : 0));
  return double(value);
}

template <typename Format, typename Integer>
static void integerToFloat(Warp &warp, const DecodedInstruction &instruction) {
  const auto *a = warp.read<Integer>(instruction.operands[0]);
  warp.forEachLane<typename Format::Storage>(instruction.result, [=](unsigned lane) {
    if constexpr (sizeof(typename Format::Storage) == 2)
      return Format::store(toDoubleOdd(a[lane]));
    else
      return Format::store(typename Format::Value(a[lane]));
  });
}

template <typename Format> static void maskToFloat(Warp &warp, const DecodedInstruction &instruction) {
  float one = instruction.immediate ? -1.0f : 1.0f; // a signed bit is -1
  warp.forEachLane<typename Format::Storage>(
      instruction.result, warp.readMask(instruction.operands[0]),
      [=](unsigned, bool bit) { return Format::store(typename Format::Value(bit ? one : 0.0f)); });
}

Handler findIntegerToFloat(unsigned fromBytes, FloatFormat to, bool isSigned) {
  if (fromBytes == 0)
    return TRITON_BY_FORMAT(to, maskToFloat);
  return findByInteger(fromBytes, isSigned,
                       [&]<typename Integer>() -> Handler { return TRITON_BY_FORMAT(to, integerToFloat, Integer); });
}

} // namespace triton::simulator
