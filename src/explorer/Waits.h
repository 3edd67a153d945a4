// What the loops of a kernel wait for in each iteration, and which warps do.
#pragma once

#include "base/CompilationRecord.h"

#include "llvm/Support/JSON.h"

namespace triton::explorer {

/// The loops of a text of TTGIR that wait: {"line", "role", "warps", "waits"} each. `role` is "mover", "consumers" or
/// "all"; `warps` is how many warps run the loop. Of each wait "kind" and "line", and in "pending" how many groups or
/// products it leaves in flight.
llvm::json::Array describeWaits(const base::LinkedText &ttgir);

} // namespace triton::explorer
