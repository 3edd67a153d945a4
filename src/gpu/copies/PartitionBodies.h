// What the groups of warps of `ttg.warp_specialize` have in common.
#pragma once

#include "gpu/ir/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <optional>
#include <utility>

namespace triton::ttg {

constexpr unsigned warpsOfGroup = 4; ///< which change the number of their registers together

using ConstantPair = std::pair<mlir::arith::ConstantOp, mlir::arith::ConstantOp>;

/// The integers that differ between two regions that are the same otherwise; nothing for other regions.
std::optional<llvm::SmallVector<ConstantPair>> findDifferentConstants(mlir::Region &first, mlir::Region &second);

/// Whether the program's warps and those of the first partition could run one region: they are equally many, a power of
/// two, and nothing in the region or after the operation is for the program's warps alone.
bool canShareCode(WarpSpecializeOp op);

} // namespace triton::ttg
