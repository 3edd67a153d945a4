// Atomic additions to pairs of 16-bit floats.
#pragma once

#include "llvm/IR/Module.h"

namespace triton::nvidia {

/// Replaces atomic additions to vectors of two 16-bit floats in global memory, whose old values nobody needs, by `red`
/// (PTX ISA, section "red"). LLVM makes loops of them that compare and exchange.
void addPairs(llvm::Module &module);

} // namespace triton::nvidia
