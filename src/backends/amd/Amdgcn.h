// Compiles LLVM IR to AMD's assembly, the text "amdgcn".
#pragma once

#include "backends/amd/lowering/Architecture.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

#include <string>

namespace triton::amd {

struct AmdgcnOptions {
  Architecture architecture;
  bool fuseMultiplyAdd = true;       ///< a*b+c may be rounded only once
  bool flushDenormals = false;       ///< f32 operations replace subnormal inputs and results by zero
  bool isolatesComputeUnits = false; ///< on RDNA, a program stays on one of the two compute units that share LDS
  unsigned wavesOfScheduler = 0;     ///< registers are limited so that so many fit; 0: LLVM decides
  std::string functionAttributes;    ///< LLVM's, as in "name=value,name"
};

/// LLVM's code generator for the options, one for each thread.
llvm::Expected<llvm::TargetMachine &> threadTargetMachine(const AmdgcnOptions &options);

/// Gives the module the target's triple and data layout and its functions the attributes that the options ask for.
llvm::Error prepareModule(llvm::Module &module, const AmdgcnOptions &options);

/// Prepares a module that a user wrote: see Backend::adopt.
llvm::Error adoptModule(llvm::Module &module, const AmdgcnOptions &options);

/// Runs those passes of LLVM's pipeline that improve code for GPUs.
llvm::Error optimizeModule(llvm::Module &module, const AmdgcnOptions &options);

llvm::Expected<std::string> generateAmdgcn(llvm::Module &module, const AmdgcnOptions &options);

} // namespace triton::amd
