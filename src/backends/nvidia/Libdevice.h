// NVIDIA's library of mathematical functions, as LLVM bitcode.
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <string>

namespace triton::nvidia {

/// Links the functions of libdevice that `module` calls and does not define. Reads no file when there are none. Where
/// there is no libdevice, that is an error, or, if it `mayBeMissing`, the calls stay: the simulator has functions of
/// its own for them.
llvm::Error linkLibdevice(llvm::Module &module, bool mayBeMissing = false);

/// Which libdevice would be linked, for the cache's keys.
std::string libdeviceFingerprint();

} // namespace triton::nvidia
