// LLVM's optimizer and code generator as the backends of all GPUs run them.
#pragma once

#include "backends/CodeGenerationPasses.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace triton::backends {

/// Runs those passes of LLVM's pipeline that improve code for GPUs, and then `targetPasses`, which LLVM's textual
/// pipelines name in the form ",pass,pass".
llvm::Error optimizeGpuModule(llvm::Module &module, llvm::TargetMachine &machine, llvm::StringRef targetPasses = "");

/// Leaves out passes of the code generation that cost more for this module than they gain.
void leaveOutForGpus(CodeGenerationPasses &passes, llvm::Module &module);

} // namespace triton::backends
