// Operands of matrix products, and the ways in which they arrive with less work.
#pragma once

#include "backends/cpu/codegen/Buffers.h"
#include "backends/cpu/emitters/DotEmitter.h"

#include "ir/Dialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <memory>

namespace triton::cpu {

/// Where a product finds its operands, besides the buffers of tensors.
struct ProductOperands {
  mlir::Value packed; ///< the second operand, packed; null where the product packs it itself
  BlockAhead ahead;   ///< the block of the first operand that the next iteration will load
};

/// A way in which operands of products arrive with less work. It finds the products that it serves before any code is
/// emitted.
class OperandSupply {
public:
  virtual ~OperandSupply() = default;

  /// Whether the second operand of the product comes packed from here.
  virtual bool packs(tt::DotOp) const { return false; }
  /// Whether the operation only says how an operand was packed, so that it moves nothing.
  virtual bool describesPacking(mlir::Operation *) const { return false; }

  /// At the entry, before the loop over programs.
  virtual void emitEntry(Lowering &, mlir::Location) const {}
  /// In front of a loop of the kernel.
  virtual void emitLoopStart(Lowering &, mlir::scf::ForOp) const {}
  /// Before the nest of a product, and in it.
  virtual void emitBeforeProduct(Lowering &, tt::DotOp, ProductOperands &) const {}
  virtual void emitInProduct(Lowering &, tt::DotOp, ProductOperands &) const {}
};

// PackedOperands.cpp, KeptOperands.cpp, BlocksAhead.cpp
/// Of operands that a host packed.
std::unique_ptr<OperandSupply> findPackedOperands(Lowering &lowering);
/// Of packed operands that stay from one program to the next. After those that a host packed.
std::unique_ptr<OperandSupply> findKeptOperands(Lowering &lowering);
/// Of operands that the next iteration will load.
std::unique_ptr<OperandSupply> findBlocksAhead(Lowering &lowering);

// Dot.cpp
DotPlan planOf(Lowering &lowering, tt::DotOp op);
/// How many columns of B to load at once if B is a block that the product alone reads, row by row of memory, so that it
/// need not lie in a buffer before it is packed; otherwise 0.
unsigned columnsToPack(Lowering &lowering, tt::DotOp op);
void preparePacking(Lowering &lowering, tt::DotOp op);
/// Packs B into `buffer`, where it is loaded, after preparePacking.
void packWhereLoaded(Lowering &lowering, tt::DotOp op, mlir::Value buffer);
/// Whether the second operand comes packed from a supply.
bool comesPacked(const Lowering &lowering, tt::DotOp op);

} // namespace triton::cpu
