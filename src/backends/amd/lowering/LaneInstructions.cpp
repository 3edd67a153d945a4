// Exchanges among the lanes of a wave, by data-parallel primitives (DPP) where they reach, because these read registers
// directly. Rows have 16 lanes. The ISA documents describe both (DPP, ds_permute).
#include "backends/amd/lowering/AmdEmitter.h"

using namespace mlir;

namespace triton::amd {

namespace {

/// Control words of DPP.
enum Dpp : unsigned {
  RowShiftLeft = 0x100,    ///< plus the distance
  RowShiftRight = 0x110,   ///< plus the distance
  RowRotate = 0x120,       ///< plus the distance
  WaveShiftRight1 = 0x138, ///< the lane before, also of another row; generation 9
  RowMirror = 0x140,       ///< lane ^ 15
  RowHalfMirror = 0x141,   ///< lane ^ 7
  RowBroadcast15 = 0x142,  ///< the last lane of a row for the next row; generation 9
  RowBroadcast31 = 0x143,  ///< lane 31 for the lanes behind it; generation 9
  RowXor = 0x160,          ///< plus the mask; generations from 10 on
};

constexpr unsigned rowLanes = 16, allBanks = 0xf;

} // namespace

/// Each lane's word comes from the lane that `control` names, or is 0 where there is none. Where `banks`, a mask of the
/// four quads of a row, leaves lanes out, their words remain.
static Value emitDpp(Emitter &emitter, Value word, unsigned control, unsigned banks = allBanks) {
  constexpr unsigned allRows = 0xf;
  return emitter.intrinsic("amdgcn.update.dpp.i32", word.getType(),
                           {banks == allBanks ? emitter.undefined(word.getType()) : word, word, emitter.i32(control),
                            emitter.i32(allRows), emitter.i32(banks), emitter.i1(true)});
}

/// A permutation within each four lanes.
static Value emitQuad(Emitter &emitter, Value word, llvm::function_ref<unsigned(unsigned)> sourceOf) {
  unsigned control = 0;
  for (unsigned lane = 0; lane < 4; ++lane)
    control |= sourceOf(lane) << (2 * lane);
  return emitDpp(emitter, word, control);
}

/// `mask` is from 1 to 3.
static Value emitQuadXor(Emitter &emitter, Value word, unsigned mask) {
  return emitQuad(emitter, word, [&](unsigned lane) { return lane ^ mask; });
}

/// `mask` is below 16, on generation 9, which has no RowXor.
static Value emitRowXor(Emitter &emitter, Value word, unsigned mask) {
  switch (mask & 12) {
  case 4:
    word = emitDpp(emitter, word, RowHalfMirror);
    mask ^= 7;
    break;
  case 8:
    word = emitDpp(emitter, word, RowRotate + 8);
    mask ^= 8;
    break;
  case 12:
    word = emitDpp(emitter, word, RowMirror);
    mask ^= 15;
    break;
  default:
    break;
  }
  return mask == 0 ? word : emitQuadXor(emitter, word, mask);
}

/// The words of the other row of each pair; generations from 10 on.
static Value emitOtherRow(Emitter &emitter, Value word) {
  constexpr int64_t lowLanes = 0x76543210, highLanes = 0xfedcba98;
  return emitter.intrinsic("amdgcn.permlanex16", word.getType(),
                           {emitter.undefined(word.getType()), word, emitter.i32(lowLanes),
                            emitter.i32(int32_t(highLanes)), emitter.i1(false), emitter.i1(false)});
}

/// ds_swizzle in the form for 32 lanes: (lane & and | or) ^ xor, five bits each.
static Value emitSwizzleXor(Emitter &emitter, Value word, unsigned mask) {
  return emitter.intrinsic("amdgcn.ds.swizzle", word.getType(), {word, emitter.i32(mask << 10 | 0x1f)});
}

/// v_permlane16_swap or v_permlane32_swap of the word with itself: the words of the lower and of the upper lane of each
/// pair.
static std::pair<Value, Value> emitSwap(Emitter &emitter, Value word, unsigned distance) {
  auto &b = emitter.b;
  Type i32 = b.getI32Type();
  auto pair = LLVM::LLVMStructType::getLiteral(emitter.context(), {i32, i32});
  Value swapped = emitter.intrinsic("amdgcn.permlane" + std::to_string(distance) + ".swap", pair,
                                    {word, word, emitter.i1(false), emitter.i1(false)});
  return {LLVM::ExtractValueOp::create(b, swapped, int64_t(0)), LLVM::ExtractValueOp::create(b, swapped, int64_t(1))};
}

/// Of the two words of a pair, the one that is not the own word.
static Value emitSwapped(Emitter &emitter, Value word, unsigned distance) {
  auto [lower, upper] = emitSwap(emitter, word, distance);
  Value isUpper = emitter.equal(emitter.bitAnd(emitter.lane(), distance), emitter.i32(distance));
  return emitter.select(isUpper, lower, upper);
}

Value AmdEmitter::emitShuffleXor(Emitter &emitter, Value word, unsigned mask) const {
  unsigned row = mask % rowLanes, rows = mask - row;
  if (architecture.generation >= 10) {
    if (row != 0)
      word = emitDpp(emitter, word, RowXor + row);
    return rows == 0 ? word : emitOtherRow(emitter, word);
  }
  if (rows == 0)
    return emitRowXor(emitter, word, row);
  if (architecture.hasLaneSwaps) {
    for (unsigned distance : {16u, 32u})
      if (rows & distance)
        word = emitSwapped(emitter, word, distance);
    return row == 0 ? word : emitRowXor(emitter, word, row);
  }
  if (mask < 32)
    return emitSwizzleXor(emitter, word, mask);
  return emitShuffleIndex(emitter, word, emitter.bitXor(emitter.lane(), emitter.i32(mask)));
}

Value AmdEmitter::emitShuffleAcross(Emitter &emitter, Value word, unsigned bit, unsigned equal) const {
  if (architecture.generation < 10 && bit == 2 && (equal & 3) == 3)
    return emitDpp(emitter, word, RowHalfMirror);
  return emitShuffleXor(emitter, word, 1u << bit);
}

std::pair<Value, Value> AmdEmitter::emitPair(Emitter &emitter, Value word, unsigned bit) const {
  unsigned distance = 1u << bit;
  if (distance < 4)
    return {emitQuad(emitter, word, [&](unsigned lane) { return lane & ~distance; }),
            emitQuad(emitter, word, [&](unsigned lane) { return lane | distance; })};
  if (distance < rowLanes) { // Half of the quads move.
    unsigned upperQuads = distance == 4 ? 0xa : 0xc;
    return {emitDpp(emitter, word, RowShiftRight + distance, upperQuads),
            emitDpp(emitter, word, RowShiftLeft + distance, allBanks & ~upperQuads)};
  }
  if (swapsLanes(bit))
    return emitSwap(emitter, word, distance);
  return TargetEmitter::emitPair(emitter, word, bit);
}

bool AmdEmitter::swapsLanes(unsigned bit) const { return architecture.hasLaneSwaps && 1u << bit >= rowLanes; }

std::optional<unsigned> AmdEmitter::firstPrecedingBit() const {
  constexpr unsigned ofRows = 4;
  return architecture.generation < 10 ? std::optional(ofRows) : std::nullopt;
}

Value AmdEmitter::emitPreceding(Emitter &emitter, Value word, unsigned bit) const {
  return emitDpp(emitter, word, bit == 4 ? RowBroadcast15 : RowBroadcast31);
}

Value AmdEmitter::emitEarlierLane(Emitter &emitter, Value word, int distance) const {
  return emitDpp(emitter, word, distance == 1 ? unsigned(WaveShiftRight1) : RowShiftRight + unsigned(distance));
}

Value AmdEmitter::emitShuffleIndex(Emitter &emitter, Value word, Value lane) const {
  if (lane.getDefiningOp<LLVM::ConstantOp>()) // The result is in a scalar register.
    return emitter.intrinsic("amdgcn.readlane", word.getType(), {word, lane});
  return emitter.intrinsic("amdgcn.ds.bpermute", word.getType(), {emitter.shiftLeft(lane, 2), word});
}

} // namespace triton::amd
