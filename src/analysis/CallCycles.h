// Functions that call themselves, which no target can run: their memory has no bound.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/CallInterfaces.h"

namespace triton::analysis {

/// A call by which a function of the module calls itself, also through others; null when there is none.
mlir::CallOpInterface findRecursiveCall(mlir::ModuleOp module);

} // namespace triton::analysis
