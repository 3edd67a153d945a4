// From LLVM IR to PTX.
#pragma once

#include "backends/nvidia/target/Architecture.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <string>

namespace triton::nvidia {

struct PtxOptions {
  Architecture architecture;
  PtxVersion version = 0;      ///< 0: the oldest that the architecture has
  bool fuseMultiplyAdd = true; ///< a*b+c may become one rounding
  bool flushDenormals = false; ///< f32 operations take and give zero for subnormal numbers
  bool reflectFlush = true;    ///< functions of libdevice do
};

/// Gives the module the target's triple and data layout and its functions the attributes that the options ask for.
llvm::Error prepareModule(llvm::Module &module, const PtxOptions &options);

/// Takes a module that a user wrote: see Backend::adopt.
llvm::Error adoptModule(llvm::Module &module, const PtxOptions &options);

/// Runs LLVM's pipeline as far as it serves code for GPUs.
llvm::Error optimizeModule(llvm::Module &module, const PtxOptions &options);

llvm::Expected<std::string> generatePtx(llvm::Module &module, const PtxOptions &options);

} // namespace triton::nvidia
