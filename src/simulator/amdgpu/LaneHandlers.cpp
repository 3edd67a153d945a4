// Reading single lanes, permutations through the hardware of LDS, votes, and reductions of a warp.
#include "simulator/amdgpu/Handlers.h"
#include "simulator/amdgpu/LaneMoves.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <type_traits>

namespace triton::simulator::amdgpu {

void needAllLanes(Warp &warp, const DecodedInstruction &instruction) {
  if (warp.active == warp.program.allLanes())
    return;
  unsigned here = unsigned(llvm::popcount(warp.active)), all = warp.program.laneCount;
  warp.report(
      FindingKind::PartialWarp, instruction.location, warp.firstLane(),
      llvm::formatv("{0} of the {1} lanes are here; the instruction reads the registers of all of them", here, all)
          .str());
}

static const OperandList &listOf(const DecodedInstruction &instruction) {
  return *static_cast<const OperandList *>(instruction.detail);
}

/// All lanes receive the value of one, which may be a bit of a mask.
static void spreadLane(Warp &warp, const OperandList &list, unsigned source) {
  if (list.outputBytes.front() == 0)
    warp.writeMask(list.outputs.front(), warp.readMask(list.inputs.front()) >> source & 1 ? ~LaneMask(0) : 0);
  else
    moveLanes(warp, list, 0, 0, sourcesOf(warp, [&](unsigned) { return int(source); }));
}

/// readlane(value, lane). A lane that is switched off holds what was in its register before.
static void readLane(Warp &warp, const DecodedInstruction &instruction) {
  const OperandList &list = listOf(instruction);
  unsigned source = uniformOperand(warp, list.inputs.back()) % warp.program.laneCount;
  if (!isActive(warp, source))
    warp.report(FindingKind::PartialWarp, instruction.location, warp.firstLane(),
                llvm::formatv("lane {0}, whose value is read, is not here", source).str());
  spreadLane(warp, list, source);
}

static void readFirstLane(Warp &warp, const DecodedInstruction &instruction) {
  spreadLane(warp, listOf(instruction), warp.firstLane());
}

/// writelane(value, lane, old): one lane receives the value, which is the same in all lanes.
static void writeLane(Warp &warp, const DecodedInstruction &instruction) {
  const OperandList &list = listOf(instruction);
  unsigned count = unsigned(list.outputs.size());
  unsigned target = uniformOperand(warp, list.inputs[count]) % warp.program.laneCount;
  moveLanes(warp, list, 0, count + 1,
            sourcesOf(warp, [&](unsigned lane) { return lane == target ? int(warp.firstLane()) : keepOld; }));
}

/// ds.bpermute(address, value): each lane reads the lane at its address. Some processors permute the halves of 64 lanes
/// separately.
template <bool byHalves> static void pullLanes(Warp &warp, const DecodedInstruction &instruction) {
  const OperandList &list = listOf(instruction);
  const auto *addresses = warp.read<uint32_t>(list.inputs[0]);
  unsigned reach = byHalves ? laneGroup : warp.program.laneCount;
  moveLanes(warp, list, 1, 1, sourcesOf(warp, [&](unsigned lane) {
              unsigned source = lane / reach * reach + addresses[lane] / 4 % reach;
              return isActive(warp, source) ? int(source) : becomeZero;
            }));
}

/// ds.permute(address, value): each lane writes to the lane at its address. The highest lane wins, and a lane to which
/// nobody writes receives zero.
template <bool byHalves> static void pushLanes(Warp &warp, const DecodedInstruction &instruction) {
  const OperandList &list = listOf(instruction);
  const auto *addresses = warp.read<uint32_t>(list.inputs[0]);
  unsigned reach = byHalves ? laneGroup : warp.program.laneCount;
  LaneSources sources = sourcesOf(warp, [](unsigned) { return becomeZero; });
  warp.forActiveLanes([&](unsigned lane) { sources[lane / reach * reach + addresses[lane] / 4 % reach] = int(lane); });
  moveLanes(warp, list, 1, 1, sources);
}

/// ds.swizzle(value, pattern): a permutation of each four lanes, or a mask, an or and an exclusive or of the lanes'
/// numbers.
static void swizzleLanes(Warp &warp, const DecodedInstruction &instruction) {
  const OperandList &list = listOf(instruction);
  uint32_t pattern = uniformOperand(warp, list.inputs[1]);
  moveLanes(warp, list, 0, 0, sourcesOf(warp, [&](unsigned lane) {
              unsigned source = pattern & 0x8000
                                    ? lane / 4 * 4 + (pattern >> 2 * (lane % 4) & 3)
                                    : lane / 32 * 32 + (((lane % 32 & pattern) | pattern >> 5) ^ pattern >> 10) % 32;
              return isActive(warp, source) ? int(source) : becomeZero;
            }));
}

/// permlane64(value): the two halves of 64 lanes change places.
static void swapHalves(Warp &warp, const DecodedInstruction &instruction) {
  bool isWide = warp.program.laneCount == mostLanes;
  moveLanes(warp, listOf(instruction), 0, 0, sourcesOf(warp, [&](unsigned lane) {
              unsigned source = isWide ? lane ^ 32 : lane;
              return isActive(warp, source) ? int(source) : becomeZero;
            }));
}

static void ballot(Warp &warp, const DecodedInstruction &instruction) {
  const OperandList &list = listOf(instruction);
  LaneMask lanes = warp.readMask(list.inputs[0]) & warp.active;
  withElement(list.outputBytes[0],
              [&]<typename T>() { warp.forEachLane<T>(list.outputs[0], [=](unsigned) { return T(lanes); }); });
}

static void inverseBallot(Warp &warp, const DecodedInstruction &instruction) {
  const OperandList &list = listOf(instruction);
  LaneMask lanes = list.inputBytes[0] == 4 ? uniformOperand(warp, list.inputs[0])
                                           : warp.read<uint64_t>(list.inputs[0])[warp.firstLane()];
  warp.writeMask(list.outputs[0], lanes);
}

/// mbcnt(mask, base): how many of the lower lanes are in the mask, plus the base. The mask is for 32 of the lanes.
template <unsigned first> static void countLower(Warp &warp, const DecodedInstruction &instruction) {
  const OperandList &list = listOf(instruction);
  const auto *masks = warp.read<uint32_t>(list.inputs[0]), *bases = warp.read<uint32_t>(list.inputs[1]);
  warp.forEachLane<uint32_t>(list.outputs[0], [=](unsigned lane) {
    uint64_t lower = (uint64_t(1) << lane) - 1;
    return bases[lane] + uint32_t(llvm::popcount(uint64_t(masks[lane]) << first & lower));
  });
}

//===--- Reductions ---------------------------------------------------------------------------------------------===//

/// wave.reduce(value, strategy): the active lanes' values, combined.
template <typename T, T (*combine)(T, T)> static void reduce(Warp &warp, const OperandList &list) {
  const T *values = warp.read<T>(list.inputs[0]);
  T total = values[warp.firstLane()];
  for (LaneMask rest = warp.active & (warp.active - 1); rest; rest &= rest - 1)
    total = combine(total, values[__builtin_ctzll(rest)]);
  warp.forEachLane<T>(list.outputs[0], [=](unsigned) { return total; });
}

namespace {
#define TRITON_REDUCTION(name, signs, expression)                                                                      \
  struct name {                                                                                                        \
    template <typename T> static T combine(T a, T b) { return T(expression); }                                         \
    template <typename T> using Value = std::make_##signs##_t<T>;                                                      \
  };
TRITON_REDUCTION(Sum, unsigned, a + b)
TRITON_REDUCTION(Conjunction, unsigned, a &b)
TRITON_REDUCTION(Disjunction, unsigned, a | b)
TRITON_REDUCTION(ExclusiveDisjunction, unsigned, a ^ b)
TRITON_REDUCTION(Least, unsigned, std::min(a, b))
TRITON_REDUCTION(Greatest, unsigned, std::max(a, b))
TRITON_REDUCTION(LeastSigned, signed, std::min(a, b))
TRITON_REDUCTION(GreatestSigned, signed, std::max(a, b))
#undef TRITON_REDUCTION
} // namespace

template <typename Reduction> static void reduceLanes(Warp &warp, const DecodedInstruction &instruction) {
  const OperandList &list = listOf(instruction);
  withElement(list.outputBytes[0], [&]<typename T>() {
    using Value = Reduction::template Value<T>;
    reduce<Value, &Reduction::template combine<Value>>(warp, list);
  });
}

Handler findLaneOperation(llvm::StringRef name) {
  return llvm::StringSwitch<Handler>(name)
      .Case("readlane", &readLane)
      .Case("readfirstlane", &readFirstLane)
      .Case("writelane", &writeLane)
      .Case("ds.bpermute", &pullLanes<false>)
      .Case("ds.bpermute.halves", &pullLanes<true>)
      .Case("ds.permute", &pushLanes<false>)
      .Case("ds.permute.halves", &pushLanes<true>)
      .Case("ds.swizzle", &swizzleLanes)
      .Case("permlane64", &swapHalves)
      .Case("ballot", &ballot)
      .Case("inverse.ballot", &inverseBallot)
      .Case("mbcnt.lo", &countLower<0>)
      .Case("mbcnt.hi", &countLower<32>)
      .Case("wave.reduce.add", &reduceLanes<Sum>)
      .Case("wave.reduce.and", &reduceLanes<Conjunction>)
      .Case("wave.reduce.or", &reduceLanes<Disjunction>)
      .Case("wave.reduce.xor", &reduceLanes<ExclusiveDisjunction>)
      .Case("wave.reduce.umin", &reduceLanes<Least>)
      .Case("wave.reduce.umax", &reduceLanes<Greatest>)
      .Case("wave.reduce.min", &reduceLanes<LeastSigned>)
      .Case("wave.reduce.max", &reduceLanes<GreatestSigned>)
      .Default(nullptr);
}

} // namespace triton::simulator::amdgpu
