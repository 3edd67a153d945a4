// Functions that call themselves, which no target can run: their memory has no bound.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/CallInterfaces.h"

namespace triton::analysis {

/// Fails, with an error at the call, when a function of the module calls itself, also through others.
mlir::LogicalResult refuseRecursion(mlir::ModuleOp module);

} // namespace triton::analysis
