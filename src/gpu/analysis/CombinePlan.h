// How reductions and scans process the bits of their axis. The lowering carries out the plan, and the allocation
// reserves its scratch.
#pragma once

#include "gpu/ir/Dialect.h"

namespace triton::analysis {

/// The input bit from which a bit of the coordinate along the axis comes.
struct AxisBit {
  enum class Source { Register, Lane, Warp };
  Source source;
  unsigned bit;
};

/// For each bit of the coordinate along `axis`, lowest first, the only input bit that sets it; this input bit sets
/// nothing else. None when the layout mixes the axis with others.
std::optional<llvm::SmallVector<AxisBit>> findAxisBits(const layout::LinearLayout &layout, unsigned axis);

/// The values that are exchanged between warps. Each operand has a piece of scratch.
struct ReducePlan {
  llvm::SmallVector<AxisBit> axisBits;
  /// Whether bits are processed from the lowest on, instead of those of registers, lanes and warps in turn: the order
  /// of the elements matters, and is not that of registers, lanes and warps.
  bool isInOrder = false;
  /// The first of the bits that the exchange processes, all of them if `isInOrder`.
  unsigned firstExchanged = 0;
  unsigned parts = 1;                                 ///< of the same result that are exchanged
  int64_t resultElements = 1;                         ///< elements of the result
  llvm::SmallVector<std::size_t> operandOffsets = {}; ///< [part][element] each
  std::size_t scratchBytes = 0;
};
/// None when the layout mixes the axis with others.
std::optional<ReducePlan> planReduce(tt::ReduceOp op);

/// Consecutive bits of the axis that belong to warps. The totals of all warps are exchanged through scratch at once.
struct ScanExchange {
  unsigned firstBit, bitCount;                        ///< of the axis
  llvm::SmallVector<unsigned> registers;              ///< whose totals differ, in a thread
  unsigned equalLaneBits = 0;                         ///< so many of the lowest lane bits do not change totals
  llvm::SmallVector<std::size_t> operandOffsets = {}; ///< [register][warp][other bits of the lane] each
};
struct ScanPlan {
  llvm::SmallVector<AxisBit> axisBits;
  llvm::SmallVector<ScanExchange> exchanges = {};
  std::size_t scratchBytes = 0;
};
/// How many bits of the axis, from number `first` on, are bits of lanes that follow one another there, too.
unsigned countLaneRun(const ScanPlan &plan, unsigned first);

/// With operands in `layout`; none when it mixes the axis with others.
std::optional<ScanPlan> planScan(tt::ScanOp op, const layout::LinearLayout &layout);
/// In the layout of its operands.
std::optional<ScanPlan> planScan(tt::ScanOp op);

} // namespace triton::analysis
