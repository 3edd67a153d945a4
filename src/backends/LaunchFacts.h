// What a launch must know of a kernel, kept in the texts of its later stages, so that one of them can be compiled
// alone.
#pragma once

#include "base/CompiledKernel.h"

#include "llvm/IR/Module.h"

namespace triton::backends {

/// Writes warps and shared memory into LLVM IR, as the metadata `triton.launch`.
void writeLaunchFacts(llvm::Module &module, const base::StageResults &results);
/// Reads them again. An error if they are missing and the kernel uses shared memory whose size the IR does not say, or
/// if the kernel takes what only earlier stages describe.
llvm::Error readLaunchFacts(const llvm::Module &module, base::StageResults &results);

/// The same for assembly: a line that begins with what begins comments there.
std::string launchFactsLine(llvm::StringRef comment, const base::StageResults &results);
/// `unsized` begins a declaration of shared memory without a size; empty: there is none in such a text.
llvm::Error readLaunchFacts(llvm::StringRef assembly, llvm::StringRef unsized, base::StageResults &results);

} // namespace triton::backends
