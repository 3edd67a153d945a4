// Compiles LLVM IR to AMD's assembly, the text "amdgcn".
#pragma once

#include "backends/amd/lowering/Architecture.h"
#include "base/PassRunner.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
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

/// Runs those passes of LLVM's pipeline that improve code for GPUs, as steps of the stage llir.
llvm::Error optimizeModule(llvm::Module &module, const AmdgcnOptions &options, base::PassRunner &runner);

/// A copy of the module before PlaceSharedMemory if it is so large that code may be generated in several ways.
std::unique_ptr<llvm::Module> keepForOtherStrategies(const llvm::Module &module);

/// `unplaced` is what keepForOtherStrategies has kept.
llvm::Expected<std::string> generateAmdgcn(llvm::Module &module, const AmdgcnOptions &options,
                                           const llvm::Module *unplaced);

} // namespace triton::amd
