// Decodes a kernel for the target that its module names.
#pragma once

#include "simulator/core/Program.h"

namespace triton::simulator {

/// Decodes `kernelName` (or the module's only kernel) with the instruction set of the module's triple. A target or
/// anything else that the simulator does not know is an UnsupportedError.
llvm::Expected<std::unique_ptr<Program>> decodeKernel(const llvm::Module &module, llvm::StringRef kernelName);

} // namespace triton::simulator
