// The meaning of target and options of a compilation for AMD GPUs.
#pragma once

#include "backends/Backend.h"
#include "backends/amd/Amdgcn.h"
#include "backends/amd/llvm/Passes.h"

namespace triton::amd {

struct AmdOptions final : backends::BackendOptions {
  AmdgcnOptions code;
  unsigned matrixExtent = 0; ///< rows and columns of matrix instructions; 0: the cost decides
  ScheduleHint hint = ScheduleHint::None;
};

/// Reads the options. The error says, in the user's terms, which option is wrong and what it may be.
llvm::Expected<std::unique_ptr<AmdOptions>> readOptions(const base::Target &target, const base::Options &options);

} // namespace triton::amd
