// The passes over LLVM IR for AMD's GPUs; Passes.def describes them.
#pragma once

#include "backends/amd/lowering/Architecture.h"
#include "base/LlvmPass.h"

#include "llvm/IR/DebugLoc.h"

#include <functional>
#include <string>

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
  Architecture architecture;
  uint64_t sharedBytes = 0; ///< of a program
  bool isForced = false;    ///< wherever a loop permits it, whatever the model says
  std::function<void(const TurnDecision &)> report = [](const TurnDecision &) {};
};

/// The strategies that the option `schedule_hint` names.
enum class ScheduleHint : uint8_t {
  None,
  LocalPrefetch, ///< accesses of memory between matrix instructions, as a wave alone on its scheduler needs it
  Attention,     ///< exponentials between matrix instructions
};

/// Read options from text, as triton-opt and users write them. The errors say what they may be.
llvm::Error parseOptions(llvm::StringRef text, TurnOptions &options);
llvm::Error parseOptions(llvm::StringRef text, ScheduleHint &hint);

#define TRITON_LLVM_PASS(Name, flag, need, summary, description) TRITON_DECLARE_LLVM_PASS(Name, flag, need, summary)
#define TRITON_LLVM_PASS_WITH(Name, Options, flag, need, summary, description)                                         \
  TRITON_DECLARE_LLVM_PASS_WITH(Name, Options, flag, need, summary)
#include "backends/amd/llvm/Passes.def"

} // namespace triton::amd
