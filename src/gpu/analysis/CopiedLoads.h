// Loads that asynchronous copies to shared memory can do in their place.
#pragma once

#include "analysis/AxisInfo.h"
#include "gpu/ir/Dialect.h"

namespace triton::ttg {

/// Why no copy to a buffer of this type, or null for one in any order, does what `load` does, whatever uses it; empty
/// where one could.
llvm::StringRef findCopyObstacle(tt::LoadOp load, MemDescType buffer, const analysis::AxisInfoAnalysis &axisInfo);

/// Whether an asynchronous copy can bring what `load` gives to a buffer of this type; null: to one in any order.
bool canCopy(tt::LoadOp load, MemDescType buffer, const analysis::AxisInfoAnalysis &axisInfo);

/// The registers of a thread that hold what `load` brings, if equal elements share one.
unsigned countDistinctRegisters(tt::LoadOp load, const analysis::AxisInfoAnalysis &axisInfo);

/// Whether many neighbours are the same element of memory, which copies would bring one by one, and few registers hold
/// those that differ.
bool repeatsElements(tt::LoadOp load, const analysis::AxisInfoAnalysis &axisInfo);

/// Whether `load`, which moves `width` elements at once, is in a loop of several stages and on the way to a product, so
/// that copies bring it to shared memory ahead. `numStages` is that of loops that say nothing else.
bool isCopiedAhead(tt::LoadOp load, unsigned width, int64_t numStages);

/// Whether computations of the body that write nothing, and buffers, lead from `load` to an operand of a product.
bool reachesProduct(tt::LoadOp load);

} // namespace triton::ttg
