// Operands of products whose units read shared memory.
#pragma once

#include "gpu/ir/Dialect.h"
#include "gpu/target/TargetInfo.h"

namespace triton::ttg {

/// Whether `operand` comes from memory unchanged: moved and transposed, but not computed in the loop around `dot`.
bool comesFromMemory(mlir::Value operand, mlir::Operation *dot);

/// The dimensions of `operand` in the order that they have in memory, the fastest first.
llvm::SmallVector<unsigned> getMemoryOrder(mlir::Value operand);

/// Whether `unit` can be given `operand`, whose dimension `depth` is K, from a buffer in the order that it has in
/// memory: by reading it, or by threads that do.
bool canReadShared(mlir::Value operand, unsigned depth, bool isLeft, const gpu::MatrixUnit &unit);

/// The encoding of a buffer with the elements of an operand whose dimension `fastest` is contiguous.
NvmmaSharedEncodingAttr getOperandEncoding(mlir::RankedTensorType type, unsigned fastest);

/// Whether threads hold neighbours along a dimension.
bool holdsNeighbors(mlir::RankedTensorType type, unsigned dimension);

/// Vectors of neighbouring rows are in different banks, for as many rows as a row of banks has vectors. Where threads
/// hold patches of several rows, the same is true for the first rows of patches, and vectors are what threads read, of
/// `kWidth` elements.
SwizzledSharedEncodingAttr getSwizzledEncoding(mlir::RankedTensorType type, llvm::ArrayRef<unsigned> order,
                                               unsigned kWidth, const gpu::Machine &machine);

/// The buffer that holds an operand of this type and is never written again.
MemDescType getOperandBufferType(mlir::RankedTensorType type, mlir::Attribute encoding);

/// The load that brings `operand` to one use and nothing else, moved and transposed at most; null where there is none.
tt::LoadOp findOwnLoad(mlir::Value operand);

/// A buffer with the elements of `operand`, for which `canReadShared` holds, right behind what gives them.
mlir::Value createOperandBuffer(mlir::OpBuilder &builder, mlir::Value operand);

/// A buffer where the elements of `operand` along `fastest` lie side by side, in whatever order they lie in memory. Its
/// own load gets a layout in which threads move single elements, and do not meet in banks.
mlir::Value createTurnedBuffer(mlir::OpBuilder &builder, mlir::Value operand, unsigned fastest);

} // namespace triton::ttg
