// NVIDIA's GPUs: LLVM IR for the triple nvptx64.
#pragma once

#include "simulator/core/InstructionSet.h"

namespace triton::simulator {

const InstructionSet &nvptxInstructionSet();

} // namespace triton::simulator
