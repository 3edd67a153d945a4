// How many warps of a program move data, and how many registers and programs that leaves for those that compute.
#pragma once

#include "gpu/ir/Dialect.h"
#include "gpu/target/TargetInfo.h"

namespace triton::ttg {

/// The warps of a program, and the registers of their threads.
struct WarpBudget {
  unsigned computing = 0, moving = 1;
  unsigned computingRegisters = 0, movingRegisters = 0; ///< 0: all threads have what the assembler gives them
  unsigned programs = 1;                                ///< that a multiprocessor should run at once

  /// Of a program whose warps `computing` are to compute, and that may share a multiprocessor with another one.
  WarpBudget(const gpu::Machine &machine, unsigned computing, bool sharesMultiprocessor);
};

// For each of two programs that share a multiprocessor: shared memory, and the registers of a thread, with a further
// warp that moves data.
int64_t getSharedBytesOfHalf(const gpu::Machine &machine);
unsigned countRegistersOfHalf(const gpu::Machine &machine, unsigned warps);

/// Whether two programs with products fit into a multiprocessor at once, so that one multiplies while the other one
/// does something else. That is worth more than registers to spare. Loops in loops say that there are no more programs
/// than multiprocessors. `sharedBytes`: what a program takes of shared memory.
bool canShareMultiprocessor(tt::FuncOp function, const gpu::Machine &machine, int64_t sharedBytes);

} // namespace triton::ttg
