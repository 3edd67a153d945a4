// Names that kernels of processors cannot have in machine code.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace triton::cpu {

/// Whether generated code may call a function of this name: one of C's library, of compilers or of the runtime. A
/// kernel with it would be called in its place.
bool reservesSymbol(llvm::StringRef name);

} // namespace triton::cpu
