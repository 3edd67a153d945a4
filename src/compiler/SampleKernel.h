// A small kernel that the compiler contains, for warming up and for listing passes.
#pragma once

#include "compiler/Compiler.h"

namespace triton::compiler {

/// Contains what nearly every kernel needs: masked loads and stores, arithmetic, a reduction.
CompileRequest sampleRequest(const std::string &backend);

} // namespace triton::compiler
