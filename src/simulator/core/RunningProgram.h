// One program of the grid between its start and its end.
#pragma once

#include "simulator/core/Launch.h"
#include "simulator/core/Warp.h"

namespace triton::simulator {

struct FreeAligned {
  void operator()(std::byte *pointer) const { std::free(pointer); }
};
using AlignedBytes = std::unique_ptr<std::byte, FreeAligned>;

/// The warps of a program, their registers and its shared memory. Serves for one program after another.
class RunningProgram {
public:
  explicit RunningProgram(LaunchState &launch);

  void start(uint64_t linearId, llvm::ArrayRef<uint64_t> arguments);

  enum class Outcome : uint8_t { Ended, Stuck };
  /// Runs until every warp has ended, or until none can go on unless another program changes global memory. May be
  /// called again then. A launch that is given up leaves its programs stuck.
  Outcome advance();
  void reportDeadlock();

  uint64_t id() const { return state.linearId; }
  /// Grows with each change of global memory.
  uint64_t changes() const { return state.progress; }
  uint64_t laneInstructions() const;
  std::string takePrinted() { return std::move(state.printed); }

private:
  /// Recognizes a program that comes to a barrier in a state in which it was at one before, without having changed
  /// global memory since: it never ends unless others change it.
  class Recurrence {
  public:
    bool isReached(const std::vector<Warp> &warps, const ProgramState &state);

  private:
    uint64_t idleBarriers = 0, progress = 0;
    std::vector<std::byte> saved, now;
  };

  void passArguments(Warp &warp, llvm::ArrayRef<uint64_t> arguments);
  bool repeatForEver();
  void openBarrier();

  SharedMemory shared;
  ProgramState state;
  std::vector<AlignedBytes> registers, locals; ///< by warp
  std::vector<Warp> warps;
  Recurrence recurrence;
};

} // namespace triton::simulator
