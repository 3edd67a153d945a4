// Elements of a tile in shared memory, at indices along one of its dimensions.
#pragma once

#include "gpu/lowering/LayoutEmission.h"

namespace triton::gpu {

/// A tile in shared memory of which threads access elements at indices along one dimension.
struct IndexedTile {
  /// The tile that a buffer is.
  static IndexedTile of(Emitter &emitter, mlir::TypedValue<ttg::MemDescType> buffer, unsigned axis);

  mlir::RankedTensorType type;
  mlir::Value base;
  LinearLayout memory; ///< coordinates -> offset in elements
  unsigned axis;
  llvm::ArrayRef<int32_t> paddings;

  /// What an index adds to the offset, bit by bit.
  llvm::SmallVector<int32_t> basesOfAxis() const;
  /// The places of `layout`'s elements at index 0.
  LinearLayout placesAtZero(const LinearLayout &layout) const;
};

/// Where the elements of a thread's registers are in a tile, by their indices.
class IndexedAddresses {
public:
  /// `layout` is that of the indices.
  IndexedAddresses(Emitter &emitter, const IndexedTile &tile, const LinearLayout &layout);

  mlir::Value of(unsigned number, mlir::Value index);

private:
  Emitter &emitter;
  const IndexedTile &tile;
  IndexMap map;
  mlir::Value threadPart;
  llvm::SmallVector<int32_t> bases;
  int32_t changingBits;
};

/// An unsigned integer that fits in 32 bits, with these.
mlir::Value unsignedWord(Emitter &emitter, mlir::Value value);

} // namespace triton::gpu
