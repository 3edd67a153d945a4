// Powers of 2 of several lanes at once.
#pragma once

#include "simulator/core/Program.h"

namespace triton::simulator {

/// For each lane of a group, float(std::exp2(double(argument))), bit for bit.
void exponentialsBase2(const float *arguments, float *results);

} // namespace triton::simulator
