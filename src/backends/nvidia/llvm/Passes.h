// The passes over LLVM IR for NVIDIA's GPUs; Passes.def describes them.
#pragma once

#include "base/LlvmPass.h"

namespace triton::nvidia {

#define TRITON_LLVM_PASS(Name, flag, need, summary, description) TRITON_DECLARE_LLVM_PASS(Name, flag, need, summary)
#include "backends/nvidia/llvm/Passes.def"

} // namespace triton::nvidia
