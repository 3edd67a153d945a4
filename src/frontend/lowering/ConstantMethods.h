// The methods of Python's numbers and strings that kernels call on constants.
#pragma once

#include "frontend/Object.h"

#include "llvm/ADT/StringRef.h"

namespace triton::frontend {

/// The method of a compile-time number or string as a function; null when there is no such method.
ObjectRef constantMethod(const Object &constant, llvm::StringRef name);

} // namespace triton::frontend
