// Changes of a kernel's IR between two passes, by which `tritonc bisect` judges results.
#pragma once

#include "mlir/IR/Operation.h"

namespace tritonc {

/// Lets a kernel of TTIR compute in float64 what it computes in narrower types: memory keeps its types, and everything
/// between loads and stores is as exact as float64 is. What has no form in float64, such as the bits of a float, is
/// computed in the type of the kernel.
void widenToFloat64(mlir::Operation *module);

/// Makes a small mistake such as a wrong rewrite makes: the first sum of floats becomes a difference; if there is none,
/// the first product or difference becomes a sum. Whether there was something to change.
bool plantMistake(mlir::Operation *module);

} // namespace tritonc
