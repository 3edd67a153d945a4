// Names that kernels of GPUs cannot have in machine code.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace triton::gpu {

/// Whether generated code may call or hold something of this name: what compilers and the vendors' libraries for the
/// device have, shared memory, and words of assemblers.
bool reservesSymbol(llvm::StringRef name);

} // namespace triton::gpu
