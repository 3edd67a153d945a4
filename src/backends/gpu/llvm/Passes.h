// The passes over LLVM IR that GPUs of all vendors may need; Passes.def describes them.
#pragma once

#include "base/LlvmPass.h"

namespace triton::backends {

#define TRITON_LLVM_PASS(Name, flag, need, summary, description) TRITON_DECLARE_LLVM_PASS(Name, flag, need, summary)
#include "backends/gpu/llvm/Passes.def"

} // namespace triton::backends
