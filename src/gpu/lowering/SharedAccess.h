// Accesses of shared memory whose addresses are a linear map of (register, lane, warp).
#pragma once

#include "gpu/lowering/LayoutEmission.h"

namespace triton::gpu {

/// The accesses of one thread: (register, lane, warp) -> offset in elements, from `base`.
class SharedAccess {
public:
  /// `offsets` has one output. `element` is an LLVM type.
  SharedAccess(Emitter &emitter, mlir::Value base, const LinearLayout &offsets, mlir::Type element);

  /// Elements that one instruction moves: neighbours in memory that are one thread's, no more than one access takes.
  unsigned width() const { return 1u << vectorBits.size(); }

  /// Writes every register once; of those that hold copies the first.
  void store(llvm::ArrayRef<mlir::Value> registers);
  Registers load();
  /// One register, and with it its vector; later registers of that vector cost nothing.
  mlir::Value load(unsigned index);

  /// The address of a register's element.
  mlir::Value address(unsigned index);
  /// For each vector its registers in the order of memory; vectors at the same place come once.
  llvm::SmallVector<llvm::SmallVector<unsigned>> vectors() const;

private:
  /// Register number `first`, which has no vector bit set, and the others of its vector, in the order of memory.
  llvm::SmallVector<unsigned> vectorOf(unsigned first) const;
  unsigned vectorMask() const;

  Emitter &emitter;
  mlir::Value base;
  mlir::Type element;
  IndexMap map; ///< in bytes
  llvm::SmallVector<unsigned> vectorBits;
  mlir::Value threadPart;
  llvm::DenseMap<int32_t, mlir::Value> loaded; ///< by the registers' part of the offset
  llvm::DenseMap<int32_t, mlir::Value> bases;  ///< by what the registers' part flips of the thread's bits
};

/// A value as it lies in shared memory moves between lanes of a warp; any element type.
mlir::Value emitShuffleXor(Emitter &emitter, mlir::Value value, unsigned mask);
mlir::Value emitShuffleIndex(Emitter &emitter, mlir::Value value, mlir::Value lane);

} // namespace triton::gpu
