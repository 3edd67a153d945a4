// Which loads of operands a product does itself.
#pragma once

#include "gpu/ir/Dialect.h"

namespace triton::gpu {

/// Whether the product that `load` is for reads the buffer itself: a product on ordinary units, its only user, with
/// nothing on the way that could write to the buffer. Such a load becomes nothing.
bool isReadByProduct(ttg::LocalLoadOp load);

} // namespace triton::gpu
