// The functions of libdevice as functions of this process: all that the language knows, by symbol.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace triton::numerics {

enum class Scalar { Int32, Int64, Float32, Float64 };

struct HostFunction {
  void *address; ///< of a function of C
  Scalar result;
  llvm::SmallVector<Scalar, 4> operands;
};

/// Null for an unknown symbol, for example one without the prefix `__nv_`.
const HostFunction *findHostFunction(llvm::StringRef symbol);

} // namespace triton::numerics
