// What passes that let warp_group_dot run beside other work must know of it.
#pragma once

#include "gpu/ir/Dialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace triton::ttg {

/// What a thread may hold of products in registers at once, beside addresses and counters.
unsigned registersOfProducts(mlir::Operation *op);

/// What data may take of the registers of a thread, beside addresses and counters.
unsigned registersOfData(mlir::Operation *op);

/// Accumulators of 16 bits share registers, which a carried value would take apart in flight.
bool hasWholeRegisters(WarpGroupDotOp dot);

/// What `loop` carries to which `dot`, and nothing else in the body, adds; null for other sums. Where the result is
/// carried on, the product may go on in the next iteration.
mlir::BlockArgument findCarriedSum(WarpGroupDotOp dot, mlir::scf::ForOp loop);

/// The last product of `loop` that reads shared memory and adds to what the loop carries; null if there is none. It may
/// go on in the next round, in which copies must not overwrite what it reads before later products are issued.
WarpGroupDotOp findProductThatGoesOn(mlir::scf::ForOp loop);

/// Whether nothing writes what `view` shows before the next iteration is through with its products: it stands outside
/// the loop, or is a slot of a ring.
bool outlivesIteration(mlir::Value view, mlir::scf::ForOp loop);

/// What says to others, in the body of `loop`, that buffers of one of `dots` are free.
llvm::SmallVector<ArriveBarrierOp> findReleases(mlir::scf::ForOp loop, llvm::ArrayRef<WarpGroupDotOp> dots);

} // namespace triton::ttg
