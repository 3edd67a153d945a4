// Reductions of blocks with those of an array that a descriptor describes.
#pragma once

#include "ir/Dialect.h"

#include <optional>

namespace triton::tt {

/// The atomic operation on pointers for a reduction of elements of this type; none when there is no such operation.
std::optional<RMWOp> findAtomicOperation(DescriptorReduceKind kind, mlir::Type element);

} // namespace triton::tt
