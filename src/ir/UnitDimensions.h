// Dimensions of extent 1, which blocks of descriptors have and the tensors that a program computes with may lack.
#pragma once

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLExtras.h"

namespace triton::tt {

/// Whether `shape` is `end` after dimensions of extent 1, if any.
inline bool isAfterUnits(mlir::ArrayRef<int64_t> end, mlir::ArrayRef<int64_t> shape) {
  return shape.size() >= end.size() && shape.take_back(end.size()) == end &&
         llvm::all_of(shape.drop_back(end.size()), [](int64_t extent) { return extent == 1; });
}

} // namespace triton::tt
