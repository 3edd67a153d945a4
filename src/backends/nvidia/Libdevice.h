// NVIDIA's library of mathematical functions, as LLVM bitcode.
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <string>

namespace triton::nvidia {

/// Links the functions of libdevice that `module` calls and does not define. If there are none, no file is read. If
/// there is no libdevice, this is an error, unless it `mayBeMissing`: then the calls remain, and the simulator uses its
/// own functions.
llvm::Error linkLibdevice(llvm::Module &module, bool mayBeMissing = false);

/// Links the functions that `module` calls from a file of LLVM bitcode that the user named.
llvm::Error linkLibrary(llvm::Module &module, const std::string &path);

/// Identifies the libdevice that would be linked, for the cache's keys.
std::string libdeviceFingerprint();

} // namespace triton::nvidia
