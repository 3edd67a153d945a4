// In which order reductions may combine.
#pragma once

#include "ir/Dialect.h"

namespace triton::tt {

/// Marks a reduction whose combination may be given its elements in any order, though its region does not show it.
inline constexpr llvm::StringLiteral anyOrderAttribute = "tt.any_order";

/// Whether the combination computes the same, to the last bit, when both sides change places: its operations are those
/// of the changed region, but for the order of the operands of commutative ones. A proof of the opposite it is not.
bool isCommutative(mlir::Region &combination);

/// Whether elements must be combined in the order of the axis.
bool keepsOrder(ReduceOp op);

} // namespace triton::tt
