// Finds registers of a thread whose values are known to be equal or to differ by a constant, so that one computation is
// enough for many registers. They may be far from each other, so that runs that a program states do not count.
#pragma once

#include "gpu/lowering/Emitter.h"

namespace triton::gpu {

/// The bits of the register number that do not change the value: registers that differ only in them are equal. Only
/// integers are analyzed; 0 for everything else.
unsigned equalRegisterBits(Emitter &emitter, mlir::Value value);

/// A register of a tensor of pointers: so many bytes ahead of another one, both in one run of memory.
struct RelatedRegister {
  unsigned first;
  int64_t bytes;
};
/// All registers of `pointers`; those that are the first of a run are 0 bytes ahead of themselves.
llvm::SmallVector<RelatedRegister> relateRegisters(Emitter &emitter, mlir::Value pointers);

/// The pointers of all registers. Those within one run of memory are the first one plus a constant, which the access
/// absorbs.
Registers emitPointers(Emitter &emitter, mlir::Value pointers);

} // namespace triton::gpu
