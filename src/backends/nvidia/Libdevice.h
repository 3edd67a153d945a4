// NVIDIA's library of mathematical functions, as LLVM bitcode.
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace triton::nvidia {

/// Links the functions of libdevice that `module` calls and does not define. Reads no file when there are none.
llvm::Error linkLibdevice(llvm::Module &module);

} // namespace triton::nvidia
