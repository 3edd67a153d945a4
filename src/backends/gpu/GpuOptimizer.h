// LLVM's optimizer and code generator as the backends of all GPUs run them.
#pragma once

#include "backends/CodeGenerationPasses.h"
#include "base/PassRunner.h"

#include "llvm/IR/Module.h"

namespace triton::backends {

/// Runs those passes of LLVM's pipeline that improve code for GPUs, and those that the target adds at the beginning and
/// at the end, in steps of the stage llir. Passes of ours run between them. `splitsPairs`: the target's register
/// allocator does not join the halves of a pair.
llvm::Error optimizeGpuModule(llvm::Module &module, llvm::TargetMachine &machine, bool splitsPairs,
                              base::PassRunner &runner);

/// Leaves out passes of the code generation that cost more for this module than they gain.
void leaveOutForGpus(CodeGenerationPasses &passes, llvm::Module &module);

} // namespace triton::backends
