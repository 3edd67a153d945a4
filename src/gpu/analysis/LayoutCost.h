// The cost of computing or moving a tensor in a layout, in clocks of a multiprocessor. In each clock, each scheduler
// issues an instruction of a warp, and shared memory moves a row.
#pragma once

#include "gpu/analysis/EqualElements.h"
#include "gpu/target/TargetInfo.h"

namespace triton::analysis {

/// Whether `op` computes on floats by a unit of few lanes, or by a function of many instructions.
bool isCostly(mlir::Operation *op);

/// About how many instructions `op` takes for each element; a load, for each access, or each register that it fills.
double instructionsOf(mlir::Operation *op);

/// The cost of one execution of `op` with its results (for reductions and scans: its operands) in `layout`.
double computationCost(mlir::Operation *op, mlir::Attribute layout, EqualElements &equal, const gpu::Machine &machine);

/// Whether the results of `op` take no registers of their own.
bool isView(mlir::Operation *op);

/// What it costs the loops that use `value`, which is computed before them, that it takes registers in `layout`: an
/// instruction for each in each iteration, which reads what was spilled or computes it again. 0 if no loop uses it.
double heldCost(mlir::Value value, mlir::Attribute layout, EqualElements &equal, const gpu::Machine &machine);

/// The cost of one conversion of a tensor of `type` between layouts; 0 when each thread keeps its elements. What is in
/// shared memory anyway is only read.
double conversionCost(mlir::RankedTensorType type, mlir::Attribute from, mlir::Attribute to,
                      const gpu::Machine &machine, bool isInSharedMemory = false);

/// The cost of reading a tensor of `type` from `buffer`.
double bufferReadCost(mlir::RankedTensorType type, ttg::MemDescType buffer, const gpu::Machine &machine);

/// How often `op` runs: the product of the trip counts of the enclosing loops, with ten for an unknown one.
double executionFrequency(mlir::Operation *op);

} // namespace triton::analysis
