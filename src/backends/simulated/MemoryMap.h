// What a simulated launch accessed, as data for a picture.
#pragma once

#include "llvm/Support/JSON.h"

namespace triton::simulator {
class AccessMap;
class Program;
class Timeline;
struct LaunchResult;
} // namespace triton::simulator

namespace triton::backends {

/// The object `memory` of docs/explorer.md, without what the caller of the launch knows. `printed`: by the kernel.
llvm::json::Object describeMemory(const simulator::AccessMap &map, const simulator::Program &program,
                                  const simulator::LaunchResult &result, llvm::StringRef printed);

/// Its member `time`.
llvm::json::Object describeTime(const simulator::Timeline &timeline);

} // namespace triton::backends
