// Integer arithmetic with twice the width, which NVIDIA's library of functions writes as sequences with carries.
#include "simulator/core/Warp.h"
#include "simulator/nvptx/Handlers.h"

#include "llvm/ADT/StringSwitch.h"

namespace triton::simulator::nvptx {

namespace {

using Wide = unsigned __int128;

template <typename T> struct Twice;
template <> struct Twice<uint32_t> {
  using Type = uint64_t;
};
template <> struct Twice<uint64_t> {
  using Type = Wide;
};

/// a * b + c, the low word and the high one; without a third operand c is 0.
template <typename Word> void multiplyAdd(Warp &warp, const DecodedInstruction &instruction) {
  const auto &list = *static_cast<const OperandList *>(instruction.detail);
  const Word *a = warp.read<Word>(list.inputs[0]), *b = warp.read<Word>(list.inputs[1]);
  const Word *c = list.inputs.size() > 2 ? warp.read<Word>(list.inputs[2]) : nullptr;
  auto product = [&](unsigned lane) {
    using Double = Twice<Word>::Type;
    return Double(a[lane]) * b[lane] + (c ? c[lane] : 0);
  };
  warp.forEachLane<Word>(list.outputs[0], [=](unsigned lane) { return Word(product(lane)); });
  warp.forEachLane<Word>(list.outputs[1], [=](unsigned lane) { return Word(product(lane) >> (8 * sizeof(Word))); });
}

/// Sum or difference of numbers given by their low and high words.
template <bool isSum> void addWide(Warp &warp, const DecodedInstruction &instruction) {
  const auto &list = *static_cast<const OperandList *>(instruction.detail);
  auto operand = [&](unsigned first, unsigned lane) {
    return Wide(warp.read<uint64_t>(list.inputs[first + 1])[lane]) << 64 |
           warp.read<uint64_t>(list.inputs[first])[lane];
  };
  auto result = [&](unsigned lane) {
    return isSum ? operand(0, lane) + operand(2, lane) : operand(0, lane) - operand(2, lane);
  };
  warp.forEachLane<uint64_t>(list.outputs[0], [=](unsigned lane) { return uint64_t(result(lane)); });
  warp.forEachLane<uint64_t>(list.outputs[1], [=](unsigned lane) { return uint64_t(result(lane) >> 64); });
}

} // namespace

Handler findWideArithmetic(llvm::StringRef name) {
  return llvm::StringSwitch<Handler>(name)
      .Case("mad.wide.u32", &multiplyAdd<uint32_t>)
      .Case("mad.wide.u64", &multiplyAdd<uint64_t>)
      .Case("add.u128", &addWide<true>)
      .Case("sub.u128", &addWide<false>)
      .Default(nullptr);
}

} // namespace triton::simulator::nvptx
