// What computing or moving a tensor costs in a layout, in clocks of a multiprocessor. Rates: four warp instructions a
// clock, 128 bytes of shared memory a clock.
#pragma once

#include "gpu/ir/Dialect.h"

namespace triton::ttg {

/// One execution of `op` with its results, or for reductions and scans its operands, in `layout`.
double computationCost(mlir::Operation *op, mlir::Attribute layout);

/// One conversion of a tensor of `type` between layouts; 0 when each thread keeps what it has.
double conversionCost(mlir::RankedTensorType type, mlir::Attribute from, mlir::Attribute to);

/// How often `op` runs: the product of the trip counts around it, ten where one is unknown.
double executionFrequency(mlir::Operation *op);

} // namespace triton::ttg
