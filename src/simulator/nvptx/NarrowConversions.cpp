// Conversions that name their rounding, to and between formats of up to 32 bits.
#include "simulator/core/Numerics.h"
#include "simulator/core/Warp.h"
#include "simulator/nvptx/Handlers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace triton::simulator::nvptx {

namespace {

/// The properties that the suffixes of a conversion require.
struct ConversionRule {
  Rounding rounding = Rounding::NearestEven;
  bool tiesAway = false;  ///< .rna
  bool relu = false;      ///< negative numbers become +0
  bool saturates = false; ///< .satfinite: infinite results become the largest number
};

enum class Narrow : uint8_t { Half, BFloat, TF32, E4M3, E5M2, E2M1 };

} // namespace

/// f32 to tf32 in a 32-bit register, whose low 13 bits are zero. Rounding to nearest with ties away adds half of the
/// last bit, except to NaN and infinity. Cutting off the low bits may turn a NaN into infinity.
static uint32_t convertToTF32(float value, const ConversionRule &rule) {
  constexpr uint32_t kept = ~uint32_t(0x1fff), exponent = 0x7f800000;
  uint32_t bits = bitCast<uint32_t>(value);
  if (rule.tiesAway)
    bits = ((bits & exponent) == exponent ? bits : bits + 0x1000) & kept;
  else
    bits = narrowFloat(value, 8, 10, rule.rounding, 0x3ffff) << 13;
  if (rule.saturates && (bits & exponent) == exponent && (rule.tiesAway || value == value))
    bits -= 0x2000;
  return bits;
}

static uint32_t convertNarrow(float value, Narrow target, const ConversionRule &rule) {
  if (rule.relu && !(value > 0) && value == value)
    value = 0;
  switch (target) {
  case Narrow::TF32:
    return convertToTF32(value, rule);
  case Narrow::E4M3:
    return e4m3FromFloat(value);
  case Narrow::E5M2:
    return e5m2FromFloat(value);
  case Narrow::E2M1:
    return e2m1FromFloat(value);
  case Narrow::Half:
  case Narrow::BFloat:
    break;
  }
  bool toHalf = target == Narrow::Half;
  uint32_t infinity = toHalf ? 0x7c00 : 0x7f80;
  uint32_t bits = toHalf ? halfFromFloat(value, rule.rounding) : bfloatFromFloat(value, rule.rounding);
  return rule.saturates && (bits & 0x7fff) == infinity ? bits - 1 : bits;
}

/// Converts one or two f32 to one result; `a` is the high half of a pair. A vector result has a register for each
/// element.
template <Narrow target> static void convertFromSingle(Warp &warp, const DecodedInstruction &instruction) {
  const auto &list = *static_cast<const OperandList *>(instruction.detail);
  auto flags = uint64_t(instruction.immediate);
  ConversionRule rule{flags & 1 ? Rounding::TowardZero : Rounding::NearestEven, bool(flags & 2), bool(flags & 4),
                      bool(flags & 8)};
  auto convert = [&](unsigned input, unsigned lane) {
    return convertNarrow(warp.read<float>(list.inputs[input])[lane], target, rule);
  };
  constexpr bool eightBits = target == Narrow::E4M3 || target == Narrow::E5M2, fourBits = target == Narrow::E2M1;
  if constexpr (target == Narrow::TF32) {
    warp.forEachLane<uint32_t>(list.outputs[0], [=](unsigned lane) { return convert(0, lane); });
  } else if constexpr (eightBits || fourBits) {
    constexpr unsigned bits = eightBits ? 8 : 4;
    warp.forEachLane<uint16_t>(list.outputs[0],
                               [=](unsigned lane) { return uint16_t(convert(0, lane) << bits | convert(1, lane)); });
  } else {
    for (auto [place, output] : llvm::enumerate(list.outputs)) {
      auto input = unsigned(list.outputs.size() - 1 - place);
      warp.forEachLane<uint16_t>(output, [=](unsigned lane) { return uint16_t(convert(input, lane)); });
    }
  }
}

