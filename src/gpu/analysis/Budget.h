// What a program may take of a multiprocessor: shared memory, registers of threads, and warps beside those that
// compute. Early passes and late ones ask here, so that the former leave what the latter need.
#pragma once

#include "analysis/AxisInfo.h"
#include "gpu/ir/Dialect.h"
#include "gpu/target/TargetInfo.h"

namespace triton::ttg {

/// The warps of a program, and the registers of their threads.
struct WarpRoles {
  unsigned computing = 0, moving = 1;
  unsigned computingRegisters = 0, movingRegisters = 0; ///< 0: all threads have what the assembler gives them
  unsigned programs = 1;                                ///< that a multiprocessor should run at once
};

/// What the products of a loop hold in a thread.
struct ProductRegisters {
  unsigned all = 0;  ///< what the loop carries, results and operands
  unsigned sums = 0; ///< of them the results, which are never spilled while products add to them

  /// With what the loop needs beside them.
  unsigned withAddresses() const;
};

/// Of a program whose warps `warps` are to compute.
class Budget {
public:
  Budget(const gpu::Machine &machine, unsigned warps) : machine(machine), warps(warps) {}

  // ===== Shared memory, in bytes. =====

  /// Of `shared` bytes of a program, what blocks of operands and of stores may take as long as layouts are not known:
  /// conversions of layouts and barriers need the rest.
  static int64_t bytesOfBlocks(uint64_t shared);
  /// What a conversion of layouts that is to need `bytes` takes at most: it has as many rounds as it must.
  static std::size_t bytesOfConversion(std::size_t bytes);
  /// What barriers between warps take beside buffers.
  static std::size_t bytesOfBarriers();
  /// What both operands of a product may take on their way from one layout to another, so that there is room for more
  /// on large machines.
  int64_t bytesOfOperands() const;
  /// Of each of two programs that share a multiprocessor.
  int64_t sharedBytesOfHalf() const;
  /// What tiles may take that loops read again and again: with it, as many programs share a multiprocessor as if each
  /// thread had `tuned::registersBesideTiles` registers.
  int64_t bytesOfSharedTiles() const;

  // ===== Registers of a thread. =====

  /// Of each of two programs that share a multiprocessor, with a further warp that moves data.
  unsigned registersOfHalf() const;
  /// The same without that warp, which takes the registers of a whole one where others fill the schedulers.
  unsigned registersOfHalfWithoutMover() const;
  /// What products may hold at once, beside addresses and counters, if a multiprocessor runs so many such programs.
  unsigned registersOfProducts(unsigned programs) const;
  /// What all data may take of them, so that nothing is spilled, if a multiprocessor runs so many such programs.
  unsigned registersOfData(unsigned programs) const;
  /// In which tiles of products wait for their iteration.
  unsigned registersOfWaitingTiles() const;
  /// Whether what all loads of an iteration bring fits into registers at once, beside what the loop carries and an
  /// offset for each access. Where loads do not run ahead, one waits for memory after the other was stored.
  bool holdsAllLoads(mlir::scf::ForOp loop, const analysis::AxisInfoAnalysis &axisInfo) const;
  /// For loads that run ahead in a loop without products, which holds `held` registers: so many that they do not keep
  /// other warps from their place, or none.
  unsigned registersInFlight(unsigned held) const;

  // ===== Warps. =====

  /// Whether two programs with products fit into a multiprocessor at once, so that one multiplies while the other one
  /// does something else. That is worth more than registers to spare. Loops in loops say that there are no more
  /// programs than multiprocessors. `sharedBytes`: what a program takes of shared memory.
  bool canShareMultiprocessor(tt::FuncOp function, int64_t sharedBytes) const;
  /// How many warps move data beside those that compute, and who has how many registers.
  WarpRoles divide(bool sharesMultiprocessor) const;

private:
  /// Of a thread, where each of two programs has `warpsOfProgram`.
  unsigned registersOfTwo(unsigned warpsOfProgram) const;

  const gpu::Machine &machine;
  unsigned warps;
};

} // namespace triton::ttg
