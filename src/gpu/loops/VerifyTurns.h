// The rules for turns of groups of warps, see docs/rules.md.
#pragma once

#include "gpu/ir/Dialect.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace triton::ttg {

/// Rule ttgir-11.
mlir::LogicalResult verifyTurns(mlir::FunctionOpInterface function);

} // namespace triton::ttg
