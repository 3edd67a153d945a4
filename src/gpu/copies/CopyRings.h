// Rings of buffers through which warps that move data hand blocks to the warps that compute: which loads share one, and
// how many slots it has.
#pragma once

#include "gpu/ir/Dialect.h"

namespace triton::ttg {

/// Loads of one block of code whose data is first used by the same operation. They arrive together, and their buffers
/// are free again after the last use of any of them.
struct CopySite {
  llvm::SmallVector<tt::MappedLoadOp> loads;

  mlir::Block *block() { return loads.front()->getBlock(); }
  // The operations of this block that use one of the loads first and last, or contain such uses.
  mlir::Operation *findFirstUse();
  mlir::Operation *findLastUse();
};

struct CopyRing {
  llvm::SmallVector<CopySite> sites;    ///< of the same types, of which only one runs at a time
  llvm::SmallVector<MemDescType> types; ///< of a slot, one for each load of a site
  int64_t slots = 1;
  int64_t wantedSlots = 1; ///< as the loops ask for

  int64_t slotBytes() const;
};

/// The rings for all mapped loads of `function`. Loops have `numStages` slots where they do not say it themselves, and
/// fewer where `capacity` bytes of shared memory do not hold them beside what else the function needs.
llvm::SmallVector<CopyRing> planCopyRings(tt::FuncOp function, unsigned numStages, std::size_t capacity);

/// The bytes that are left beside them; negative where even rings of one slot do not fit.
int64_t findFreeBytes(tt::FuncOp function, unsigned numStages, std::size_t capacity);

/// The buffer of a slot that `load` fills.
MemDescType getSlotType(tt::MappedLoadOp load);

} // namespace triton::ttg
