// The code of the warp that moves data: a copy of what decides when which block is loaded.
#pragma once

#include "analysis/ControlSlice.h"

namespace triton::ttg {

/// Builds, where `builder` stands, the operations of `block` that belong to `slice`, loops and branches with no more
/// than what they carry for it.
void cloneSlice(mlir::Block &block, const analysis::ControlSlice &slice, mlir::OpBuilder &builder,
                mlir::IRMapping &mapping);

} // namespace triton::ttg
