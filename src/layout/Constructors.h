// Named layouts, each of which is constructed from the parts that LinearLayout.h provides.
//
// Outputs are called dim0, dim1, ... and are stored in that order. Inputs are register, lane, warp, block, or offset.
#pragma once

#include "layout/LinearLayout.h"

namespace triton::layout {

/// "dim0", "dim1", ...
std::string dimensionName(unsigned index);

/// The identity over a box: `sizes` by dimension, walked in `order`, the fastest dimension first.
LinearLayout identityND(llvm::StringRef input, llvm::ArrayRef<int32_t> sizes, llvm::ArrayRef<unsigned> order);

/// Fits `layout`, which is for one block, to `shape`. Where it is too small, registers repeat it, in `order`. Where it
/// is too large, the components outside become copies, and copies in registers are dropped.
LinearLayout fitToShape(const LinearLayout &layout, llvm::ArrayRef<int32_t> shape, llvm::ArrayRef<unsigned> order);

struct BlockedParameters {
  llvm::SmallVector<int32_t> sizePerThread, threadsPerWarp, warpsPerBlock;
  llvm::SmallVector<unsigned> order; ///< the fastest dimension first
};

/// Each thread holds a box, each warp a box of threads, and each block a box of warps. This is repeated over the shape.
LinearLayout blocked(llvm::ArrayRef<int32_t> shape, const BlockedParameters &parameters);

/// `parent` without `dimension`, which is the layout of a reduction's result. Later dimensions move up.
LinearLayout slice(const LinearLayout &parent, unsigned dimension);

/// Shared memory of `rows` x `columns`: element (r, c) at r * columns + (c ^ vec * (p % maxPhase)), where p is r /
/// perPhase, or with `fold`, which is a power of two above 1, p ^ p / fold.
LinearLayout swizzledShared(int32_t rows, int32_t columns, int32_t vec, int32_t perPhase, int32_t maxPhase,
                            int32_t fold = 0);

} // namespace triton::layout
