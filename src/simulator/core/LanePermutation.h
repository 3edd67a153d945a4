// Gives lanes the values of other lanes.
#pragma once

#include "simulator/core/Program.h"

namespace triton::simulator {

/// For each of `count` lanes, 32 or 64: the value of the lane with the number `sources[lane]` modulo `count`. The
/// results overlap no operand.
void permuteLanes(const uint32_t *values, const uint32_t *sources, unsigned count, uint32_t *results);

} // namespace triton::simulator
