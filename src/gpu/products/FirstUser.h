// Where a block needs a value first.
#pragma once

#include "mlir/IR/Block.h"

namespace triton::ttg {

/// The first operation of `block` that uses `value` or holds one that does; null without one.
mlir::Operation *findFirstUser(mlir::Value value, mlir::Block &block);

} // namespace triton::ttg
