// Reductions and scans: what combines their elements, and the code that does it in the loops of a group.
#pragma once

#include "backends/cpu/codegen/LoopNest.h"

#include "ir/Dialect.h"

namespace triton::cpu {

struct Combiner {
  mlir::Region *region;
  llvm::SmallVector<mlir::Type> types; ///< of the operands, TTIR
  bool widened = false;                ///< accumulates in f32
  mlir::Operation *single = nullptr;   ///< the only operation, if it has a known neutral element
  bool keepsOrder = false;             ///< elements must be combined in the order of the axis
};

Combiner combinerOf(tt::ReduceOp op);
Combiner combinerOf(mlir::Region &region, mlir::TypeRange elementTypes);
/// The combinations of vectors of `count` lanes.
llvm::SmallVector<mlir::Value> combine(Lowering &lowering, mlir::Location loc, const Combiner &combiner,
                                       llvm::ArrayRef<mlir::Value> left, llvm::ArrayRef<mlir::Value> right,
                                       unsigned count);

// Reduce.cpp
llvm::SmallVector<mlir::Value> initialAccumulators(Lowering &lowering, NestPlan &plan, unsigned copies);
void accumulate(Lowering &lowering, tt::ReduceOp op, const TileIndex &index,
                llvm::MutableArrayRef<mlir::Value> accumulators, mlir::Value isFirst);
void finishReductions(Lowering &lowering, NestPlan &plan, const TileIndex &index,
                      llvm::ArrayRef<mlir::Value> accumulators, bool acrossLanes);

// Scan.cpp
void emitScanLoops(Lowering &lowering, NestPlan &plan, TileIndex index);

} // namespace triton::cpu
