// The rules for rings of buffers that bulk copies fill, and their barriers, see docs/rules.md.
#pragma once

#include "gpu/ir/Dialect.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace triton::ttg {

/// Rules ttgir-8 and ttgir-9, and with `isAsMade`, before other passes change loops, ttgir-10.
mlir::LogicalResult verifyRings(mlir::FunctionOpInterface function, bool isAsMade);

/// Rule ttgir-12.
mlir::LogicalResult verifyNoMappedAccesses(mlir::FunctionOpInterface function);

/// Rule ttgir-13.
mlir::LogicalResult verifyBlocks(mlir::FunctionOpInterface function);

} // namespace triton::ttg
