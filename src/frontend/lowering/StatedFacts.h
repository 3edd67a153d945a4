// Facts that a kernel states about values: by `tl.multiple_of`, `tl.max_contiguous` and `tl.max_constancy`.
#pragma once

#include "frontend/lowering/Lowering.h"

namespace triton::frontend {

/// States a fact, one number for each dimension, on the operation that defines `value` or on the kernel's parameter. A
/// fact about a variable that a loop carries waits for the end of the loop.
void stateFacts(Lowering &lowering, mlir::Value value, llvm::StringRef attribute, llvm::ArrayRef<int64_t> numbers);

/// What has been stated about `carried`, arguments of a block, holds for `sources`, of which each has one value for
/// each argument: for all values that the variable ever has in the loop.
void stateCarriedFacts(Lowering &lowering, mlir::ValueRange carried, llvm::ArrayRef<mlir::ValueRange> sources);

} // namespace triton::frontend
