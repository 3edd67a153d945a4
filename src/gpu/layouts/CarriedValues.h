// What loops and branches carry.
#pragma once

#include "mlir/IR/Operation.h"

namespace triton::ttg {

/// Block arguments and results that are the same value to the program, and the operands that flow into them.
using CarriedValueVisitor =
    llvm::function_ref<void(llvm::ArrayRef<mlir::Value> members, llvm::ArrayRef<mlir::OpOperand *> incoming)>;

/// Calls `visit` for each value that `op` carries; for none if it is neither a loop nor a branch.
void forEachCarriedValue(mlir::Operation *op, CarriedValueVisitor visit);

} // namespace triton::ttg
