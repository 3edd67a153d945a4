// Hints for LLVM's scheduler of instructions in loops with matrix instructions.
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace triton::amd {

/// The strategies that the option `schedule_hint` names.
enum class ScheduleHint : uint8_t {
  None,
  LocalPrefetch, ///< accesses of memory between matrix instructions, as a wave alone on its scheduler needs it
  Attention,     ///< exponentials between matrix instructions
};

/// The error says what the option may be.
llvm::Expected<ScheduleHint> parseScheduleHint(llvm::StringRef name);

/// Marks the loops with matrix instructions. Those whose waves take turns have their order already.
void applyScheduleHint(llvm::Module &module, ScheduleHint hint);

} // namespace triton::amd
