// Arithmetic on 8- and 16-bit integers, in 32 bits.
#pragma once

#include "llvm/IR/Module.h"

namespace triton::nvidia {

/// Replaces arithmetic on integers of 2 to 16 bits, and on vectors of them, by arithmetic on single 32-bit integers
/// with explicit extensions, in a form that LLVM's code generation does not narrow again. Operations that only move
/// such integers remain.
///
/// ptxas misreads narrow arithmetic. Version 13.0, the only one that was tested, assumes that the results of `neg.s16`
/// and `abs.s16` are sign-extended when they are not: code that widens -(-32768) afterwards reads +32768. It also
/// narrows the constant 65537 of an `add.s16x2` to one half and writes `VIADD.16x2 R, R, 0x0` for it. The hardware
/// computes in 32 bits anyway.
void widenNarrowIntegers(llvm::Module &module);

} // namespace triton::nvidia
