// How many programs a multiprocessor runs at a time.
#pragma once

#include "gpu/target/TargetInfo.h"

namespace triton::analysis {

/// What one program takes of a multiprocessor.
struct ProgramResources {
  unsigned warps = 0;
  unsigned registers = 0; ///< of a thread; 0: not known
  std::size_t sharedBytes = 0;
};

/// Programs that fit, by each resource. What is not known or not needed limits nothing.
struct Occupancy {
  unsigned byWarps = 0, byPrograms = 0;
  std::optional<unsigned> byRegisters, bySharedMemory;

  unsigned programs() const;
  /// The resource of which there is least.
  llvm::StringRef limit() const;
};

Occupancy computeOccupancy(const ProgramResources &program, const gpu::Machine &machine);

/// One more than the programs that run at a time, if only registers prevent that, few warps run, and threads would have
/// somewhat fewer registers then; else 0.
unsigned programsInReach(const ProgramResources &program, const gpu::Machine &machine);

} // namespace triton::analysis
