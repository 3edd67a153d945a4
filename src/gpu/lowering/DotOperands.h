// Says which loads of operands a product does itself.
#pragma once

#include "gpu/ir/Dialect.h"

namespace triton::gpu {

/// Whether the product that uses `load` reads the buffer itself. This is the case for a product on ordinary units that
/// is the only user, if nothing in between could write to the buffer. No code is emitted for such a load.
bool isReadByProduct(ttg::LocalLoadOp load);

} // namespace triton::gpu
