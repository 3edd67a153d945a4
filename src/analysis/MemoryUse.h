// What an operation does to memory that others see as well: other threads, programs, and engines that copy.
#pragma once

#include "mlir/IR/Operation.h"

namespace triton::analysis {

struct MemoryUse {
  bool stores = false;   ///< may change what a load reads
  bool acquires = false; ///< what follows may see what others did before
  bool releases = false; ///< others may learn here that what stands before is done

  bool orders() const { return acquires || releases; }
};

/// Of `op` itself, without the operations in its regions.
MemoryUse getMemoryUse(mlir::Operation *op);

/// Whether `op` itself may touch memory.
bool mayTouchMemory(mlir::Operation *op);

} // namespace triton::analysis
