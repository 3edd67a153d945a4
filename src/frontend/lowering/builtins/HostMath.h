// Python's `math` module on compile-time numbers.
#pragma once

#include "frontend/Object.h"

#include "llvm/ADT/StringRef.h"

namespace triton::frontend {

/// `math.name`: a function or a constant; null when there is none.
ObjectRef hostMathFunction(llvm::StringRef name);

} // namespace triton::frontend
