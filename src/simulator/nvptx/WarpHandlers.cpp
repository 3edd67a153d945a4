#include "simulator/core/LanePermutation.h"
#include "simulator/core/Launch.h"
#include "simulator/core/Warp.h"
#include "simulator/nvptx/Handlers.h"

#include "llvm/ADT/StringSwitch.h"

namespace triton::simulator::nvptx {

namespace {
enum class ShuffleMode : uint8_t { Up, Down, Butterfly, Index };
} // namespace

/// The lane that a lane reads, and whether it is in range.
template <ShuffleMode mode>
TRITON_ALWAYS_INLINE static inline unsigned shuffleSource(unsigned lane, uint32_t b, uint32_t c, uint32_t &isValid) {
  unsigned amount = b & 31, segment = (c >> 8) & 31, clamp = c & 31;
  unsigned last = (lane & segment) | (clamp & ~segment), first = lane & segment;
  unsigned source = 0;
  bool valid = false;
  if constexpr (mode == ShuffleMode::Up) {
    source = lane - amount;
    valid = int(source) >= int(last);
  } else if constexpr (mode == ShuffleMode::Down) {
    source = lane + amount;
    valid = source <= last;
  } else if constexpr (mode == ShuffleMode::Butterfly) {
    source = lane ^ amount;
    valid = source <= last;
  } else {
    source = first | (amount & ~segment);
    valid = source <= last;
  }
  isValid = valid;
  return valid ? source & 31 : lane;
}

/// shfl.sync. Inputs: mask, value, lane operand b, clamp operand c. Outputs: value and, in the predicate forms, whether
/// the source lane was in range. The rules were measured: b and c are cut to 5 bits, and bits 8 to 12 of c are the
/// segment mask.
template <ShuffleMode mode> static void shuffle(Warp &warp, const DecodedInstruction &instruction) {
  const auto &list = *static_cast<const OperandList *>(instruction.detail);
  const auto *b = warp.read<uint32_t>(list.inputs[2]), *c = warp.read<uint32_t>(list.inputs[3]);
  uint32_t sources[warpSize], isValid[warpSize], moved[warpSize];
  runWithVectors([&]() TRITON_ALWAYS_INLINE {
    for (unsigned lane = 0; lane < warpSize; ++lane)
      sources[lane] = shuffleSource<mode>(lane, b[lane], c[lane], isValid[lane]);
  });
  permuteLanes(warp.read<uint32_t>(list.inputs[1]), sources, warpSize, moved);
  warp.forEachLane<uint32_t>(list.outputs[0], [results = &moved[0]](unsigned lane) { return results[lane]; });
  if (list.outputs.size() > 1)
    warp.writeMask(list.outputs[1], warp.lanesWhere([flags = &isValid[0]](unsigned lane) { return flags[lane]; }));
}

/// The lanes that a member mask names and that run now. Member masks are the same in all participating lanes.
static LaneMask members(const Warp &warp, RegisterOffset mask) {
  return warp.read<uint32_t>(mask)[warp.firstLane()] & warp.active;
}

template <typename T, T (*combine)(T, T)> static void reduceAcross(Warp &warp, const DecodedInstruction &instruction) {
  const auto &list = *static_cast<const OperandList *>(instruction.detail);
  const T *values = warp.read<T>(list.inputs[0]);
  LaneMask lanes = members(warp, list.inputs[1]);
  T total = values[__builtin_ctzll(lanes)];
  for (LaneMask rest = lanes & (lanes - 1); rest; rest &= rest - 1)
    total = combine(total, values[__builtin_ctzll(rest)]);
  warp.forEachLane<T>(list.outputs[0], [=](unsigned) { return total; });
}

static uint32_t addValues(uint32_t a, uint32_t b) { return a + b; }
static uint32_t andValues(uint32_t a, uint32_t b) { return a & b; }
static uint32_t orValues(uint32_t a, uint32_t b) { return a | b; }
static uint32_t xorValues(uint32_t a, uint32_t b) { return a ^ b; }
template <typename T> static T smaller(T a, T b) { return a < b ? a : b; }
template <typename T> static T larger(T a, T b) { return a > b ? a : b; }

/// Votes read the mask (input 0) and a one-bit value (input 1).
static void voteBallot(Warp &warp, const DecodedInstruction &instruction) {
  const auto &list = *static_cast<const OperandList *>(instruction.detail);
  LaneMask result = warp.readMask(list.inputs[1]) & members(warp, list.inputs[0]);
  warp.forEachLane<uint32_t>(list.outputs[0], [=](unsigned) { return uint32_t(result); });
}

static void voteAny(Warp &warp, const DecodedInstruction &instruction) {
  const auto &list = *static_cast<const OperandList *>(instruction.detail);
  bool any = (warp.readMask(list.inputs[1]) & members(warp, list.inputs[0])) != 0;
  warp.writeMask(list.outputs[0], any ? warp.program.allLanes() : 0);
}

static void voteAll(Warp &warp, const DecodedInstruction &instruction) {
  const auto &list = *static_cast<const OperandList *>(instruction.detail);
  LaneMask lanes = members(warp, list.inputs[0]);
  bool all = (warp.readMask(list.inputs[1]) & lanes) == lanes;
  warp.writeMask(list.outputs[0], all ? warp.program.allLanes() : 0);
}

static void voteUniform(Warp &warp, const DecodedInstruction &instruction) {
  const auto &list = *static_cast<const OperandList *>(instruction.detail);
  LaneMask lanes = members(warp, list.inputs[0]), set = warp.readMask(list.inputs[1]) & lanes;
  warp.writeMask(list.outputs[0], set == 0 || set == lanes ? warp.program.allLanes() : 0);
}

static void elect(Warp &warp, const DecodedInstruction &instruction) {
  const auto &list = *static_cast<const OperandList *>(instruction.detail);
  uint32_t leader = __builtin_ctzll(members(warp, list.inputs[0]));
  warp.forEachLane<uint32_t>(list.outputs[0], [=](unsigned) { return leader; });
  warp.writeMask(list.outputs[1], LaneMask(1) << leader);
}

static void matchAny(Warp &warp, const DecodedInstruction &instruction) {
  const auto &list = *static_cast<const OperandList *>(instruction.detail);
  LaneMask lanes = members(warp, list.inputs[0]);
  const auto *values = warp.read<uint32_t>(list.inputs[1]);
  warp.forEachLane<uint32_t>(list.outputs[0], [&](unsigned lane) {
    return uint32_t(warp.lanesWhere([=](unsigned other) { return values[other] == values[lane]; }) & lanes);
  });
}

static void matchAll(Warp &warp, const DecodedInstruction &instruction) {
  const auto &list = *static_cast<const OperandList *>(instruction.detail);
  LaneMask lanes = members(warp, list.inputs[0]);
  const auto *values = warp.read<uint32_t>(list.inputs[1]);
  bool same = true;
  for (LaneMask rest = lanes; rest; rest &= rest - 1)
    same &= values[__builtin_ctzll(rest)] == values[__builtin_ctzll(lanes)];
  warp.forEachLane<uint32_t>(list.outputs[0], [=](unsigned) { return uint32_t(same ? lanes : 0); });
  if (list.outputs.size() > 1)
    warp.writeMask(list.outputs[1], same ? warp.program.allLanes() : 0);
}

static void activeMask(Warp &warp, const DecodedInstruction &instruction) {
  const auto &list = *static_cast<const OperandList *>(instruction.detail);
  LaneMask active = warp.active;
  warp.forEachLane<uint32_t>(list.outputs[0], [=](unsigned) { return uint32_t(active); });
}

Handler findWarpOperation(llvm::StringRef name) {
  return llvm::StringSwitch<Handler>(name)
      .Cases({"shfl.sync.up.i32", "shfl.sync.up.f32", "shfl.sync.up.i32p", "shfl.sync.up.f32p"},
             &shuffle<ShuffleMode::Up>)
      .Cases({"shfl.sync.down.i32", "shfl.sync.down.f32", "shfl.sync.down.i32p", "shfl.sync.down.f32p"},
             &shuffle<ShuffleMode::Down>)
      .Cases({"shfl.sync.bfly.i32", "shfl.sync.bfly.f32", "shfl.sync.bfly.i32p", "shfl.sync.bfly.f32p"},
             &shuffle<ShuffleMode::Butterfly>)
      .Cases({"shfl.sync.idx.i32", "shfl.sync.idx.f32", "shfl.sync.idx.i32p", "shfl.sync.idx.f32p"},
             &shuffle<ShuffleMode::Index>)
      .Case("redux.sync.add", &reduceAcross<uint32_t, addValues>)
      .Case("redux.sync.and", &reduceAcross<uint32_t, andValues>)
      .Case("redux.sync.or", &reduceAcross<uint32_t, orValues>)
      .Case("redux.sync.xor", &reduceAcross<uint32_t, xorValues>)
      .Case("redux.sync.umin", &reduceAcross<uint32_t, smaller<uint32_t>>)
      .Case("redux.sync.umax", &reduceAcross<uint32_t, larger<uint32_t>>)
      .Case("redux.sync.min", &reduceAcross<int32_t, smaller<int32_t>>)
      .Case("redux.sync.max", &reduceAcross<int32_t, larger<int32_t>>)
      .Case("vote.ballot.sync", &voteBallot)
      .Case("vote.any.sync", &voteAny)
      .Case("vote.all.sync", &voteAll)
      .Case("vote.uni.sync", &voteUniform)
      .Case("elect.sync", &elect)
      .Case("match.any.sync.i32", &matchAny)
      .Cases({"match.all.sync.i32p", "match.all.sync.i32"}, &matchAll)
      .Case("activemask", &activeMask)
      .Default(nullptr);
}

template <uint32_t value> static void constantRegister(Warp &warp, const DecodedInstruction &instruction) {
  warp.forEachLane<uint32_t>(instruction.result, [](unsigned) { return value; });
}

Handler findSpecialRegister(llvm::StringRef name) {
  return llvm::StringSwitch<Handler>(name)
      .Case("ctaid.x", programIdHandler(0))
      .Case("ctaid.y", programIdHandler(1))
      .Case("ctaid.z", programIdHandler(2))
      .Case("nctaid.x", programCountHandler(0))
      .Case("nctaid.y", programCountHandler(1))
      .Case("nctaid.z", programCountHandler(2))
      .Case("clusterid.x", clusterIdHandler(0))
      .Case("nclusterid.x", clusterCountHandler(0))
      .Case("cluster.ctaid.x", idInClusterHandler(0))
      .Case("cluster.nctaid.x", clusterSizeHandler(0))
      .Case("clusterid.y", clusterIdHandler(1))
      .Case("nclusterid.y", clusterCountHandler(1))
      .Case("cluster.ctaid.y", idInClusterHandler(1))
      .Case("cluster.nctaid.y", clusterSizeHandler(1))
      .Case("clusterid.z", clusterIdHandler(2))
      .Case("nclusterid.z", clusterCountHandler(2))
      .Case("cluster.ctaid.z", idInClusterHandler(2))
      .Case("cluster.nctaid.z", clusterSizeHandler(2))
      .Case("cluster.ctarank", rankInClusterHandler())
      .Case("cluster.nctarank", programsOfClusterHandler())
      .Case("tid.x", threadIdHandler())
      .Cases({"tid.y", "tid.z"}, &constantRegister<0>)
      .Case("ntid.x", threadCountHandler())
      .Cases({"ntid.y", "ntid.z"}, &constantRegister<1>)
      .Case("smid", multiprocessorIdHandler())
      .Case("globaltimer", timeHandler())
      .Case("laneid", laneIdHandler())
      .Case("warpid", warpIdHandler())
      .Case("warpsize", &constantRegister<warpSize>)
      .Default(nullptr);
}

} // namespace triton::simulator::nvptx
