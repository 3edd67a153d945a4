// The families of lowerings, one file for each. Each adds its operations to the table.
#pragma once

#include "gpu/lowering/Emitter.h"

namespace triton::gpu {

void addArithmeticLowerings(LoweringTable &table); ///< arith, and what dialect tt adds to it
void addConversionLowerings(LoweringTable &table); ///< casts between numbers
void addMathLowerings(LoweringTable &table);
void addProgramLowerings(LoweringTable &table); ///< program ids, barriers
void addShapeLowerings(LoweringTable &table);
void addMemoryLowerings(LoweringTable &table);
void addAtomicLowerings(LoweringTable &table);
void addConvertLayoutLowerings(LoweringTable &table);
void addReduceLowerings(LoweringTable &table);
void addScanLowerings(LoweringTable &table);
void addSharedLowerings(LoweringTable &table);
void addAsyncCopyLowerings(LoweringTable &table);
void addBulkCopyLowerings(LoweringTable &table);
void addDotLowerings(LoweringTable &table);
void addTensorMemoryLowerings(LoweringTable &table);
void addGatherLowerings(LoweringTable &table); ///< gather, histogram
void addDebugLowerings(LoweringTable &table);
void addExternLowerings(LoweringTable &table); ///< libraries' functions, inline assembly, scalar code

/// Gives private functions other names where code outside of the module has theirs; fails for kernels.
mlir::LogicalResult separateNames(mlir::ModuleOp module, const TargetInfo &target);

} // namespace triton::gpu
