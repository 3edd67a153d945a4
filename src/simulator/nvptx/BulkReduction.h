// What a reducing bulk copy does with each element.
#pragma once

#include "simulator/nvptx/BulkCopy.h"

namespace triton::simulator::nvptx {

/// Combines `count` elements at `source` with those at `destination`. Returns whether the operation exists for the
/// type.
bool reduceElements(BulkCopy::Reduction reduction, TensorMap::ElementType type, std::byte *destination,
                    const std::byte *source, std::size_t count);

} // namespace triton::simulator::nvptx
