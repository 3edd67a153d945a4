// Whether some elements of a block decide anything that a kernel stores.
#pragma once

#include "analysis/BlockIndices.h"

namespace triton::analysis {

/// Whether nothing that the kernel stores, and nothing else that it does, depends on the elements of `block` whose
/// coordinate along `axis` is `end` or more: operations keep them apart from the others, and stores mask them.
bool ignoresFrom(mlir::Value block, unsigned axis, const IndexPolynomial &end, BlockIndices &indices);

} // namespace triton::analysis
