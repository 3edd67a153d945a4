#include "simulator/core/Handlers.h"
#include "simulator/core/Warp.h"

namespace triton::simulator {

/// Whether a number belongs to one of the classes in a mask, which is operand 1: signaling NaN, quiet NaN, then from
/// -infinity to +infinity: infinity, normal, subnormal, zero of each sign.
template <typename Bits, unsigned mantissaBits>
static void classify(Warp &warp, const DecodedInstruction &instruction) {
  const Bits *numbers = warp.read<Bits>(instruction.operands[0]);
  const auto *masks = warp.read<uint32_t>(instruction.operands[1]);
  constexpr Bits sign = Bits(Bits(1) << (sizeof(Bits) * 8 - 1)), least = Bits(Bits(1) << mantissaBits),
                 infinity = Bits((sign - 1) & ~(least - 1));
  warp.writeMask(instruction.result, warp.lanesWhere([=](unsigned lane) {
    Bits magnitude = numbers[lane] & Bits(sign - 1);
    if (magnitude > infinity)
      return (masks[lane] >> (magnitude & (least >> 1) ? 1 : 0) & 1) != 0;
    unsigned size = magnitude == infinity ? 3 : magnitude >= least ? 2 : magnitude != 0 ? 1 : 0;
    return (masks[lane] >> (numbers[lane] & sign ? 5 - size : 6 + size) & 1) != 0;
  }));
}

Handler findFloatClass(FloatFormat format) {
  switch (format) {
  case FloatFormat::Half:
    return &classify<uint16_t, 10>;
  case FloatFormat::BFloat:
    return &classify<uint16_t, 7>;
  case FloatFormat::Single:
    return &classify<uint32_t, 23>;
  case FloatFormat::Double:
    return &classify<uint64_t, 52>;
  }
  llvm_unreachable("all formats are listed");
}

} // namespace triton::simulator
