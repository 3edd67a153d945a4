// Bases of buffers that loops carry.
#pragma once

#include "llvm/IR/Module.h"

namespace triton::amd {

/// A loop computes the base of a buffer from a counter: a multiplication and an addition of 64 bits in scalar
/// instructions, beside those that advance the counter. Where nothing else needs the counter, the loop carries the base
/// instead and advances it.
void carryBases(llvm::Module &module);

} // namespace triton::amd
