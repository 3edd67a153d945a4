// What computing or moving a tensor costs in a layout, in clocks of a multiprocessor: each scheduler issues an
// instruction of a warp in a clock, and shared memory moves a row.
#pragma once

#include "gpu/target/TargetInfo.h"

namespace triton::analysis {

/// One execution of `op` with its results, or for reductions and scans its operands, in `layout`.
double computationCost(mlir::Operation *op, mlir::Attribute layout, const gpu::Machine &machine);

/// One conversion of a tensor of `type` between layouts; 0 when each thread keeps what it has.
double conversionCost(mlir::RankedTensorType type, mlir::Attribute from, mlir::Attribute to,
                      const gpu::Machine &machine);

/// How often `op` runs: the product of the trip counts around it, ten where one is unknown.
double executionFrequency(mlir::Operation *op);

} // namespace triton::analysis
