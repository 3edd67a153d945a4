// Finds the arguments through which a kernel stores, because a launch must refuse read-only arrays for them.
#pragma once

#include "ir/Dialect.h"

#include "llvm/ADT/BitVector.h"

namespace triton::analysis {

/// The arguments of `function` through which it, or a function that it calls, may store. Conservative: an address that
/// cannot be traced back to certain arguments counts for all of them. Addresses that are read from memory belong to no
/// argument.
llvm::BitVector findStoredArguments(tt::FuncOp function);

/// The arguments of `function` from which `value`, one of its values, may derive. None: it was read from memory, or
/// does not depend on arguments.
llvm::BitVector findArgumentsOf(tt::FuncOp function, mlir::Value value);

} // namespace triton::analysis
