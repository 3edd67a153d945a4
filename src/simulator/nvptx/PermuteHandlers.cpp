// prmt: a word that consists of bytes of two others.
#include "simulator/core/Warp.h"
#include "simulator/nvptx/Handlers.h"

#include "llvm/ADT/StringSwitch.h"

#include <algorithm>

namespace triton::simulator::nvptx {

namespace {
enum class PermuteMode : uint8_t { Default, Forward, Backward, Replicate8, EdgeLeft, EdgeRight, Replicate16 };
} // namespace

/// Which of the eight bytes of a and b becomes result byte `i`. In the default mode, bit 3 asks for its sign instead.
template <PermuteMode mode> static unsigned pickByte(uint32_t selector, unsigned i) {
  unsigned position = selector & 3;
  switch (mode) {
  case PermuteMode::Default:
    return (selector >> (4 * i)) & 0xF;
  case PermuteMode::Forward:
    return position + i;
  case PermuteMode::Backward:
    return (position - i) & 7;
  case PermuteMode::Replicate8:
    return position;
  case PermuteMode::EdgeLeft:
    return std::max(position, i);
  case PermuteMode::EdgeRight:
    return std::min(position, i);
  case PermuteMode::Replicate16:
    return (selector & 1) * 2 + i % 2;
  }
  llvm_unreachable("all modes are listed");
}

/// prmt. The modes that read one register have only the operands a and selector.
template <PermuteMode mode> static void permuteBytes(Warp &warp, const DecodedInstruction &instruction) {
  constexpr bool twoSources =
      mode == PermuteMode::Default || mode == PermuteMode::Forward || mode == PermuteMode::Backward;
  const auto *a = warp.read<uint32_t>(instruction.operands[0]), *b = warp.read<uint32_t>(instruction.operands[1]),
             *selector = twoSources ? warp.read<uint32_t>(instruction.operands[2]) : b;
  warp.forEachLane<uint32_t>(instruction.result, [=](unsigned lane) {
    uint64_t bytes = (uint64_t(b[lane]) << 32) | a[lane];
    uint32_t result = 0;
    for (unsigned i = 0; i < 4; ++i) {
      unsigned pick = pickByte<mode>(selector[lane], i);
      auto byte = uint8_t(bytes >> (8 * (pick & 7)));
      if (pick & 8)
        byte = byte & 0x80 ? 0xFF : 0;
      result |= uint32_t(byte) << (8 * i);
    }
    return result;
  });
}

Handler findPermute(llvm::StringRef name) {
  return llvm::StringSwitch<Handler>(name)
      .Case("prmt", &permuteBytes<PermuteMode::Default>)
      .Case("prmt.f4e", &permuteBytes<PermuteMode::Forward>)
      .Case("prmt.b4e", &permuteBytes<PermuteMode::Backward>)
      .Case("prmt.rc8", &permuteBytes<PermuteMode::Replicate8>)
      .Case("prmt.ecl", &permuteBytes<PermuteMode::EdgeLeft>)
      .Case("prmt.ecr", &permuteBytes<PermuteMode::EdgeRight>)
      .Case("prmt.rc16", &permuteBytes<PermuteMode::Replicate16>)
      .Default(nullptr);
}

} // namespace triton::simulator::nvptx
