// The mathematical functions of AMD GPUs, as LLVM bitcode: our own, and AMD's library for what we do not have.
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <string>

namespace triton::amd {

/// Links the functions `__ocml_*` and `__nv_*` that `module` calls and does not define. Most are part of this program;
/// others are looked for in AMD's `ocml.bc`, and it is an error if they are not there either. The module's functions
/// already have the attributes of their target, which the linked ones take over.
llvm::Error linkDeviceLibrary(llvm::Module &module);

/// Identifies AMD's library that would be linked, for the cache's keys.
std::string deviceLibraryFingerprint();

} // namespace triton::amd
