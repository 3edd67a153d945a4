// Tensors in memory: the scratch area, of which each thread has one.
#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace triton::cpu {

struct Lowering;

/// A tensor in memory.
struct Buffer {
  mlir::Value base;                      ///< !llvm.ptr
  llvm::SmallVector<int64_t, 4> strides; ///< in elements
  mlir::Type elementType;                ///< as in TTIR

  bool isRowMajor(llvm::ArrayRef<int64_t> shape) const;
};

llvm::SmallVector<int64_t, 4> rowMajorStrides(llvm::ArrayRef<int64_t> shape);

/// The scratch area. It begins with the bytes that masked-off lanes access.
struct Scratch {
  mlir::Value base;
  int64_t used; ///< by what is live
  int64_t peak;
};

Buffer allocate(Lowering &lowering, mlir::RankedTensorType type, int64_t fastestDim = -1);
mlir::Value allocateBytes(Lowering &lowering, int64_t bytes);
/// Reserves memory for all programs that a thread runs. Returns its offset in the scratch area. Before any buffer is
/// allocated.
int64_t allocateWords(Lowering &lowering, int64_t words);
/// Of 64 bits, by number, among those that begin at `offset`.
mlir::Value readWord(Lowering &lowering, mlir::Location loc, int64_t offset, int64_t word);
void writeWord(Lowering &lowering, mlir::Location loc, int64_t offset, int64_t word, mlir::Value value);

void setBuffer(Lowering &lowering, mlir::Value tensor, const Buffer &buffer);
const Buffer *bufferOf(const Lowering &lowering, mlir::Value tensor);
/// Forgets buffers that code in `region` filled with tensors of the outside, because other paths do not fill them.
void forgetBuffersSince(Lowering &lowering, size_t mark, mlir::Region *region);

} // namespace triton::cpu
