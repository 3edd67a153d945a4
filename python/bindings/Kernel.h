// What Python keeps of a compilation: the description of a kernel's arguments, and the compiled kernel.
#pragma once

#include "LaunchPlan.h"

#include "compiler/Compiler.h"

#include <memory>
#include <vector>

namespace triton::python {

/// The arguments to compile for, one for each parameter.
struct ArgumentList {
  std::vector<compiler::Argument> arguments;
  std::vector<bool> declared; ///< which of the parameters are `tl.constexpr`; empty where that is not known
};

struct KernelHandle {
  std::shared_ptr<const base::CompiledKernel> compiled;
  std::shared_ptr<const LaunchPlan> plan;
  int maxThreads = 0;
};

} // namespace triton::python
