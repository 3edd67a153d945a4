// What Python holds of a compilation: the description of a kernel's arguments, and the compiled kernel.
#pragma once

#include "compiler/Compiler.h"

#include <memory>
#include <vector>

namespace triton::python {

/// The arguments to compile for, one for each parameter.
struct ArgumentList {
  std::vector<compiler::Argument> arguments;
};

struct KernelHandle {
  std::shared_ptr<const base::CompiledKernel> compiled;
  std::vector<compiler::Argument> parameters; ///< as compiled for; empty for a kernel from IR text
  int maxThreads = 0;
};

} // namespace triton::python
