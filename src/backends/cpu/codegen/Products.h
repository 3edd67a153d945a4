// Operands of matrix products: where they lie, packed, kept from the program before or loaded ahead.
#pragma once

#include "backends/cpu/codegen/Buffers.h"
#include "backends/cpu/emitters/DotEmitter.h"

#include "ir/Dialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace triton::cpu {

/// The packed blocks of a product's second operand, in a loop of the kernel, that the next program may find again.
struct KeptOperand {
  mlir::scf::ForOp loop;
  llvm::SmallVector<mlir::Value> scalars; ///< that decide what the blocks contain, in front of the loop
  int64_t blocks = 0, blockBytes = 0;
  int64_t stateAt = 0, blocksAt = 0; ///< in the scratch area
};

/// A product in a loop whose first operand is a block that it loads.
struct LoadedAhead {
  mlir::scf::ForOp loop;
  int64_t stateAt; ///< in the scratch area
};

// Dot.cpp
DotPlan planOf(Lowering &lowering, tt::DotOp op);
/// How many columns of B to load at once if B is a block that the product alone reads, row by row of memory, so that it
/// need not lie in a buffer before it is packed; otherwise 0.
unsigned columnsToPack(Lowering &lowering, tt::DotOp op);
void preparePacking(Lowering &lowering, tt::DotOp op);
/// Packs B into `buffer`, where it is loaded, after preparePacking.
void packWhereLoaded(Lowering &lowering, tt::DotOp op, mlir::Value buffer);

// PackedOperands.cpp
/// Fills in `packedBlocks` and `packedShapes`, before any code is emitted.
void findPackedOperands(Lowering &lowering);
mlir::Value addressOfPacked(Lowering &lowering, mlir::Operation *load);

// KeptOperands.cpp
/// Fills in `keptOperands`, before any code is emitted.
void findKeptOperands(Lowering &lowering);
void emitKeptReset(Lowering &lowering, mlir::Location loc);
void emitKeptChoice(Lowering &lowering, mlir::scf::ForOp loop);
mlir::Value emitKeptBlock(Lowering &lowering, tt::DotOp op);

// BlocksAhead.cpp
/// Fills in `blocksAhead`, before any code is emitted.
void findBlocksAhead(Lowering &lowering);
void emitAheadReset(Lowering &lowering, mlir::Location loc);
void emitAheadStart(Lowering &lowering, mlir::scf::ForOp loop);
BlockAhead emitBlockAhead(Lowering &lowering, tt::DotOp op);

} // namespace triton::cpu
