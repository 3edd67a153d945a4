// How a tensor gets from one distribution over threads to another. The lowering carries out the plan, and the
// allocation reserves its scratch.
#pragma once

#include "gpu/target/TargetInfo.h"

namespace triton::analysis {

/// A bit of the target's index, as the sum of a source register and a source lane.
struct Origin {
  int32_t registers = 0, lanes = 0;
};

/// A register bit and a lane bit of the source that are exchanged.
struct BitExchange {
  int32_t sourceRegister, sourceLane;  ///< masks of one bit
  unsigned targetRegister, targetLane; ///< the numbers of the bits to which the lane bit and the register bit move
};

struct ConversionPlan {
  enum class Kind {
    Registers, ///< every thread already has what it needs
    Shuffles,  ///< every warp has what it needs; the source register depends on the thread in at most four ways
    Shared,    ///< through shared memory
  };
  Kind kind;

  // Registers and Shuffles: where each bit of (register, lane, warp) of the target finds its element.
  llvm::SmallVector<Origin> registers = {}, lanes = {}, warps = {};
  /// Shuffles: everything that makes the source register depend on the thread; empty if that is not an exchange of
  /// bits.
  llvm::SmallVector<BitExchange, 2> exchanges = {};
  /// Where exchanges are all that makes the source register depend on the thread, or nothing does: bits of the target's
  /// registers whose elements, which are narrower than a word, are shuffled in one word.
  llvm::SmallVector<unsigned, 2> packed = {};

  // Shared: (register, lane, warp) -> "offset", in elements, such that neither side has bank conflicts. Vectors of one
  // side may be wider than those of the other. Rounds follow each other and use the same scratch. The registers of a
  // round are those whose round bits are its number; in the offsets they are numbered in their order.
  layout::LinearLayout storeOffsets = {}, loadOffsets = {};
  bool movesMatrices = false; ///< by instructions of whole warps, where the places allow it
  std::size_t scratchBytes = 0;
  /// Bits of the source's and of the target's registers that number the rounds, lowest first.
  llvm::SmallVector<unsigned, 2> sourceRounds = {}, targetRounds = {};

  unsigned rounds() const { return 1u << sourceRounds.size(); }
};

/// `source` and `target` are layouts of a tensor of the same shape with elements of `elementBytes` bytes. An exchange
/// through shared memory takes `rounds` rounds, a power of two, or fewer if the layouts do not allow so many.
ConversionPlan planConversion(const layout::LinearLayout &source, const layout::LinearLayout &target,
                              unsigned elementBytes, const gpu::Machine &machine, unsigned rounds = 1);
/// The same for the module's machine and the number of rounds in the attribute `allocation.rounds`.
ConversionPlan planConversion(ttg::ConvertLayoutOp op);

/// Requests twice as many rounds, each of which needs half of the scratch. Returns false and changes nothing if the
/// layouts do not allow it.
bool doubleRounds(ttg::ConvertLayoutOp op);

/// The bytes of an element in shared memory: a bit takes a byte, a pointer takes eight.
unsigned sharedElementBytes(mlir::Type element);

} // namespace triton::analysis
