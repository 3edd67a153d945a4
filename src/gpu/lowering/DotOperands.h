// Operands of products: which loads of them a product does itself, and their types.
#pragma once

#include "gpu/ir/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace triton::gpu {

/// Whether the product that uses `load` reads the buffer itself. This is the case for a product on ordinary units that
/// is the only user, if nothing in between could write to the buffer. No code is emitted for such a load.
bool isReadByProduct(ttg::LocalLoadOp load);
/// The same for a product that widens what it reads, for which no code is emitted either.
bool isWidenedByProduct(mlir::arith::ExtFOp widening);

/// The types of the elements of both factors.
std::array<mlir::Type, 2> factorTypes(tt::DotScaledOp op);

} // namespace triton::gpu
