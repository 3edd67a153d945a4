// Shared by the rewrites of block pointers and of tensor descriptors: they split a value into its parts wherever it
// flows, and turn the access to a block into tensors of pointers and masks. Private to this folder.
#pragma once

#include "ir/Dialect.h"

#include "mlir/Transforms/DialectConversion.h"

namespace triton::tt {

/// The array that contains a block. Extents and strides are i64 scalars, counted in elements.
struct StridedArray {
  mlir::Value base;
  llvm::SmallVector<mlir::Value> shape;
  llvm::SmallVector<mlir::Value> strides;
};

/// The coordinates of a block in one dimension: `lanes`, a tensor of i64 of rank 1, plus `start`, which is an i64
/// scalar or null for zero. They are separate so that what is uniform is computed on scalars. Without `lanes` the block
/// does not have this dimension: it is at the one coordinate `start`.
struct BlockDimension {
  mlir::Value lanes;
  mlir::Value start;
};

/// The coordinates start, start + 1, ... of `extent` elements.
BlockDimension createRange(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value start, int64_t extent);

/// The addresses of a block's elements, and the mask of those that are inside of the array.
struct BlockAccess {
  mlir::Value pointers;
  mlir::Value mask; ///< of the checked dimensions; null when none is checked
};

BlockAccess createAccess(mlir::OpBuilder &builder, mlir::Location loc, const StridedArray &array,
                         llvm::ArrayRef<BlockDimension> dimensions, llvm::ArrayRef<int32_t> checked);

/// The scalar that `padding` means for elements of type `element`.
mlir::TypedAttr getPaddingValue(mlir::Type element, PaddingOption padding);

/// `value`, an integer of at most 64 bits, as a signed i64.
mlir::Value extendToI64(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value);

/// Replaces, in `module`, every value of a type that `converter` splits, wherever structured control flow, branches,
/// calls, function parameters, selects and poison carry it. `patterns` rewrite the operations on such values.
mlir::LogicalResult splitValues(mlir::ModuleOp module, mlir::TypeConverter &converter,
                                mlir::RewritePatternSet &&patterns);

/// Whether any operation of the module has an operand, a result or a block argument for which `predicate` holds.
bool anyType(mlir::ModuleOp module, llvm::function_ref<bool(mlir::Type)> predicate);

} // namespace triton::tt
