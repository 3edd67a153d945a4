// Registers of a thread that hold equal values, or values a constant apart, by what is known of the tensor: one
// computation then serves many.
#pragma once

#include "gpu/lowering/Emitter.h"

namespace triton::gpu {

/// Bits of the register number that do not change the value: all registers that differ in them alone are equal. Only
/// integers are analysed; 0 for everything else.
unsigned equalRegisterBits(Emitter &emitter, mlir::Value value);

/// The pointers of all registers. Those in one run of memory are the first of them plus a constant, which the access
/// absorbs.
Registers emitPointers(Emitter &emitter, mlir::Value pointers);

} // namespace triton::gpu
