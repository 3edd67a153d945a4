// Copies from global to shared memory, and reads of shared memory that need not wait for them.
#pragma once

#include "llvm/IR/Module.h"

namespace triton::amd {

/// Says in metadata that neither reads of shared memory nor fences within a program see what copies to shared memory
/// write. LLVM would let each of them wait for all copies in flight. What a read needs is there: kernels count copies
/// and wait for their own.
void separateCopies(llvm::Module &module);

} // namespace triton::amd
