// AMD's GPUs: LLVM IR for the triple amdgcn.
#pragma once

#include "simulator/core/InstructionSet.h"

namespace triton::simulator {

const InstructionSet &amdgpuInstructionSet();

} // namespace triton::simulator
