// Conversions from and to floats of at most eight bits. The arguments of an intrinsic are an OperandList; `detail` also
// says which formats are meant.
#include "simulator/amdgpu/Conversion.h"
#include "simulator/amdgpu/Handlers.h"
#include "simulator/amdgpu/LaneMoves.h"
#include "simulator/core/FloatFormats.h"

#include <cmath>
#include <cstring>

namespace triton::simulator::amdgpu {

namespace {

const Conversion &conversionOf(const DecodedInstruction &instruction) {
  return *static_cast<const Conversion *>(instruction.detail);
}

/// The value of a lane's element in a wide format.
double loadWide(const Warp &warp, RegisterOffset offset, FloatFormat format, unsigned lane) {
  switch (format) {
  case FloatFormat::Half:
    return HalfFormat::load(warp.read<uint16_t>(offset)[lane]);
  case FloatFormat::BFloat:
    return BFloatFormat::load(warp.read<uint16_t>(offset)[lane]);
  case FloatFormat::Single:
    return warp.read<float>(offset)[lane];
  case FloatFormat::Double:
    return warp.read<double>(offset)[lane];
  }
  llvm_unreachable("all formats are listed");
}

void storeWide(Warp &warp, RegisterOffset offset, FloatFormat format, unsigned lane, double value) {
  if (format == FloatFormat::Half)
    warp.write<uint16_t>(offset)[lane] = HalfFormat::store(value);
  else if (format == FloatFormat::BFloat)
    warp.write<uint16_t>(offset)[lane] = BFloatFormat::store(value);
  else
    warp.write<float>(offset)[lane] = float(value);
}

/// The power of two that a scale's exponent means.
double scaleOf(const Warp &warp, const Conversion &conversion, unsigned lane) {
  if (!conversion.scale)
    return 1;
  uint32_t exponent = warp.read<uint32_t>(*conversion.scale)[lane] >> 23 & 0xff;
  return exponent == 0xff ? std::nan("") : std::ldexp(1.0, int(exponent) - 127);
}

/// Several registers of a lane as one string of bits, and back.
uint64_t loadBits(const Warp &warp, llvm::ArrayRef<RegisterOffset> registers, unsigned bytes, unsigned lane) {
  uint64_t bits = 0;
  for (auto [i, offset] : llvm::enumerate(registers))
    std::memcpy(reinterpret_cast<std::byte *>(&bits) + i * bytes, warp.read<std::byte>(offset) + lane * bytes, bytes);
  return bits;
}

void storeBits(Warp &warp, llvm::ArrayRef<RegisterOffset> registers, unsigned bytes, unsigned lane, uint64_t bits) {
  for (auto [i, offset] : llvm::enumerate(registers))
    std::memcpy(warp.write<std::byte>(offset) + lane * bytes, reinterpret_cast<std::byte *>(&bits) + i * bytes, bytes);
}

/// Narrow elements of the first value become the results; the place of the first one is given in elements.
void widenElements(Warp &warp, const DecodedInstruction &instruction) {
  const Conversion &conversion = conversionOf(instruction);
  unsigned bits = bitsOf(conversion.narrow);
  unsigned first = conversion.place ? uniformPlace(warp, conversion) * unsigned(conversion.outputs.size()) : 0;
  warp.forActiveLanes([&](unsigned lane) {
    uint64_t packed = loadBits(warp, conversion.values, conversion.valueBytes, lane) >> first * bits;
    double scale = scaleOf(warp, conversion, lane);
    for (auto [i, output] : llvm::enumerate(conversion.outputs))
      storeWide(warp, output, conversion.wide, lane,
                widen(packed >> i * bits & ((uint64_t(1) << bits) - 1), conversion.narrow) * scale);
  });
}

/// The values become narrow elements at a place of the old result; the rest of it remains.
void narrowElements(Warp &warp, const DecodedInstruction &instruction) {
  const Conversion &conversion = conversionOf(instruction);
  unsigned bits = bitsOf(conversion.narrow) * unsigned(conversion.values.size());
  unsigned first = conversion.place ? uniformPlace(warp, conversion) * bits : 0;
  warp.forActiveLanes([&](unsigned lane) {
    uint64_t packed = 0;
    double scale = scaleOf(warp, conversion, lane);
    for (auto [i, value] : llvm::enumerate(conversion.values)) {
      double scaled = loadWide(warp, value, conversion.wide, lane) / scale;
      uint32_t element =
          conversion.random
              ? narrowStochastically(float(scaled), warp.read<uint32_t>(*conversion.random)[lane], conversion.narrow)
              : narrow(scaled, conversion.narrow);
      packed |= uint64_t(element) << i * bitsOf(conversion.narrow);
    }
    uint64_t mask = ((uint64_t(1) << bits) - 1) << first;
    uint64_t old = loadBits(warp, conversion.old, conversion.outputBytes, lane);
    storeBits(warp, conversion.outputs, conversion.outputBytes, lane, (old & ~mask) | (packed << first & mask));
  });
}

/// Two f32 become two f16, toward zero.
void packTowardZero(Warp &warp, const DecodedInstruction &instruction) {
  const auto &list = *static_cast<const OperandList *>(instruction.detail);
  for (unsigned i = 0; i < 2; ++i) {
    const auto *values = warp.read<float>(list.inputs[i]);
    warp.forEachLane<uint16_t>(list.outputs[i],
                               [=](unsigned lane) { return halfFromFloat(values[lane], Rounding::TowardZero); });
  }
}

} // namespace

unsigned uniformPlace(const Warp &warp, const Conversion &conversion) {
  return conversion.placeIsFlag ? unsigned(uniformFlag(warp, *conversion.place))
                                : uniformOperand(warp, *conversion.place);
}

Handler wideningConversion() { return &widenElements; }
Handler narrowingConversion() { return &narrowElements; }
Handler packingTowardZero() { return &packTowardZero; }

} // namespace triton::simulator::amdgpu
