// What a bulk copy that reduces does with each element.
#pragma once

#include "simulator/nvptx/BulkCopy.h"

namespace triton::simulator::nvptx {

/// Combines `count` elements at `source` into those at `destination`; whether the operation exists on the type.
bool reduceElements(BulkCopy::Reduction reduction, TensorMap::ElementType type, std::byte *destination,
                    const std::byte *source, std::size_t count);

} // namespace triton::simulator::nvptx
