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

/// Programs that a multiprocessor could run at a time, and how many bytes more a thread may spill for that.
struct ProgramsInReach {
  unsigned programs = 0; ///< 0: no more than now
  int spillBytes = 0;
};

/// One more than the programs that run at a time, if only registers prevent that, few programs or warps run, and
/// threads would have somewhat fewer registers then.
ProgramsInReach findProgramsInReach(const ProgramResources &program, const gpu::Machine &machine);

} // namespace triton::analysis
