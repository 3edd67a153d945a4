// How a tensor gets from one distribution over threads to another. The lowering carries out the plan, the allocation
// reserves its scratch.
#pragma once

#include "gpu/target/TargetInfo.h"

namespace triton::analysis {

/// A bit of the target's index, as the sum of a source register and a source lane.
struct Origin {
  int32_t registers = 0, lanes = 0;
};

/// A register bit and a lane bit of the source that change places.
struct BitExchange {
  int32_t sourceRegister, sourceLane;  ///< masks of one bit
  unsigned targetRegister, targetLane; ///< the numbers of the bits where the lane bit and the register bit end up
};

struct ConversionPlan {
  enum class Kind {
    Registers, ///< every thread has what it wants
    Shuffles,  ///< every warp has; the source register depends on the thread in at most four ways
    Shared,    ///< through shared memory
  };
  Kind kind;

  // Registers and Shuffles: where each bit of (register, lane, warp) of the target finds its element.
  llvm::SmallVector<Origin> registers = {}, lanes = {}, warps = {};
  /// Shuffles: all that makes the source register depend on the thread; none where it is no exchange of bits.
  llvm::SmallVector<BitExchange, 2> exchanges = {};
  /// With exchanges: bits of the target's registers whose elements, narrower than a word, travel in one.
  llvm::SmallVector<unsigned, 2> packed = {};

  // Shared: (register, lane, warp) -> "offset", in elements, such that neither side has bank conflicts. Rounds follow
  // each other and use the same scratch. The registers of a round are those whose round bits spell its number; in the
  // offsets they are numbered in their order.
  layout::LinearLayout storeOffsets = {}, loadOffsets = {};
  std::size_t scratchBytes = 0;
  /// Bits of the source's and of the target's registers that number the rounds, lowest first.
  llvm::SmallVector<unsigned, 2> sourceRounds = {}, targetRounds = {};

  unsigned rounds() const { return 1u << sourceRounds.size(); }
};

/// `source` and `target` hold a tensor of the same shape with elements of `elementBytes` bytes. An exchange through
/// shared memory takes `rounds` rounds, a power of two, or fewer where the layouts do not allow so many.
ConversionPlan planConversion(const layout::LinearLayout &source, const layout::LinearLayout &target,
                              unsigned elementBytes, const gpu::Machine &machine, unsigned rounds = 1);
/// On the machine that the module is for, in the rounds that the attribute `allocation.rounds` asks for.
ConversionPlan planConversion(ttg::ConvertLayoutOp op);

/// Asks for twice as many rounds, each of which needs half of the scratch. False, and nothing changes, where the
/// layouts do not allow it.
bool doubleRounds(ttg::ConvertLayoutOp op);

/// Bytes of an element in shared memory: bits take a byte, pointers eight.
unsigned sharedElementBytes(mlir::Type element);

} // namespace triton::analysis