template <Narrow target> static void convertHalfPair(Warp &warp, const DecodedInstruction &instruction) {
  const auto &list = *static_cast<const OperandList *>(instruction.detail);
  ConversionRule rule{Rounding::NearestEven, false, bool(instruction.immediate & 4), true};
  auto convert = [&](unsigned input, unsigned lane) {
    return convertNarrow(floatFromHalf(warp.read<uint16_t>(list.inputs[input])[lane]), target, rule);
  };
  warp.forEachLane<uint16_t>(list.outputs[0],
                             [=](unsigned lane) { return uint16_t(convert(1, lane) << 8 | convert(0, lane)); });
}

template <Narrow source> static void widen(Warp &warp, const DecodedInstruction &instruction) {
  const auto &list = *static_cast<const OperandList *>(instruction.detail);
  bool relu = instruction.immediate & 4;
  const auto *pairs = warp.read<uint16_t>(list.inputs[0]);
  for (auto [place, output] : llvm::enumerate(list.outputs))
    warp.forEachLane<uint16_t>(output, [&, place = place](unsigned lane) {
      constexpr unsigned bits = source == Narrow::E2M1 ? 4 : 8;
      auto code = uint8_t(pairs[lane] >> (bits * place));
      uint16_t half = source == Narrow::E4M3   ? halfFromE4M3(code)
                      : source == Narrow::E5M2 ? halfFromE5M2(code)
                                               : halfFromE2M1(code & 15);
      return relu && half & 0x8000 ? uint16_t(0) : half;
    });
}

Handler findConversion(llvm::StringRef name, int64_t &flags) {
  llvm::SmallVector<llvm::StringRef, 4> parts;
  name.split(parts, '.');
  llvm::StringRef family = parts.front();
  llvm::ArrayRef<llvm::StringRef> suffixes = llvm::ArrayRef(parts).drop_front();
  if (parts.size() >= 3 && parts[1] == "to") { // "ff.to.e4m3x2.rn", "e4m3x2.to.f16x2.rn"
    family = name.take_front(family.size() + 4 + parts[2].size());
    suffixes = suffixes.drop_front(2);
  }
  flags = 0;
  for (llvm::StringRef suffix : suffixes) {
    if (suffix == "rn")
      continue;
    int64_t flag = llvm::StringSwitch<int64_t>(suffix)
                       .Case("rz", 1)
                       .Case("rna", 2)
                       .Case("relu", 4)
                       .Case("satfinite", 8)
                       .Default(0);
    if (flag == 0)
      return nullptr;
    flags |= flag;
  }
  return llvm::StringSwitch<Handler>(family)
      .Cases({"f2f16", "ff2f16x2"}, &convertFromSingle<Narrow::Half>)
      .Cases({"f2bf16", "ff2bf16x2"}, &convertFromSingle<Narrow::BFloat>)
      .Case("f2tf32", &convertFromSingle<Narrow::TF32>)
      .Case("ff.to.e4m3x2", &convertFromSingle<Narrow::E4M3>)
      .Case("ff.to.e5m2x2", &convertFromSingle<Narrow::E5M2>)
      .Case("ff.to.e2m1x2", &convertFromSingle<Narrow::E2M1>)
      .Case("e2m1x2.to.f16x2", &widen<Narrow::E2M1>)
      .Case("f16x2.to.e4m3x2", &convertHalfPair<Narrow::E4M3>)
      .Case("f16x2.to.e5m2x2", &convertHalfPair<Narrow::E5M2>)
      .Case("e4m3x2.to.f16x2", &widen<Narrow::E4M3>)
      .Case("e5m2x2.to.f16x2", &widen<Narrow::E5M2>)
      .Default(nullptr);
}

} // namespace triton::simulator::nvptx
