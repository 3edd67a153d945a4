// Exchanges among the lanes of a wave, by data-parallel primitives (DPP) where they reach, because these read registers
// directly. Rows have 16 lanes. The ISA documents describe both (DPP, ds_permute).
#include "backends/amd/lowering/AmdEmitter.h"

using namespace mlir;

namespace triton::amd {

namespace {

/// Control words of DPP.
enum Dpp : unsigned {
  RowRotate = 0x120,     ///< plus the distance
  RowMirror = 0x140,     ///< lane ^ 15
  RowHalfMirror = 0x141, ///< lane ^ 7
  RowXor = 0x160,        ///< plus the mask; generations from 10 on
};

constexpr unsigned rowLanes = 16;

} // namespace

/// Each lane's word comes from the lane that `control` names, which is always in the same row and active.
static Value emitDpp(Emitter &emitter, Value word, unsigned control) {
  constexpr unsigned allRows = 0xf, allBanks = 0xf;
  return emitter.intrinsic("amdgcn.update.dpp.i32", word.getType(),
                           {emitter.undefined(word.getType()), word, emitter.i32(control), emitter.i32(allRows),
                            emitter.i32(allBanks), emitter.i1(true)});
}

/// `mask` is from 1 to 3: a permutation within each four lanes.
static Value emitQuadXor(Emitter &emitter, Value word, unsigned mask) {
  unsigned control = 0;
  for (unsigned lane = 0; lane < 4; ++lane)
    control |= (lane ^ mask) << (2 * lane);
  return emitDpp(emitter, word, control);
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

/// v_permlane16_swap or v_permlane32_swap of the word with itself: of the two results, the one that is not the own
/// word.
static Value emitSwap(Emitter &emitter, Value word, unsigned distance) {
  auto &b = emitter.b;
  Type i32 = b.getI32Type();
  auto pair = LLVM::LLVMStructType::getLiteral(emitter.context(), {i32, i32});
  Value swapped = emitter.intrinsic("amdgcn.permlane" + std::to_string(distance) + ".swap", pair,
                                    {word, word, emitter.i1(false), emitter.i1(false)});
  Value upper = emitter.equal(emitter.bitAnd(emitter.lane(), distance), emitter.i32(distance));
  return emitter.select(upper, LLVM::ExtractValueOp::create(b, swapped, int64_t(0)),
                        LLVM::ExtractValueOp::create(b, swapped, int64_t(1)));
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
        word = emitSwap(emitter, word, distance);
    return row == 0 ? word : emitRowXor(emitter, word, row);
  }
  if (mask < 32)
    return emitSwizzleXor(emitter, word, mask);
  return emitShuffleIndex(emitter, word, emitter.bitXor(emitter.lane(), emitter.i32(mask)));
}

Value AmdEmitter::emitShuffleIndex(Emitter &emitter, Value word, Value lane) const {
  if (lane.getDefiningOp<LLVM::ConstantOp>()) // The result is in a scalar register.
    return emitter.intrinsic("amdgcn.readlane", word.getType(), {word, lane});
  return emitter.intrinsic("amdgcn.ds.bpermute", word.getType(), {emitter.shiftLeft(lane, 2), word});
}

} // namespace triton::amd
