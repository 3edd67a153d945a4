// Whether a 32-bit offset of an access is not the number that its computation means.
#pragma once

#include "simulator/core/Program.h"

#include <optional>
#include <string>

namespace triton::simulator {

class Warp;

/// What wrapped in the address of an access that the warp executes in a lane: `2097152 * 2048 is 4294967296 in line
/// 12`. None if nothing has.
std::optional<std::string> describeWrap(const Warp &warp, uint32_t instruction, unsigned lane);

} // namespace triton::simulator
