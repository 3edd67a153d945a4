// LLVM's optimizer and code generator as the backends of all GPUs run them.
#pragma once

#include "backends/CodeGenerationPasses.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace triton::backends {

/// What targets need beside the passes of all. Passes are named as in LLVM's textual pipelines, in the form
/// ",pass,pass".
struct TargetPasses {
  llvm::StringRef beforeLoops; ///< on functions
  llvm::StringRef atEnd;       ///< on the module
};

/// Runs those passes of LLVM's pipeline that improve code for GPUs, and those of the target.
llvm::Error optimizeGpuModule(llvm::Module &module, llvm::TargetMachine &machine, TargetPasses targetPasses = {});

/// Leaves out passes of the code generation that cost more for this module than they gain.
void leaveOutForGpus(CodeGenerationPasses &passes, llvm::Module &module);

} // namespace triton::backends
