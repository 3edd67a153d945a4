// Which arguments of a kernel point into memory that does not overlap. The compiler supposes it of arguments of which
// it may matter, and says so; a launch compares the arrays that it gets and takes another variant where they overlap.
#pragma once

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SmallVector.h"

#include <utility>

namespace triton::analysis {

/// On a kernel, an array of i32: pairs of arguments, one number after the other, that its code takes to be disjoint.
constexpr llvm::StringLiteral disjointPairsAttribute = "tt.disjoint_pairs";

using ArgumentPair = std::pair<unsigned, unsigned>;

/// The pairs of `disjointPairsAttribute`.
llvm::SmallVector<ArgumentPair> disjointPairs(mlir::FunctionOpInterface function);

/// Whether `function` says that these two of its arguments point into memory that does not overlap.
bool areDisjoint(mlir::FunctionOpInterface function, unsigned left, unsigned right);

} // namespace triton::analysis
