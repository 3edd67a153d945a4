// The two waves of a scheduler take turns at its matrix unit.
#pragma once

#include "backends/amd/lowering/Architecture.h"

#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/Module.h"

#include <string>
#include <vector>

namespace triton::amd {

/// What was decided about a loop with matrix instructions.
struct TurnDecision {
  llvm::DebugLoc place;
  unsigned turns = 0;     ///< at the matrix unit in an iteration; 0: the waves take none
  double share = 0;       ///< of the time in which the model expects matrix instructions, with turns; 0: not asked
  double usualShare = 0;  ///< the same without turns
  std::string reason;     ///< why the waves take no turns; empty if they do
  std::string suggestion; ///< what the user can do about it, or empty
};

struct TurnOptions {
  const Architecture &architecture;
  uint64_t sharedBytes = 0; ///< of a program
  bool isForced = false;    ///< wherever a loop permits it, whatever the model says
};

/// Takes loops apart whose tiles pass through shared memory on their way from registers to matrix instructions. An
/// iteration becomes a row of clusters, each of which ends with a barrier: one with accesses of memory, one with matrix
/// instructions, and so on. The upper half of the waves runs one cluster behind the lower half, so that of the two
/// waves of a scheduler one multiplies while the other accesses memory. The tiles of the next iteration are stored
/// before the last products of this one.
///
/// A tile has one buffer. Half of the waves is a cluster behind, so that what one cluster reads may be overwritten two
/// clusters later, and what one stores may be read two clusters later.
std::vector<TurnDecision> alternateWaves(llvm::Module &module, const TurnOptions &options);

} // namespace triton::amd
