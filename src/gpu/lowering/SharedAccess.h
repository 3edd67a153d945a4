// Accesses of shared memory whose addresses are a linear map of (register, lane, warp).
#pragma once

#include "gpu/lowering/LayoutEmission.h"

namespace triton::gpu {

/// The accesses of one thread: (register, lane, warp) -> offset in elements, from `base`.
class SharedAccess {
public:
  /// `offsets` has one output. `element` is an LLVM type. `paddings` are those of the buffer.
  SharedAccess(Emitter &emitter, mlir::Value base, const LinearLayout &offsets, mlir::Type element,
               llvm::ArrayRef<int32_t> paddings = {});

  /// The number of elements that one instruction moves. They are neighbours in memory and belong to one thread.
  unsigned width() const { return 1u << vectorBits.size(); }

  /// Writes every register once. Of registers that hold copies, only the first one is written.
  void store(llvm::ArrayRef<mlir::Value> registers);
  Registers load();
  /// Loads one register together with its vector. Later registers of the same vector cost nothing.
  mlir::Value load(unsigned index);

  /// Moves the accesses that follow: bit number i of `index` by as much as register number `registers[i]` is away from
  /// register 0. Vectors become as short as such a distance, so that they stay aligned.
  void move(mlir::Value index, llvm::ArrayRef<unsigned> registers);
  /// The address of a register's element.
  mlir::Value address(unsigned index);
  /// The registers of each vector in the order of memory. Of vectors at the same place, only one is listed.
  llvm::SmallVector<llvm::SmallVector<unsigned>> vectors() const;

private:
  /// Register number `first`, which has no vector bit set, and the other registers of its vector, in the order of
  /// memory.
  llvm::SmallVector<unsigned> vectorOf(unsigned first) const;
  unsigned vectorMask() const;

  Emitter &emitter;
  mlir::Value base;
  mlir::Type element;
  IndexMap map;                        ///< in bytes, without paddings
  llvm::SmallVector<int32_t> paddings; ///< in bytes
  llvm::SmallVector<unsigned> vectorBits;
  mlir::Value threadPart, unmoved;             ///< with and without what `move` has added
  int32_t movedBits = 0;                       ///< that `move` may set in the thread's part
  llvm::DenseMap<int32_t, mlir::Value> loaded; ///< by the registers' part of the offset
  llvm::DenseMap<int32_t, mlir::Value> bases;  ///< by the bits of the thread's part that the registers' part flips
};

/// Stores all registers, or loads them, by the target's instructions for matrices where the elements are arranged so,
/// else by `SharedAccess`, which knows `paddings`.
void emitSharedStore(Emitter &emitter, mlir::Value base, const LinearLayout &offsets,
                     llvm::ArrayRef<mlir::Value> registers, llvm::ArrayRef<int32_t> paddings = {});
Registers emitSharedLoad(Emitter &emitter, mlir::Value base, const LinearLayout &offsets, mlir::Type element,
                         llvm::ArrayRef<int32_t> paddings = {});

/// Moves a value of any element type, in the form that it has in shared memory, between lanes of a warp.
mlir::Value emitShuffleXor(Emitter &emitter, mlir::Value value, unsigned mask);
mlir::Value emitShuffleIndex(Emitter &emitter, mlir::Value value, mlir::Value lane);
mlir::Value emitShuffleAcross(Emitter &emitter, mlir::Value value, unsigned bit, unsigned equal);
std::pair<mlir::Value, mlir::Value> emitPair(Emitter &emitter, mlir::Value value, unsigned bit);
mlir::Value emitPreceding(Emitter &emitter, mlir::Value value, unsigned bit);
mlir::Value emitEarlierLane(Emitter &emitter, mlir::Value value, int distance);

} // namespace triton::gpu
