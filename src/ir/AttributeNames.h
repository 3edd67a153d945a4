// The names of attributes by which a kernel says something to the passes, beside those in Dialect.h: hints on loops,
// and facts of arguments and values.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace triton::tt {

// Of loops: the arguments of `tl.range`.
constexpr llvm::StringLiteral loopStagesAttribute = "tt.num_stages";
constexpr llvm::StringLiteral unrollFactorAttribute = "tt.loop_unroll_factor";
constexpr llvm::StringLiteral oneAccumulatorAttribute = "tt.disallow_acc_multi_buffer";
constexpr llvm::StringLiteral flattenAttribute = "tt.flatten";
constexpr llvm::StringLiteral warpSpecializeAttribute = "tt.warp_specialize";

// Of arguments of kernels, and of values that `tl.multiple_of` and its like describe.
constexpr llvm::StringLiteral divisibilityAttribute = "tt.divisibility";
constexpr llvm::StringLiteral contiguityAttribute = "tt.contiguity";
constexpr llvm::StringLiteral constancyAttribute = "tt.constancy";

// Of arguments alone.
/// The bits in which offsets from a pointer fit.
constexpr llvm::StringLiteral pointerRangeAttribute = "tt.pointer_range";
constexpr llvm::StringLiteral nonnegativeAttribute = "tt.nonnegative";
/// A number of the storage of a pointer's array: arrays of different storages are disjoint.
constexpr llvm::StringLiteral storageAttribute = "tt.storage";

} // namespace triton::tt
