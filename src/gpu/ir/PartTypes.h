// The types of the parts that one block of a cluster has of tensors and buffers.
#pragma once

#include "gpu/ir/Dialect.h"

namespace triton::ttg {

/// The coordinates, in elements, that each bit of a block's number adds to those of its part; none where a type is not
/// divided among blocks, and zeros for blocks that have the same part.
llvm::SmallVector<layout::Basis> getPartBases(mlir::Type type);

/// The type of a block's part of a tensor or a buffer; null where parts are not boxes. Other types stay what they are.
mlir::Type getPartType(mlir::Type type);

/// The bits of a block's number under which the part is the same.
unsigned getSharedBits(mlir::Type type);

/// Whether the same blocks have the same elements of both, counted from the last dimension where one has more.
bool areDividedAlike(mlir::Type left, mlir::Type right);

/// Whether blocks have different parts of dimension `dimension`.
bool isDivided(mlir::Type type, unsigned dimension);

} // namespace triton::ttg
