// Decides which accesses of memory may be exchanged.
#pragma once

#include "mlir/IR/Operation.h"

namespace triton::analysis {

/// Whether two operations, or the operations in their regions, may access the same memory so that their order matters.
/// A `gpu.barrier` orders all that its kernel accesses, and any memory where programs may synchronise with others.
/// Arguments of a kernel may point to the same array unless one of them has the attribute `tt.noalias`, the kernel says
/// that the two are disjoint (analysis/DisjointArguments.h), or the loop whose body contains both operations has
/// `tt.disjoint_arguments`.
bool mustKeepOrder(mlir::Operation *first, mlir::Operation *second);

} // namespace triton::analysis
