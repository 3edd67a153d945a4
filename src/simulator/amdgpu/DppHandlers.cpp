// Values of other lanes as operands of ordinary instructions (DPP), and permutations within and between rows of 16
// lanes.
#include "simulator/amdgpu/Handlers.h"
#include "simulator/amdgpu/LaneMoves.h"

#include "llvm/ADT/StringSwitch.h"

#include <array>

namespace triton::simulator::amdgpu {

constexpr unsigned rowSize = 16, bankSize = 4;
constexpr int outside = -1; ///< the source lies beyond the row or the warp

/// The lane that `lane` reads, or `outside`.
static int dppSource(unsigned control, unsigned lane, unsigned laneCount) {
  unsigned row = lane / rowSize * rowSize, place = lane % rowSize, distance = control & 15;
  auto inRow = [&](int source) { return source >= 0 && source < int(rowSize) ? int(row) + source : outside; };
  switch (control >> 4) {
  case 0x10:
    return inRow(int(place + distance));
  case 0x11:
    return inRow(int(place) - int(distance));
  case 0x12:
    return inRow(int((place + rowSize - distance) % rowSize));
  case 0x15:
    return inRow(int(distance));
  case 0x16:
    return inRow(int(place ^ distance));
  default:
    break;
  }
  auto inWarp = [&](int source) { return source >= 0 && source < int(laneCount) ? source : outside; };
  switch (control) {
  case 0x130: // wave_shl
    return inWarp(int(lane) + 1);
  case 0x134: // wave_rol
    return int((lane + 1) % laneCount);
  case 0x138: // wave_shr
    return inWarp(int(lane) - 1);
  case 0x13c: // wave_ror
    return int((lane + laneCount - 1) % laneCount);
  case 0x140: // row_mirror
    return inRow(int(rowSize - 1 - place));
  case 0x141: // row_half_mirror
    return int(lane / 8 * 8 + 7 - lane % 8);
  case 0x142: // row_bcast15
    return inWarp(int(row) - 1);
  case 0x143: // row_bcast31
    return lane < 32 ? outside : 31;
  default: // quad_perm
    return int(lane / 4 * 4 + (control >> 2 * (lane % 4) & 3));
  }
}

namespace {
/// What decides which lanes give their values to which.
struct DppMove {
  uint32_t control, rows, banks;
  bool zeroes; ///< whether a missing source is zero
  LaneMask active;
  unsigned laneCount;
  bool operator==(const DppMove &) const = default;
};
} // namespace

static int dppSource(const DppMove &move, unsigned lane) {
  if (!(move.rows >> lane / rowSize % 4 & 1) || !(move.banks >> lane % rowSize / bankSize & 1))
    return keepOld;
  int source = dppSource(move.control, lane, move.laneCount);
  if (source != outside && (move.active >> source & 1))
    return source;
  return move.zeroes ? becomeZero : keepOld;
}

/// A reduction repeats the same few moves, so that their sources are kept.
static const LaneSources &sourcesOf(const Warp &warp, const DppMove &move) {
  struct Known {
    DppMove move{};
    LaneSources sources{};
  };
  static thread_local std::array<Known, 64> table;
  auto lanes = uint32_t(move.active ^ move.active >> laneGroup);
  uint32_t hash = (move.control + (move.rows << 12) + lanes * 5) * 0x9e3779b1u; // whose upper bits depend on all bits
  Known &known = table[(hash >> 16) % table.size()];
  if (known.move != move)
    known = {move, sourcesOf(warp, [&](unsigned lane) { return dppSource(move, lane); })};
  return known.sources;
}

/// The last operands are the control, the masks of rows and banks, and whether a missing source is zero.
static void moveByDpp(Warp &warp, const OperandList &list, unsigned firstValue) {
  const RegisterOffset *last = list.inputs.data() + list.inputs.size() - 4;
  DppMove move{uniformOperand(warp, last[0]),
               uniformOperand(warp, last[1]),
               uniformOperand(warp, last[2]),
               uniformFlag(warp, last[3]),
               warp.active,
               warp.program.laneCount};
  moveLanes(warp, list, firstValue, 0, sourcesOf(warp, move));
}

/// update.dpp(old, value, ...).
static void updateDpp(Warp &warp, const DecodedInstruction &instruction) {
  const auto &list = *static_cast<const OperandList *>(instruction.detail);
  moveByDpp(warp, list, unsigned(list.outputs.size()));
}

/// mov.dpp(value, ...): what a lane keeps is not defined, here it is its own value.
static void moveDpp(Warp &warp, const DecodedInstruction &instruction) {
  moveByDpp(warp, *static_cast<const OperandList *>(instruction.detail), 0);
}

/// mov.dpp8(value, selectors of three bits).
static void moveDpp8(Warp &warp, const DecodedInstruction &instruction) {
  const auto &list = *static_cast<const OperandList *>(instruction.detail);
  uint32_t selectors = uniformOperand(warp, list.inputs.back());
  moveLanes(warp, list, 0, 0, sourcesOf(warp, [&](unsigned lane) {
              unsigned source = lane / 8 * 8 + (selectors >> 3 * (lane % 8) & 7);
              return isActive(warp, source) ? int(source) : becomeZero;
            }));
}

/// permlane16(old, value, selectors of lanes 0-7, of lanes 8-15, whether lanes that are switched off can be read,
/// whether they are zero otherwise). permlanex16 reads the other row of a pair.
template <bool otherRow> static void permuteRows(Warp &warp, const DecodedInstruction &instruction) {
  const auto &list = *static_cast<const OperandList *>(instruction.detail);
  const RegisterOffset *last = list.inputs.data() + list.inputs.size() - 4;
  uint64_t selectors = uniformOperand(warp, last[0]) | uint64_t(uniformOperand(warp, last[1])) << 32;
  bool fetches = uniformFlag(warp, last[2]), zeroes = uniformFlag(warp, last[3]);
  moveLanes(warp, list, unsigned(list.outputs.size()), 0, sourcesOf(warp, [&](unsigned lane) {
              unsigned row = (lane / rowSize ^ unsigned(otherRow)) * rowSize;
              unsigned source = row + unsigned(selectors >> 4 * (lane % rowSize) & 15);
              return fetches || isActive(warp, source) ? int(source) : zeroes ? becomeZero : keepOld;
            }));
}

/// permlane16.swap(a, b, ...) and permlane32.swap(a, b, ...): of each two neighbouring groups of lanes, the second one
/// of `a` and the first one of `b` change places.
template <unsigned group> static void swapGroups(Warp &warp, const DecodedInstruction &instruction) {
  needAllLanes(warp, instruction);
  const auto &list = *static_cast<const OperandList *>(instruction.detail);
  const auto *a = warp.read<uint32_t>(list.inputs[0]), *b = warp.read<uint32_t>(list.inputs[1]);
  auto isSecond = [](unsigned lane) { return lane / group % 2 == 1; };
  warp.forEachLane<uint32_t>(list.outputs[0],
                             [=](unsigned lane) { return isSecond(lane) ? b[lane - group] : a[lane]; });
  warp.forEachLane<uint32_t>(list.outputs[1],
                             [=](unsigned lane) { return isSecond(lane) ? b[lane] : a[lane + group]; });
}

Handler findDpp(llvm::StringRef name) {
  return llvm::StringSwitch<Handler>(name)
      .Case("update.dpp", &updateDpp)
      .Case("mov.dpp", &moveDpp)
      .Case("mov.dpp8", &moveDpp8)
      .Case("permlane16", &permuteRows<false>)
      .Case("permlanex16", &permuteRows<true>)
      .Case("permlane16.swap", &swapGroups<16>)
      .Case("permlane32.swap", &swapGroups<32>)
      .Default(nullptr);
}

} // namespace triton::simulator::amdgpu
